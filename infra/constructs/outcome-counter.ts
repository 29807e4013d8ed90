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

/** Grants of the counter: it reads and writes the counts and how far they go. */
export const OUTCOME_COUNTER_GRANTS: RoleGrants = { table: 'write' };

/** What a role may do that reads a table's stream. */
export const streamStatement = (streamArn: string): PolicyStatement =>
  new PolicyStatement({
    actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
    resources: [streamArn],
  });

const { pk: prefix, sk: sortKey } = KEYS.message('' as Id<'message'>);
/** Which records start the counter: outbound messages whose end is known. What is filtered out costs nothing. */
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
      "What became of messages is counted late: the counter of the metrics fails, or is slower than the table's stream, which keeps a day. Its log says which.",
    metric: lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: Duration.minutes(1) }),
    threshold: THRESHOLDS.metricsLateMs,
    operator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    minutes: 5,
  },
  {
    id: 'metrics-uncounted',
    description:
      'Changes of messages could not be read by the counter of the metrics, and are missing there. Its log names their records.',
    metric: ownMetric(environment, 'UncountedChanges'),
    threshold: 1,
    operator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    minutes: 1,
  },
];

/**
 * Feeds the counter of the metrics with the table's stream: the batches of a shard one after the other, each until it is counted. The tumbling window is
 * there because a batch names its shard only within one.
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

  /** Has its lateness and what it cannot count notified. */
  watch(environment: Environment, topic: ITopic): void {
    createAlarms(this, environment, topic, rowsOf(this.#lambda, environment));
  }
}
