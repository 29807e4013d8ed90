import { describe, expect, it } from 'vitest';
import { OUTCOME_COUNTER } from '../../infra/constructs/outcome-counter.ts';
import { NAMES } from '../../infra/stages.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { AWS, deploy, findingsOf, type Piece, resourcesOf, statementsOf } from './support.ts';

const contracts = [] as const;
const deployment = deploy({ contracts, env: AWS });
const mappingsOf = ({ apps }: typeof deployment, environment: 'live' | 'test') =>
  resourcesOf(apps[environment], 'AWS::Lambda::EventSourceMapping').filter(
    ({ Properties }) => Properties.TumblingWindowInSeconds !== undefined,
  );

describe.each(ENVIRONMENTS)('the counter of the metrics of stage %s', (environment) => {
  it('receives both images of outbound messages whose hold is resolved', () => {
    const [table] = resourcesOf(deployment.data[environment], 'AWS::DynamoDB::Table');
    expect(table?.Properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    const [mapping] = mappingsOf(deployment, environment);
    expect(JSON.parse(mapping?.Properties.FilterCriteria.Filters[0].Pattern)).toEqual({
      eventName: ['INSERT', 'MODIFY'],
      dynamodb: {
        Keys: { pk: { S: [{ prefix: 'MSG#' }] }, sk: { S: ['MSG'] } },
        NewImage: { direction: { S: ['outbound'] }, hold: { S: [{ 'anything-but': ['open'] }] } },
      },
    });
  });

  it('receives the batches of a shard in order, with the name of the shard, each until it is counted', () => {
    const [{ Properties } = { Properties: {} }] = mappingsOf(deployment, environment);
    expect(Properties).toMatchObject({
      ParallelizationFactor: 1,
      StartingPosition: 'TRIM_HORIZON',
      TumblingWindowInSeconds: 900,
      MaximumBatchingWindowInSeconds: 20,
      BatchSize: 1_000,
    });
    for (const name of ['BisectBatchOnFunctionError', 'MaximumRetryAttempts', 'MaximumRecordAgeInSeconds'])
      expect(Properties).not.toHaveProperty(name);
  });

  it('reads the stream of its own table, writes counts, and has access to nothing besides the table', () => {
    const own = statementsOf(deployment.apps[environment]).filter(
      ({ owner, effect }) => owner.startsWith('Roleoutcomecounter') && effect === 'Allow',
    );
    expect(own.filter(({ actions }) => actions.includes('dynamodb:GetRecords'))).toHaveLength(1);
    const writing = own.filter(({ actions }) => actions.includes('dynamodb:UpdateItem'));
    expect(
      writing.map(({ conditions }: Piece) => conditions['ForAllValues:StringLike']['dynamodb:LeadingKeys']),
    ).toEqual([expect.arrayContaining(['METRICS#*', 'METRICSHARD#*'])]);
    expect(own.flatMap(({ actions }) => actions).filter((action) => /^(?:sqs|s3|ses|sms)/.test(action))).toEqual([]);
  });
});

it('does not exist for a restored table, which has no stream', () => {
  const restored = deploy({ contracts, env: AWS, context: { restoredTable: 'live=restored' } });
  expect(mappingsOf(restored, 'live')).toEqual([]);
  expect(mappingsOf(restored, 'test')).toHaveLength(1);
  const names = resourcesOf(restored.apps.live, 'AWS::Lambda::Function').map(
    ({ Properties }) => Properties.FunctionName,
  );
  expect(names).not.toContain(NAMES.function('live', OUTCOME_COUNTER));
});

it('meets the rules of AWS Solutions', () => {
  expect(findingsOf(deployment.app)).toEqual([]);
});
