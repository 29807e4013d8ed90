import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, type IWidget, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { INDEXES } from '../../shared/storage/table-indexes.ts';
import { gatewayMetric, tableMetric } from './alarms.ts';
import type { QueueWithRedrive } from './queue-with-redrive.ts';
import type { MessagingApi } from './rest-api.ts';

/** The content of the dashboard. */
export interface StageDashboardProps {
  readonly environment: Environment;
  readonly apis: readonly MessagingApi[];
  readonly queues: readonly QueueWithRedrive[];
  readonly tableName: string;
}

const MINUTE = Duration.minutes(1);
const HALF = 12;

/** The service's own metrics (`shared/wiring/process/metrics.ts`); each graph has one line per combination of dimensions. */
const OWN_GRAPHS = [
  { title: 'Sends', metrics: ['Sends'], statistic: Stats.SUM },
  { title: 'Refusals', metrics: ['Refusals'], statistic: Stats.SUM },
  { title: 'Provider latency, p95 (ms)', metrics: ['ProviderLatency'], statistic: Stats.percentile(95) },
  { title: 'Consumer and publish failures', metrics: ['ConsumerFailures', 'PublishFailures'], statistic: Stats.SUM },
  { title: 'Holds recovered after the deadline', metrics: ['ResolvedHolds'], statistic: Stats.SUM },
  { title: "Providers' callbacks, and refused ones", metrics: ['Callbacks', 'RefusedCallbacks'], statistic: Stats.SUM },
  { title: 'Webhook attempts', metrics: ['WebhookAttempts'], statistic: Stats.SUM },
  { title: 'Webhook latency, p95 (ms)', metrics: ['WebhookLatency'], statistic: Stats.percentile(95) },
  {
    title: 'Due work: handed over, handed over again, set aside',
    metrics: ['OverdueWork', 'RepeatedWork', 'WorkSetAside'],
    statistic: Stats.SUM,
  },
  {
    title: 'Table: throttled calls. Abroad: prefixes held',
    metrics: ['TableThrottles', 'DestinationsHeld'],
    statistic: Stats.SUM,
  },
  {
    title:
      'People: lookups, sign-in mails, push opt-outs. SMPP: accounts without a receiver. Metrics: changes that were not counted',
    metrics: ['PersonLookups', 'SignInMails', 'PushOptOuts', 'SmppAccountsUnheard', 'UncountedChanges'],
    statistic: Stats.SUM,
  },
] as const;

const ownMetric = (stage: string, metricName: string, statistic: string): IMetric =>
  new MathExpression({
    expression: `SEARCH('Namespace="Messaging" MetricName="${metricName}" stage="${stage}"', '${statistic}', 60)`,
    label: '',
    period: MINUTE,
    usingMetrics: {},
  });

const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
  new GraphWidget({ title, left, right, width: HALF, height: 6 });

const queueGraphs = (queues: readonly QueueWithRedrive[]): IWidget[] => [
  graph(
    'Queues: waiting, and dead letters',
    queues.flatMap(({ queue, deadLetters, declaration }) => [
      queue.metricApproximateNumberOfMessagesVisible({
        period: MINUTE,
        statistic: Stats.MAXIMUM,
        label: declaration.name,
      }),
      deadLetters.metricApproximateNumberOfMessagesVisible({
        period: MINUTE,
        statistic: Stats.MAXIMUM,
        label: `${declaration.name}: dead`,
      }),
    ]),
  ),
  graph(
    'Queues: age of the oldest message (s)',
    queues.map(({ queue, declaration }) =>
      queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: Stats.MAXIMUM, label: declaration.name }),
    ),
  ),
];

/** A metric of an API, labelled with the API's name. */
const apiLine = (api: MessagingApi, metricName: string, statistic: string): IMetric =>
  gatewayMetric(api, metricName, statistic).with({ label: `${api.api.restApiName}: ${metricName}, ${statistic}` });

const gatewayGraphs = (apis: readonly MessagingApi[]): IWidget[] => [
  graph(
    'API latency (ms)',
    apis.flatMap((api) => [
      apiLine(api, 'Latency', Stats.percentile(50)),
      apiLine(api, 'Latency', Stats.percentile(95)),
      ...api.measured.map((contract) =>
        gatewayMetric(api, 'Latency', Stats.percentile(95), contract).with({ label: `${contract.id}, p95` }),
      ),
    ]),
    apis.map((api) => apiLine(api, 'Count', Stats.SUM)),
  ),
  graph(
    'API errors',
    apis.flatMap((api) => [apiLine(api, '4XXError', Stats.SUM), apiLine(api, '5XXError', Stats.SUM)]),
  ),
];

/** Writes of the table and of each index; reads of the table alone, which keeps the dashboard within the fifty metrics of a free one. */
const tableGraphs = (tableName: string): IWidget[] => [
  graph(
    'DynamoDB: write units of the table and its indexes',
    [undefined, ...Object.keys(INDEXES)].map((index) =>
      tableMetric(tableName, 'ConsumedWriteCapacityUnits', index).with({ label: index ?? 'table' }),
    ),
  ),
  graph('DynamoDB: read units of the table, conflicts', [
    tableMetric(tableName, 'ConsumedReadCapacityUnits').with({ label: 'read units' }),
    tableMetric(tableName, 'TransactionConflict').with({ label: 'conflicts' }),
  ]),
];

/** The dashboard of a stage: sends and refusals, provider latency, queues, API latency and errors, consumed capacity. */
export class StageDashboard extends Construct {
  constructor(scope: Construct, id: string, { environment, apis, queues, tableName }: StageDashboardProps) {
    super(scope, id);
    const own = OWN_GRAPHS.map(({ title, metrics, statistic }) =>
      graph(
        title,
        metrics.map((name) => ownMetric(environment, name, statistic)),
      ),
    );
    const widgets = [...own, ...queueGraphs(queues), ...gatewayGraphs(apis), ...tableGraphs(tableName)];
    const rows: IWidget[][] = [];
    for (let start = 0; start < widgets.length; start += 2) rows.push(widgets.slice(start, start + 2));
    new Dashboard(this, 'Dashboard', { dashboardName: `messaging-${environment}`, widgets: rows });
  }
}
