import { describe, expect, it } from 'vitest';
import { NAMES, STAGES } from '../../infra/stages.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { INDEXES, TABLE } from '../../shared/storage/table-indexes.ts';
import { deploy, type Piece, resourcesOf, templateOf } from './support.ts';

const { data } = deploy();

describe.each(ENVIRONMENTS)('the data of stage %s', (environment) => {
  const table = resourcesOf(data[environment], 'AWS::DynamoDB::Table')[0];
  const key = resourcesOf(data[environment], 'AWS::KMS::Key')[0];
  const settings = STAGES[environment];

  it('are in one table with the keys of the key table, billed per request', () => {
    expect(table?.Properties).toMatchObject({
      TableName: NAMES.table(environment),
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
        { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: TABLE.timeToLive, Enabled: true },
    });
  });

  it('have the indexes of the key table with their projected attributes', () => {
    const types = new Map(
      table?.Properties.AttributeDefinitions.map((one: Piece) => [one.AttributeName, one.AttributeType]),
    );
    const made = Object.fromEntries(
      table?.Properties.GlobalSecondaryIndexes.map((index: Piece) => [index.IndexName, index]),
    );
    expect(Object.keys(made).sort()).toEqual(Object.keys(INDEXES).sort());
    for (const [name, { partitionKey, sortKey, sortType, attributes }] of Object.entries(INDEXES)) {
      expect(made[name].KeySchema.map((one: Piece) => one.AttributeName)).toEqual([partitionKey, sortKey]);
      expect(types.get(sortKey)).toBe(sortType);
      expect(made[name].Projection).toEqual(
        attributes.length > 0
          ? { ProjectionType: 'INCLUDE', NonKeyAttributes: [...attributes] }
          : { ProjectionType: 'KEYS_ONLY' },
      );
    }
  });

  it('project no more attributes into their indexes than DynamoDB allows', () => {
    const carried = Object.values(INDEXES).reduce((sum, { attributes }) => sum + attributes.length, 0);
    expect(carried).toBeLessThanOrEqual(100);
  });

  it('are encrypted with a key of the stage that is rotated yearly, and can be restored', () => {
    expect(table?.Properties.SSESpecification).toMatchObject({
      SSEEnabled: true,
      SSEType: 'KMS',
      KMSMasterKeyId: { 'Fn::GetAtt': [key?.id, 'Arn'] },
    });
    expect(key?.Properties.EnableKeyRotation).toBe(true);
    expect(table?.Properties.PointInTimeRecoverySpecification).toEqual({
      PointInTimeRecoveryEnabled: true,
      RecoveryPeriodInDays: settings.restoreDays,
    });
  });

  it('are protected from deletion in live only', () => {
    const live = environment === 'live';
    expect(settings.deletionProtection).toBe(live);
    expect(table?.Properties.DeletionProtectionEnabled).toBe(live);
    expect([table?.DeletionPolicy, key?.DeletionPolicy].map((policy) => policy === 'Delete')).toEqual([!live, !live]);
    expect(data[environment].terminationProtection).toBe(live);
  });

  it('of a failed first deployment do not block the next one', () => {
    const named = resourcesOf(data[environment]).filter(({ Properties }) =>
      ['TableName', 'BucketName', 'AliasName', 'Name'].some((name) => Properties?.[name] !== undefined),
    );
    expect(named.length).toBeGreaterThan(3);
    // `Retain` would keep also what a rolled-back creation made.
    for (const { id, DeletionPolicy } of resourcesOf(data[environment])) expect(DeletionPolicy, id).not.toBe('Retain');
    for (const { id, DeletionPolicy } of named)
      expect([undefined, 'Delete', 'RetainExceptOnCreate'], id).toContain(DeletionPolicy);
  });
});

describe('a stage whose table was restored', () => {
  const RESTORED = 'messaging-live-20261123';
  const restored = deploy({ context: { restoredTable: `live=${RESTORED}` } });
  const text = (stack: Parameters<typeof templateOf>[0]) => JSON.stringify(templateOf(stack));

  it('uses the restored table alone: its functions, grants, alarms and the operator', () => {
    const functions = resourcesOf(restored.apps.live, 'AWS::Lambda::Function');
    expect(functions.length).toBeGreaterThan(50);
    for (const { id, Properties } of functions) expect(Properties.Environment.Variables.TABLE_NAME, id).toBe(RESTORED);
    for (const { id, Properties } of resourcesOf(restored.apps.test, 'AWS::Lambda::Function'))
      expect(Properties.Environment.Variables.LIVE_TABLE_NAME, id).toBe(RESTORED);
    const roles = JSON.stringify(resourcesOf(restored.apps.live, 'AWS::IAM::Role'));
    expect(roles).toContain(`:table/${RESTORED}`);
    const own = resourcesOf(restored.data.live, 'AWS::DynamoDB::Table')[0]?.id ?? '-';
    expect(JSON.stringify(resourcesOf(restored.apps.live))).not.toContain(own);
    expect(text(restored.apps.live)).not.toContain(own);
    expect(templateOf(restored.apps.live).Outputs).toMatchObject({ TableName: { Value: RESTORED } });
    expect(JSON.stringify(resourcesOf(restored.apps.live, 'AWS::CloudWatch::Alarm'))).toContain(RESTORED);
  });

  it('keeps its own one, with what other stacks import of it until they have changed', () => {
    expect(resourcesOf(restored.data.live)).toEqual(resourcesOf(data.live));
    const exportsOf = (stack: Parameters<typeof templateOf>[0]) =>
      Object.keys(templateOf(stack).Outputs ?? {}).filter((name) => name.startsWith('ExportsOutput'));
    expect(exportsOf(restored.data.live)).toEqual(expect.arrayContaining(exportsOf(data.live)));
    expect(text(restored.data.test)).toBe(text(data.test));
  });

  it.each(['messaging-live-2', 'live=', 'live=a b', 'prod=messaging-2'])('is named in full: %s is refused', (wrong) => {
    expect(() => deploy({ context: { restoredTable: wrong } })).toThrow('restoredTable reads like live=');
  });
});
