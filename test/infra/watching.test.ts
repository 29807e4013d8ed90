import { describe, expect, it } from 'vitest';
import { NAMES, STAGES, THRESHOLDS } from '../../infra/stages.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { QUEUES } from '../../shared/queues/queues.ts';
import { CONTRACTS, contractOf } from '../../shared/runtime/problem.ts';
import { INDEXES } from '../../shared/storage/table-indexes.ts';
import { deploy, type Piece, resourcesOf, textOf } from './support.ts';

const { apps } = deploy({ context: { alarmEmail: 'on-call@example.com' } });
const measured = OPERATIONS.filter(({ rate }) => rate === 'single_send');

describe.each(ENVIRONMENTS)('the alarms of stage %s', (environment) => {
  const alarms = new Map<string, Piece>(
    resourcesOf(apps[environment], 'AWS::CloudWatch::Alarm').map(({ Properties }) => [
      Properties.AlarmName,
      Properties,
    ]),
  );
  const alarm = (id: string): Piece => alarms.get(`messaging-${environment}-${id}`);

  it('watch the dead letters and the age of every queue', () => {
    for (const name of Object.keys(QUEUES)) {
      expect(alarm(`${name}-dead-letters`)).toMatchObject({
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
      });
      expect(textOf(alarm(`${name}-dead-letters`).Dimensions[0].Value)).toMatch(/DeadLetters.*QueueName$/);
      expect(alarm(`${name}-age`)).toMatchObject({
        MetricName: 'ApproximateAgeOfOldestMessage',
        Threshold: THRESHOLDS.oldestMessageSeconds,
      });
    }
  });

  it('watch the latency of single sends, by a metric of the gateway', () => {
    const settings = (path: string) =>
      resourcesOf(apps[environment], 'AWS::ApiGateway::Stage').find(({ id }) =>
        id.startsWith(`Stage${contractOf(path)}Stage`),
      )?.Properties.MethodSettings;
    expect(measured.length).toBeGreaterThan(0);
    for (const { id, path, method } of measured) {
      expect(alarm(`${id.replace('.', '-')}-latency`)).toMatchObject({
        ExtendedStatistic: 'p95',
        Threshold: THRESHOLDS.sendP95Ms,
        MetricName: 'Latency',
      });
      const dimensions = Object.fromEntries(
        alarm(`${id.replace('.', '-')}-latency`).Dimensions.map((one: Piece) => [one.Name, one.Value]),
      );
      const ApiName = NAMES.api(environment, contractOf(path));
      expect(dimensions).toEqual({ ApiName, Stage: environment, Method: method, Resource: path });
      expect(settings(path)).toContainEqual(
        expect.objectContaining({
          HttpMethod: method,
          ResourcePath: `/${path.replaceAll('/', '~1')}`,
          MetricsEnabled: true,
        }),
      );
    }
  });

  it('watch 5xx, and throttling by Lambda, the table and each index', () => {
    expect(alarm('server-errors').Threshold).toBe(THRESHOLDS.serverErrors);
    const counted = alarm('server-errors').Metrics.flatMap(({ MetricStat }: Piece) => MetricStat?.Metric ?? []);
    expect(counted.map((metric: Piece) => [metric.MetricName, metric.Dimensions[0].Value])).toEqual(
      CONTRACTS.map((contract) => ['5XXError', NAMES.api(environment, contract)]),
    );
    expect(alarm('lambda-throttles')).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Throttles' });
    for (const id of ['table-read-throttles', 'table-write-throttles']) {
      const parts = alarm(id).Metrics.filter((one: Piece) => one.MetricStat);
      expect(parts).toHaveLength(Object.keys(INDEXES).length + 1);
      // CloudWatch takes ten metrics into one alarm.
      expect(parts.length).toBeLessThanOrEqual(10);
    }
  });

  it('watch work that was set aside', () => {
    expect(alarm('work-set-aside')).toMatchObject({ Namespace: 'Messaging', MetricName: 'WorkSetAside', Threshold: 1 });
  });

  it('watch transactions that meet, by the metric of the table', () => {
    expect(alarm('table-conflicts')).toMatchObject({
      Namespace: 'AWS/DynamoDB',
      MetricName: 'TransactionConflict',
      Threshold: THRESHOLDS.transactionConflicts,
      EvaluationPeriods: 5,
    });
  });

  it('watch the destinations that are held, by the metric of the service', () => {
    expect(alarm('destinations-held')).toMatchObject({
      Namespace: 'Messaging',
      MetricName: 'DestinationsHeld',
      Threshold: THRESHOLDS.destinationsHeld,
    });
    const dimensions = alarm('destinations-held').Dimensions.map((one: Piece) => [one.Name, one.Value]);
    expect(dimensions).toEqual([
      ['service', 'messaging'],
      ['stage', environment],
    ]);
  });

  it('notify only if the stage settings say so', () => {
    const topics = resourcesOf(apps[environment], 'AWS::SNS::Topic');
    expect(topics).toHaveLength(STAGES[environment].alarmActions ? 1 : 0);
    for (const { AlarmActions } of alarms.values())
      expect(AlarmActions ?? []).toEqual(topics.map(({ id }) => ({ Ref: id })));
    expect(
      resourcesOf(apps[environment], 'AWS::SNS::Subscription').map(({ Properties }) => Properties.Endpoint),
    ).toEqual(topics.map(() => 'on-call@example.com'));
  });

  it('come with one dashboard of the stage', () => {
    const body = textOf(resourcesOf(apps[environment], 'AWS::CloudWatch::Dashboard')[0]?.Properties.DashboardBody);
    const titles = JSON.parse(body).widgets.map((widget: Piece) => widget.properties.title);
    expect(titles).toEqual(
      expect.arrayContaining(['Sends', 'Refusals', 'Provider latency, p95 (ms)', 'API latency (ms)', 'API errors']),
    );
    expect(body).toContain(`Namespace=\\"Messaging\\" MetricName=\\"ProviderLatency\\" stage=\\"${environment}\\"`);
  });
});
