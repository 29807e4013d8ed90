import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { COMMON, THRESHOLDS } from '../stages.ts';
import { type AlarmRow, createAlarms, ownMetric } from './alarms.ts';
import type { RoleGrants } from './grants.ts';

export const OUTCOME_COUNTER = 'streams/metrics';

/** Grants of the counter: it reads and writes counts and checkpoints. */
export const OUTCOME_COUNTER_GRANTS: RoleGrants = { table: 'write' };

/** Permissions to read a table's stream. */
export const streamStatement = (streamArn: string): PolicyStatement =>
  new PolicyStatement({
    actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
    resources: [streamArn],
  });

const { pk: prefix, sk: sortKey } = KEYS.message('' as Id<'message'>);
/** The records that invoke the counter: changes of outbound messages whose hold is resolved. Filtered records cost nothing. */
const FILTER = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: { pk: { S: [{ prefix }] }, sk: { S: [sortKey] } },
    NewImage: { direction: { S: ['outbound'] }, hold: { S: [{ 'anything-but': ['open'] }] } },
  },
};

const rowsOf = (lambda: LambdaFunction, environment: Environment): AlarmRow[] => [
  {
    id: 'metrics-late',
    description:
      "The metrics are late: their counter fails, or is slower than the table's stream, which keeps records for a day. Its log says which.",
    metric: lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: Duration.minutes(1) }),
    threshold: THRESHOLDS.metricsLateMs,
    operator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    minutes: 5,
  },
  {
    id: 'metrics-uncounted',
    description:
      'The counter of the metrics could not read changes of messages, which are missing from the metrics. Its log names their records.',
    metric: ownMetric(environment, 'UncountedChanges'),
    threshold: 1,
    operator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    minutes: 1,
  },
];

/**
 * Feeds the table's stream to the counter of the metrics: one batch of a shard at a time, each repeated until it is counted. The tumbling window is
 * there because only its events name their shard.
 */
export class OutcomeCounter extends Construct {
  readonly #lambda: LambdaFunction;

  constructor(
    scope: Construct,
    id: string,
    { lambda, streamArn }: { readonly lambda: LambdaFunction; readonly streamArn: string },
  ) {
    super(scope, id);
    this.#lambda = lambda;
    const { batchSize, windowSeconds, tumblingSeconds } = COMMON.outcomeCounter;
    new CfnEventSourceMapping(this, 'Mapping', {
      functionName: lambda.functionName,
      eventSourceArn: streamArn,
      startingPosition: 'TRIM_HORIZON',
      batchSize,
      maximumBatchingWindowInSeconds: windowSeconds,
      tumblingWindowInSeconds: tumblingSeconds,
      parallelizationFactor: 1,
      filterCriteria: { filters: [{ pattern: JSON.stringify(FILTER) }] },
    });
  }

  /** Creates the alarms for its lateness and for changes that it cannot count. */
  watch(environment: Environment, topic: ITopic): void {
    createAlarms(this, environment, topic, rowsOf(this.#lambda, environment));
  }
}
