import { describe, expect, it } from 'vitest';
import { ARCHIVER } from '../../infra/constructs/row-archiver.ts';
import { NAMES } from '../../infra/stages.ts';
import { AWS, deploy, findingsOf, resourcesOf, statementsOf, templateOf, textOf } from './support.ts';

const contracts = [] as const;
const on = deploy({ contracts, env: AWS, context: { archiveAfterDays: 'live=365' } });
const archiverOf = (deployment: typeof on, environment: 'live' | 'test') =>
  resourcesOf(deployment.apps[environment], 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties.FunctionName === NAMES.function(environment, ARCHIVER),
  );
const mappingOf = (deployment: typeof on) =>
  resourcesOf(deployment.apps.live, 'AWS::Lambda::EventSourceMapping').find(
    ({ Properties }) => Properties.DestinationConfig !== undefined,
  )?.Properties;
describe('a stage without the setting', () => {
  it('has no archive, and no function refers to one', () => {
    expect(archiverOf(on, 'test')).toBeUndefined();
    expect(resourcesOf(on.data.test, 'AWS::S3::Bucket')).toHaveLength(1);
    expect(JSON.stringify(templateOf(on.apps.test))).not.toMatch(/ARCHIVE|-archive/);
  });
});

describe('a stage with the setting', () => {
  it('streams what expires, and nothing else, to the archiver', () => {
    const [filter] = mappingOf(on)?.FilterCriteria.Filters ?? [];
    expect(JSON.parse(filter.Pattern)).toEqual({
      eventName: ['REMOVE'],
      userIdentity: { type: ['Service'], principalId: ['dynamodb.amazonaws.com'] },
      dynamodb: { Keys: { pk: { S: [{ prefix: 'MSG#' }, { prefix: 'RPL#' }] } } },
    });
  });

  it('halves a batch that fails, and keeps what fails alone in the bucket before the stream forgets it', () => {
    const mapping = mappingOf(on);
    expect(mapping).toMatchObject({ BisectBatchOnFunctionError: true });
    expect(mapping?.MaximumRecordAgeInSeconds).toBeLessThan(24 * 3600);
    expect(textOf(mapping?.DestinationConfig.OnFailure.Destination)).toBe(
      `arn:aws:s3:::messaging-live-archive-${AWS.account}-${AWS.region}`,
    );
  });

  it('keeps the archive closed, encrypted with the key of the stage, and as long as the table', () => {
    const bucket = resourcesOf(on.data.live, 'AWS::S3::Bucket').find(({ Properties }) =>
      textOf(Properties.BucketName).includes('-archive'),
    );
    expect(bucket?.DeletionPolicy).toBe('RetainExceptOnCreate');
    expect(new Set(Object.values(bucket?.Properties.PublicAccessBlockConfiguration))).toEqual(new Set([true]));
    const [rule] = bucket?.Properties.BucketEncryption.ServerSideEncryptionConfiguration ?? [];
    expect(rule.ServerSideEncryptionByDefault.SSEAlgorithm).toBe('aws:kms');
  });

  it('lets the archiver alone write there, and read no object', () => {
    const touching = statementsOf(on.apps.live).filter(({ resources }) =>
      resources.some((resource) => resource.includes('-archive')),
    );
    expect(new Set(touching.map(({ owner }) => owner.replace(/[0-9A-F]{8}$/, '')))).toEqual(new Set(['Rolearchiver']));
    expect(touching.flatMap(({ actions }) => actions).sort()).toEqual(['s3:ListBucket', 's3:PutObject']);
  });

  it('sets on every function when its rows are archived, unless that is paused', () => {
    const daysOf = (deployment: typeof on) =>
      new Set(
        resourcesOf(deployment.apps.live, 'AWS::Lambda::Function').map(
          ({ Properties }) => Properties.Environment.Variables.ARCHIVE_AFTER_DAYS,
        ),
      );
    expect(daysOf(on)).toEqual(new Set(['365']));
    const paused = deploy({ contracts, env: AWS, context: { archiveAfterDays: 'live=paused' } });
    expect(daysOf(paused)).toEqual(new Set([undefined]));
    expect(archiverOf(paused, 'live')).toBeDefined();
  });

  it('meets the rules of AWS Solutions', () => {
    expect(findingsOf(on.app)).toEqual([]);
  });

  it.each([
    ['fewer days than a provider may take', { archiveAfterDays: 'live=30' }],
    ['a restored table, which has no stream', { archiveAfterDays: 'live=365', restoredTable: 'live=restored' }],
    ['a setting that names no stage', { archiveAfterDays: '365' }],
  ])('refuses %s', (_, context) => {
    expect(() => deploy({ contracts, context })).toThrow();
  });
});
