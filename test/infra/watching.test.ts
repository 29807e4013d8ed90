import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OUTCOME_COUNTER } from '../../infra/constructs/outcome-counter.ts';
import { NAMES, STAGES, THRESHOLDS } from '../../infra/stages.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import { QUEUES } from '../../shared/queues/queues.ts';
import { CONTRACTS, contractOf } from '../../shared/runtime/problem.ts';
import { METRICS } from '../../shared/wiring/process/metrics.ts';
import { deploy, type Piece, resourcesOf, textOf } from './support.ts';

const measured = OPERATIONS.filter(({ rate }) => rate === 'single_send');
const { apps } = deploy({ contracts: measured, context: { alarmEmail: 'on-call@example.com' } });

/** The stages with alarms. */
const WATCHED = ENVIRONMENTS.filter((environment) => STAGES[environment].alarms);

describe.each(WATCHED)('the alarms of stage %s', (environment) => {
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
    // It counts the throttles of the table and of each index: test/storage/client-throttles.test.ts.
    expect(alarm('table-throttles')).toMatchObject({ Namespace: 'Messaging', MetricName: 'TableThrottles' });
  });

  it('watch work that was set aside', () => {
    expect(alarm('work-set-aside')).toMatchObject({ Namespace: 'Messaging', MetricName: 'WorkSetAside', Threshold: 1 });
  });

  it('watch conflicting transactions, by the metric of the table', () => {
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

  it('watch the counter of the metrics: how late it is, and what it could not count', () => {
    const [counter] = resourcesOf(apps[environment], 'AWS::Lambda::Function').filter(
      ({ Properties }) => Properties.FunctionName === NAMES.function(environment, OUTCOME_COUNTER),
    );
    expect(alarm('metrics-late')).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'IteratorAge',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: counter?.id } }],
      Threshold: THRESHOLDS.metricsLateMs,
      EvaluationPeriods: 5,
    });
    expect(alarm('metrics-uncounted')).toMatchObject({
      Namespace: 'Messaging',
      MetricName: 'UncountedChanges',
      Threshold: 1,
    });
  });

  it('notify one topic each, and its subscriber', () => {
    const topics = resourcesOf(apps[environment], 'AWS::SNS::Topic');
    expect(topics).toHaveLength(1);
    for (const { AlarmActions } of alarms.values()) expect(AlarmActions).toEqual(topics.map(({ id }) => ({ Ref: id })));
    expect(
      resourcesOf(apps[environment], 'AWS::SNS::Subscription').map(({ Properties }) => Properties.Endpoint),
    ).toEqual(['on-call@example.com']);
  });
});

describe('alarms', () => {
  it('watch live, and exist only in stages where they notify somebody', () => {
    expect(WATCHED).toEqual(['live']);
    for (const type of ['AWS::CloudWatch::Alarm', 'AWS::SNS::Topic']) expect(resourcesOf(apps.test, type)).toEqual([]);
  });

  it('have the detailed metrics of the gateway, which cost by the operation, where they exist', () => {
    for (const environment of ENVIRONMENTS) {
      const settings = resourcesOf(apps[environment], 'AWS::ApiGateway::Stage').flatMap(
        ({ Properties }) => Properties.MethodSettings as Piece[],
      );
      expect(settings.filter(({ MetricsEnabled }) => MetricsEnabled)).toHaveLength(
        STAGES[environment].alarms ? measured.length : 0,
      );
    }
  });
});

const dashboardOf = (environment: Environment): string =>
  textOf(resourcesOf(apps[environment], 'AWS::CloudWatch::Dashboard')[0]?.Properties.DashboardBody);

describe.each(ENVIRONMENTS)('the dashboard of stage %s', (environment) => {
  const body = dashboardOf(environment);

  it('shows sends, refusals, providers and the API', () => {
    const titles = JSON.parse(body).widgets.map((widget: Piece) => widget.properties.title);
    expect(titles).toEqual(
      expect.arrayContaining(['Sends', 'Refusals', 'Provider latency, p95 (ms)', 'API latency (ms)', 'API errors']),
    );
    expect(body).toContain(`Namespace=\\"Messaging\\" MetricName=\\"ProviderLatency\\" stage=\\"${environment}\\"`);
  });

  it('shows each metric of the service, so that no metric is paid for unused', () => {
    const shown = [...body.matchAll(/Namespace=\\"Messaging\\" MetricName=\\"(\w+)\\"/g)].map(([, name]) => name);
    expect(shown.toSorted()).toEqual(Object.keys(METRICS).toSorted());
  });

  it('refers to at most fifty metrics of AWS, up to which CloudWatch gives the first three of an account for nothing', () => {
    const lines: Piece[][] = JSON.parse(body).widgets.flatMap(({ properties }: Piece) => properties.metrics);
    const metrics = lines.filter(([first]) => typeof first === 'string').map((line) => line.slice(0, -1).join(' '));
    expect(new Set(metrics).size).toBeGreaterThan(20);
    expect(new Set(metrics).size).toBeLessThanOrEqual(50);
  });
});

describe('a metric of the service', () => {
  it('that is declared is sent by some code', () => {
    const sources = globSync('shared/{wiring,runtime}/**/*.ts', { exclude: ['shared/wiring/process/metrics.ts'] })
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    for (const name of Object.keys(METRICS)) expect(sources, name).toMatch(new RegExp(`[{,] ${name}: `));
  });
});
