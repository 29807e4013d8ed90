import { describe, expect, it } from 'vitest';
import { NAMES } from '../../infra/stages.ts';
import type { Uses } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import { ROOT_KEYS, rootKeyContext } from '../../shared/domain/core/secrets.ts';
import { QUEUES } from '../../shared/queues/queues.ts';
import { INDEXES } from '../../shared/storage/table-indexes.ts';
import { deploy, type Piece, resourcesOf, statementsOf, textOf } from './support.ts';

const { apps, apis } = deploy();
const WRITES = /^dynamodb:(?:.*Write|Put|Update|Delete|ConditionCheck)/;
const CARRIER_IDENTITY =
  /^arn:aws:(?:sms-voice:sa-east-1:111122223333:(?:phone-number|pool|rcs-agent|sender-id)|ses:sa-east-1:111122223333:(?:identity|configuration-set))\/\*$/;
const UPLOADS =
  /^arn:aws:s3:::messaging-(?:live|test)-uploads-111122223333-sa-east-1\/(?:uploads\/\*|imports\/\*(?:\/source|\/errors\.csv)?|exports\/\*|card-uploads\/\*|cards\/\*)$/;
const SENDING = Object.values(QUEUES).filter((queue) => 'sends' in queue && queue.sends).length;
const areas = Map.groupBy(OPERATIONS, ({ id }) => id.split('.')[0] as string);

/** The statements of the role that a function runs with. */
const grantsOf = (environment: Environment, path: string) => {
  const made = resourcesOf(apps[environment], 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties.FunctionName === NAMES.function(environment, path),
  );
  const role = textOf(made?.Properties.Role).replace(/\.Arn$/, '');
  return statementsOf(apps[environment]).filter(({ owner, effect }) => owner === role && effect === 'Allow');
};
const actionsOf = (environment: Environment, path: string) =>
  grantsOf(environment, path).flatMap(({ actions }) => actions);
const someUses = (contracts: readonly { readonly uses: Uses }[], test: (uses: Uses) => unknown) =>
  contracts.some(({ uses }) => test(uses));

