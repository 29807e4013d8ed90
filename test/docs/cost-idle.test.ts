import { describe, expect, test } from 'vitest';
import { COMMON } from '../../infra/stages.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { QUEUE_OF_KIND, type WorkItem } from '../../shared/queues/queues.ts';
import { dueShards } from '../../shared/storage/table-indexes.ts';
import { deploy, type Piece, templateOf } from '../infra/support.ts';
import { cell, PAGE, tableUnder } from './cost-page.ts';

const SECONDS = 60 * 60 * 24 * 30;
const MINUTES = SECONDS / 60;
/** An idle queue is polled by five long polls of twenty seconds (AWS Lambda, "Configuring scaling behavior for SQS event source mappings"). */
const POLLS_A_SECOND = 5 / 20;
/** Half a read unit for a query that finds nothing. */
const EMPTY_QUERY = 0.5;

const resources = (() => {
  const { data, apis, apps, edge } = deploy();
  const stacks = [...ENVIRONMENTS.flatMap((env) => [data[env], apis[env], apps[env]]), edge];
  return stacks.flatMap((stack) => Object.values(templateOf(stack).Resources));
})();
const ofType = (type: string) => resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties);

/** Each metric of an alarm is paid for. */
const alarmed = (): number =>
  ofType('AWS::CloudWatch::Alarm').reduce(
    (sum, { Metrics = [] }) => sum + Math.max(1, Metrics.filter((one: Piece) => one.MetricStat).length),
    0,
  );
const runs = ofType('AWS::Events::Rule').reduce((sum, { Targets }) => sum + Targets.length, 0) * MINUTES;
const queries = (Object.keys(QUEUE_OF_KIND) as WorkItem['kind'][]).reduce((sum, kind) => sum + dueShards(kind), 0);

const rows = tableUnder('What it costs idle');
const [lines, sum] = [rows.slice(0, -1), rows.at(-1)];
/** By variable: USD, and for how many. */
const prices = new Map(
  tableUnder('Prices').map((row) => [
    row[0] ?? '',
    { usd: cell(row, 2), units: row[1]?.startsWith('a million') ? 1_000_000 : 1 },
  ]),
);

describe('the idle cost in docs/cost.md', () => {
  test('counts what the templates of both stages deploy', () => {
    const runSeconds = Number(/runs of ([\d.]+) s/.exec(PAGE)?.[1]);
    const stated = Object.fromEntries(lines.map((row) => [row[0], cell(row, 1)]));
    expect(stated).toEqual({
      'KMS keys': ofType('AWS::KMS::Key').length,
      Secrets: ofType('AWS::SecretsManager::Secret').length,
      'Metrics under alarms': alarmed(),
      'Custom metrics': 0,
      Dashboards: ofType('AWS::CloudWatch::Dashboard').length,
      'Polls of the queues': ofType('AWS::Lambda::EventSourceMapping').length * POLLS_A_SECOND * SECONDS,
      'Runs of the dispatchers': runs,
      'GB-seconds of these runs': runs * runSeconds * (COMMON.dispatcher.memoryMb / 1_024),
      'Read units of the due queries': queries * ENVIRONMENTS.length * MINUTES * EMPTY_QUERY,
      'GB of log': expect.any(Number),
    });
  });

  test('counts every kind of resource that is paid for by the month', () => {
    const monthly =
      /^AWS::(?:KMS::Key|SecretsManager::Secret|CloudWatch::(?:Alarm|CompositeAlarm|Dashboard|AnomalyDetector)|WAFv2::WebACL|Route53::HostedZone|EC2::\w+|ECS::\w+|ElasticLoadBalancing\w*::\w+|ApiGateway::(?:UsagePlan|ClientCertificate)|Synthetics::\w+|Events::Archive|KinesisFirehose::\w+)$/;
    const kinds = [...new Set(resources.map(({ Type }) => Type).filter((type) => monthly.test(type)))].toSorted();
    expect(kinds).toEqual([
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::Dashboard',
      'AWS::KMS::Key',
      'AWS::SecretsManager::Secret',
    ]);
  });

  test('is quantity, less what is free, times price in each line', () => {
    for (const row of lines) {
      const { usd, units } = prices.get(row[3] ?? '') ?? { usd: Number.NaN, units: 1 };
      const billed = Math.max(0, cell(row, 1) - cell(row, 2));
      expect([row[0], ((billed / units) * usd).toFixed(2)]).toEqual([row[0], row[4]]);
    }
  });

  test('sums to its last line, which is under 12 US dollars a month', () => {
    expect(lines.reduce((total, row) => total + cell(row, 4), 0).toFixed(2)).toBe(sum?.[4]);
    expect(cell(sum, 4)).toBeLessThan(12);
  });

  test('says what an account pays that has used its allowances up', () => {
    const more = lines.reduce((total, row) => {
      const { usd, units } = prices.get(row[3] ?? '') ?? { usd: Number.NaN, units: 1 };
      return total + (Math.min(cell(row, 1), cell(row, 2)) / units) * usd;
    }, 0);
    expect(PAGE).toContain(`An account that has used them up elsewhere pays up to ${more.toFixed(2)} more`);
  });
});
