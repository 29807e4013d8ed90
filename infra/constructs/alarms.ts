import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { THRESHOLDS } from '../stages.ts';
import type { QueueWithRedrive } from './queue-with-redrive.ts';
import type { MessagingApi } from './rest-api.ts';

/** The monitored resources, and who is notified. */
export interface AlarmsProps {
  readonly environment: Environment;
  readonly apis: readonly MessagingApi[];
  readonly queues: readonly QueueWithRedrive[];
  readonly tableName: string;
  /** The topic to notify. */
  readonly topic: ITopic;
}

/** An alarm of a stage. */
export interface AlarmRow {
  readonly id: string;
  readonly description: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly operator: ComparisonOperator;
  /** Consecutive periods that must breach the threshold: of a minute, unless the metric has another. */
  readonly minutes: number;
  /** By default a minute without a value breaches nothing. */
  readonly missing?: TreatMissingData;
}

const MINUTE = Duration.minutes(1);
const { GREATER_THAN_THRESHOLD: OVER, GREATER_THAN_OR_EQUAL_TO_THRESHOLD: AT_LEAST } = ComparisonOperator;

const sumOf = (parts: Readonly<Record<string, IMetric>>, label: string): IMetric => {
  const expression = Object.keys(parts)
    .map((name) => `FILL(${name}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics: { ...parts }, period: MINUTE, label });
};

/** A metric of an API, or with `route` of one operation that has detailed metrics. */
export const gatewayMetric = (
  api: MessagingApi,
  metricName: string,
  statistic: string,
  route?: { path: string; method: string },
): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    statistic,
    period: MINUTE,
    dimensionsMap: {
      ApiName: api.api.restApiName,
      Stage: api.stageName,
      ...(route ? { Method: route.method, Resource: route.path } : {}),
    },
  });

/** The sum of a metric over the APIs of a stage. */
const gatewaySum = (apis: readonly MessagingApi[], metricName: string): IMetric => {
  const parts = Object.fromEntries(
    apis.map((api, index) => [`api${index}`, gatewayMetric(api, metricName, Stats.SUM)]),
  );
  return sumOf(parts, metricName);
};

/** A metric of the table, or of one of its indexes. */
export const tableMetric = (tableName: string, metricName: string, index?: string): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    statistic: Stats.SUM,
    period: MINUTE,
    dimensionsMap: { TableName: tableName, ...(index ? { GlobalSecondaryIndexName: index } : {}) },
  });

/** A metric of the service itself that has no dimension but the stage (`shared/wiring/process/metrics.ts`). */
export const ownMetric = (stage: Environment, metricName: string, statistic: string = Stats.SUM): Metric =>
  new Metric({
    namespace: 'Messaging',
    metricName,
    statistic,
    period: MINUTE,
    dimensionsMap: { service: 'messaging', stage },
  });

const queueRows = ({ declaration, queue, deadLetters }: QueueWithRedrive): AlarmRow[] => [
  {
    id: `${declaration.name}-dead-letters`,
    description: `Messages of the queue ${declaration.name} failed ${declaration.maxReceives} times. Read why in the consumer's log, then redrive them.`,
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: Stats.MAXIMUM }),
    threshold: 0,
    operator: OVER,
    minutes: 1,
  },
  {
    id: `${declaration.name}-age`,
    description: `The oldest message of the queue ${declaration.name} waits too long: its consumer is too slow or failing.`,
    metric: queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: Stats.MAXIMUM }),
    threshold: THRESHOLDS.oldestMessageSeconds,
    operator: OVER,
    minutes: 3,
  },
];

const stageRows = ({ apis, environment, tableName }: AlarmsProps): AlarmRow[] => [
  {
    id: 'server-errors',
    description: 'The gateway answered 5xx. The access log names the operations, their logs the fault.',
    metric: gatewaySum(apis, '5XXError'),
    threshold: THRESHOLDS.serverErrors,
    operator: AT_LEAST,
    minutes: 2,
  },
  ...apis.flatMap((api) =>
    api.measured.map((contract) => ({
      id: `${contract.id.replace('.', '-')}-latency`,
      description: `${contract.summary}: 95 of 100 calls should be answered within ${THRESHOLDS.sendP95Ms} ms.`,
      metric: gatewayMetric(api, 'Latency', Stats.percentile(95), contract),
      threshold: THRESHOLDS.sendP95Ms,
      operator: OVER,
      minutes: 5,
    })),
  ),
  {
    id: 'lambda-throttles',
    description:
      "Lambda refused calls: the account's concurrency, which both stages share, is used up, or an area's part of it.",
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: Stats.SUM, period: MINUTE }),
    threshold: THRESHOLDS.lambdaThrottles,
    operator: AT_LEAST,
    minutes: 1,
  },
  {
    id: 'table-throttles',
    description:
      'DynamoDB throttled calls to the table or one of its indexes: a hot key, or more traffic than the on-demand table has scaled to. The log names the index.',
    // Throttles as the callers saw them. DynamoDB's own counts are two metrics of the table and two of each index, and an alarm pays for
    // each of them.
    metric: ownMetric(environment, 'TableThrottles'),
    threshold: THRESHOLDS.tableThrottles,
    operator: AT_LEAST,
    minutes: 2,
  },
  {
    id: 'table-conflicts',
    description:
      'Many transactions meet on the same rows: one organization writes faster than a wallet or a counter takes. Its calls wait for each other.',
    metric: tableMetric(tableName, 'TransactionConflict'),
    threshold: THRESHOLDS.transactionConflicts,
    operator: AT_LEAST,
    minutes: 5,
  },
  {
    id: 'work-set-aside',
    description:
      'Work failed for about four hours, each time it was handed over, and is not tried again: `admin work list` shows it, `admin work retry` puts it back. Or an import or export of a file was given up: the log names it.',
    metric: ownMetric(environment, 'WorkSetAside'),
    threshold: THRESHOLDS.workSetAside,
    operator: AT_LEAST,
    minutes: 1,
  },
  {
    id: 'destinations-held',
    description:
      'A prefix abroad is held for an organization: many SMS, next to none delivered. The log names both; somebody may earn on the traffic.',
    metric: ownMetric(environment, 'DestinationsHeld'),
    threshold: THRESHOLDS.destinationsHeld,
    operator: AT_LEAST,
    minutes: 1,
  },
];

/** Makes the alarms of rows, which notify a topic. */
export const createAlarms = (
  scope: Construct,
  environment: Environment,
  topic: ITopic,
  rows: readonly AlarmRow[],
): readonly Alarm[] =>
  rows.map((row) => {
    const alarm = new Alarm(scope, row.id, {
      alarmName: `messaging-${environment}-${row.id}`,
      alarmDescription: row.description,
      metric: row.metric,
      threshold: row.threshold,
      comparisonOperator: row.operator,
      evaluationPeriods: row.minutes,
      treatMissingData: row.missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    return alarm;
  });

/** The alarms of a stage, one declared row each. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const rows = [...props.queues.flatMap(queueRows), ...stageRows(props)];
    this.alarms = createAlarms(this, props.environment, props.topic, rows);
  }
}