describe.each(ENVIRONMENTS)('the roles of stage %s', (environment) => {
  it('name every action, and every resource except the identities that messages are sent from', () => {
    for (const { owner, actions, resources } of statementsOf(apps[environment])) {
      for (const action of actions) expect(action, owner).not.toContain('*');
      for (const resource of resources)
        if (!CARRIER_IDENTITY.test(resource) && !UPLOADS.test(resource)) expect(resource, owner).not.toContain('*');
    }
  });

  it('use no managed policy of AWS except for the log role of the gateway', () => {
    const managed = [apps, apis].flatMap((stacks) =>
      resourcesOf(stacks[environment], 'AWS::IAM::Role').flatMap(({ Properties }) =>
        (Properties.ManagedPolicyArns ?? []).map(textOf),
      ),
    );
    expect(managed).toEqual(
      environment === 'live' ? ['arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs'] : [],
    );
  });

  it.each([...areas])('allow %s exactly what its operations declare', (_, contracts) => {
    const path = contracts[0]?.id.replace('.', '/') as string;
    const actions = actionsOf(environment, path);
    const queues = new Set(contracts.flatMap(({ uses }) => uses.queues ?? []));
    const sent = grantsOf(environment, path)
      .filter((one) => one.actions.includes('sqs:SendMessage'))
      .flatMap(({ resources }) => resources);
    expect(actions.some((action) => action === 'dynamodb:GetItem')).toBe(
      someUses(contracts, ({ table, liveVolume }) => table !== 'none' || (liveVolume && environment === 'test')),
    );
    expect(actions.some((action) => WRITES.test(action))).toBe(someUses(contracts, ({ table }) => table === 'write'));
    const operates = someUses(contracts, (uses) => uses.operates);
    expect(sent).toHaveLength(operates ? Object.keys(QUEUES).length : queues.size);
    for (const [carrier, action] of [
      ['end_user_messaging', 'sms-voice:SendTextMessage'],
      ['end_user_messaging', 'sms-voice:SendRcsMessage'],
      ['ses', 'ses:SendEmail'],
    ] as const)
      expect(actions.includes(action)).toBe(
        environment === 'live' && someUses(contracts, ({ awsProviders }) => awsProviders?.includes(carrier)),
      );
    const unwrapped = grantsOf(environment, path).flatMap(
      ({ conditions }: Piece) => conditions?.StringEquals?.['kms:EncryptionContext:rootKey'] ?? [],
    );
    expect(unwrapped).toEqual(ROOT_KEYS.filter((name) => someUses(contracts, (uses) => uses.rootKeys?.includes(name))));
    // Each condition is on a part of what root keys are bound to.
    for (const { conditions } of grantsOf(environment, path) as Piece[])
      if (conditions?.StringEquals?.['kms:EncryptionContext:rootKey']) {
        const parts = Object.keys(rootKeyContext(environment, 'push')).map((part) => `kms:EncryptionContext:${part}`);
        expect(Object.keys(conditions.StringEquals).sort()).toEqual(parts.sort());
        expect(conditions.StringEquals['kms:EncryptionContext:stage']).toBe(environment);
      }
    const openly = grantsOf(environment, path).filter(
      (one) => one.actions.includes('kms:GenerateDataKey') && !one.conditions,
    );
    expect(openly).toEqual([]);
  });

  it('register and remove e-mail identities for the operations that say so, and read their state for the checks of senders', () => {
    const holders = statementsOf(apps[environment]).filter(({ actions }) =>
      actions.some((each) => each.includes('EmailIdentity')),
    );
    const changes = holders.filter(({ actions }) => actions.includes('ses:CreateEmailIdentity'));
    expect([holders.length, changes.length]).toEqual(environment === 'live' ? [2, 1] : [0, 0]);
    expect(actionsOf(environment, 'consumers/outcome').includes('ses:GetEmailIdentity')).toBe(environment === 'live');
  });

  it('give access to the index of due work to the dispatcher and the operator only', () => {
    const reaches = (path: string) =>
      grantsOf(environment, path).some(({ resources }) =>
        resources.some((resource) => resource.endsWith('/index/due')),
      );
    for (const [area, contracts] of areas)
      expect(reaches(contracts[0]?.id.replace('.', '/') as string)).toBe(area === 'operator');
    expect(reaches('schedules/dispatch')).toBe(true);
  });

  it('allow queries of exactly the existing indexes', () => {
    const queried = statementsOf(apps[environment]).flatMap(({ resources }) =>
      resources.flatMap((resource) => resource.match(/\/index\/(.+)$/)?.[1] ?? []),
    );
    expect(new Set(queried)).toEqual(new Set(Object.keys(INDEXES)));
  });

  it('allow a consumer to receive from its own queue only', () => {
    const mappings = resourcesOf(apps[environment], 'AWS::Lambda::EventSourceMapping').filter(
      ({ Properties }) => Properties.ScalingConfig !== undefined,
    );
    expect(mappings).toHaveLength(Object.keys(QUEUES).length);
    for (const { Properties } of mappings) {
      const consumer = resourcesOf(apps[environment]).find(({ id }) => id === Properties.FunctionName.Ref);
      const role = textOf(consumer?.Properties.Role).replace(/\.Arn$/, '');
      const taken = statementsOf(apps[environment]).filter(
        ({ owner, actions }) => owner === role && actions.includes('sqs:ReceiveMessage'),
      );
      expect(taken.map(({ resources }) => resources)).toEqual([[textOf(Properties.EventSourceArn)]]);
    }
  });

  it('let the operations of the operator alone receive dead letters, and move these to the queues of their own stage', () => {
    const dead = (resource: string) => resource.endsWith('-dlq');
    const receiving = statementsOf(apps[environment]).filter(
      ({ actions, resources }) => actions.includes('sqs:StartMessageMoveTask') || resources.some(dead),
    );
    const own = grantsOf(environment, 'operator/list-queues');
    expect(new Set(receiving.map(({ owner }) => owner))).toEqual(new Set(own.map(({ owner }) => owner)));
    const names = new Set(Object.keys(QUEUES).map((name) => `${NAMES.queue(environment, name)}-dlq`));
    const [moving] = own.filter(({ actions }) => actions.includes('sqs:StartMessageMoveTask'));
    expect(moving?.actions.toSorted()).toEqual([
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:ReceiveMessage',
      'sqs:StartMessageMoveTask',
    ]);
    expect(moving?.resources).toHaveLength(names.size);
    expect(moving?.resources.every(dead)).toBe(true);
    const received = own.filter(({ actions }) => actions.includes('sqs:ReceiveMessage'));
    expect(received.flatMap(({ resources }) => resources).every(dead)).toBe(true);
  });

  it('allow the authorizer only reads, and the latest use of a key', () => {
    expect(
      actionsOf(environment, 'authorizer')
        .filter((action) => action.startsWith('dynamodb:'))
        .sort(),
    ).toEqual(['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem']);
    const role = resourcesOf(apps[environment], 'AWS::IAM::Role').find(({ Properties }) =>
      String(Properties.Description).endsWith('the authorizer.'),
    );
    const statements: { Action: string | string[] }[] = role?.Properties.Policies[0].PolicyDocument.Statement;
    expect(statements.filter(({ Action }) => [Action].flat().includes('dynamodb:UpdateItem'))).toMatchObject([
      { Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['KEY#*'] } } },
    ]);
  });
});

describe("the live stage's volume", () => {
  const ofLive = (environment: Environment) =>
    statementsOf(apps[environment]).filter(({ resources }) =>
      resources.some((resource) => resource.startsWith('Messaging-Live-Data:')),
    );
  const reading = [...areas].filter(([, contracts]) => someUses(contracts, ({ liveVolume }) => liveVolume));

  it('is all that the test stage can read of it, limited by the keys of its rows', () => {
    expect(reading.length).toBeGreaterThan(0);
    const table = ofLive('test').filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')));
    // The sending consumers price the steps of a fallback.
    expect(table).toHaveLength(reading.length + SENDING);
    for (const one of table) {
      expect(one.actions).toEqual(['dynamodb:GetItem']);
      expect(one.resources).toHaveLength(1);
      expect(one.conditions).toEqual({
        'ForAllValues:StringLike': {
          'dynamodb:LeadingKeys': ['WALLET#*'],
          'dynamodb:Attributes': ['pk', 'sk', 'shape', 'taken_*', 'freed_*'],
        },
        Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
      });
    }
  });

  it('can be decrypted with the live key through DynamoDB only', () => {
    const key = ofLive('test').filter(({ actions }) => actions.some((action) => action.startsWith('kms:')));
    expect(key).toHaveLength(reading.length + SENDING);
    for (const one of key) {
      expect(one.actions).toEqual(['kms:Decrypt', 'kms:DescribeKey']);
      expect(textOf(one.conditions.StringEquals['kms:ViaService'])).toBe('dynamodb.sa-east-1.amazonaws.com');
    }
  });

  it('needs no grant of its own in the live stage, whose own table it is', () => {
    expect(
      statementsOf(apps.live).filter(
        ({ actions, conditions }) =>
          actions.includes('dynamodb:GetItem') && conditions?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'],
      ),
    ).toEqual([]);
  });
});

it("e-mails are sent from the addresses in a deployment's settings, and from any if there are none", () => {
  const mailing = OPERATIONS.filter(({ uses }) => uses.awsProviders?.includes('ses'));
  const conditionsOf = (context: Record<string, string>) =>
    statementsOf(deploy({ contracts: mailing, context }).apps.live)
      .filter(({ actions }) => actions.includes('ses:SendEmail'))
      .map(({ conditions }) => conditions);
  expect(new Set(conditionsOf({}))).toEqual(new Set([undefined]));
  const named = conditionsOf({ emailFrom: '*@loja.example,ola@azul.example' });
  expect(named.length).toBeGreaterThan(1);
  for (const condition of named)
    expect(condition).toEqual({ StringLike: { 'ses:FromAddress': ['*@loja.example', 'ola@azul.example'] } });
});
