import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMON, CONCURRENCY, type ConcurrencyArea, NAMES, STAGES } from '../../infra/stages.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import { QUEUES } from '../../shared/queues/queues.ts';
import { deploy, resourcesOf } from './support.ts';

type Deployed = ReturnType<typeof deploy>;
const reservedOf = ({ apps }: Deployed, environment: Environment): Map<string, number> =>
  new Map(
    resourcesOf(apps[environment], 'AWS::Lambda::Function').flatMap(({ Properties }) =>
      Properties.ReservedConcurrentExecutions === undefined
        ? []
        : [[Properties.FunctionName as string, Properties.ReservedConcurrentExecutions as number]],
    ),
  );
const batchesOf = ({ apps }: Deployed, environment: Environment) =>
  resourcesOf(apps[environment], 'AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) =>
    // A consumer of the table's stream has no limit: it runs once per shard.
    Properties.ScalingConfig ? [Properties.ScalingConfig.MaximumConcurrency as number] : [],
  );

const LIMIT = 1_000;
const usual = deploy();
const kept = deploy({ context: { concurrency: String(LIMIT) } });

const totalOf = (parts: Iterable<number>): number => [...parts].reduce((sum, part) => sum + part, 0);
/** The functions with reserved executions, by area, as derived from the contracts and queues. */
const AREAS: Readonly<Record<ConcurrencyArea, readonly string[]>> = {
  authorizer: ['authorizer'],
  callbacks: ['callbacks.receive'],
  sending: OPERATIONS.filter(({ rate }) => rate).map(({ id }) => id),
  platforms: OPERATIONS.filter(
    ({ rate, uses, timeoutSeconds }) =>
      !rate && uses.rootKeys?.includes('providers') && (timeoutSeconds !== undefined || uses.awsProviders),
  ).map(({ id }) => id),
  consumers: Object.values(QUEUES).map(({ consumer }) => `consumers/${consumer}`),
  dispatcher: ['schedules/dispatch'],
};
/** The operations that executions are kept for, which is quicker to deploy than all. */
const contracts = OPERATIONS.filter(({ id }) =>
  [...AREAS.callbacks, ...AREAS.sending, ...AREAS.platforms].includes(id),
);
const areaOf = (deployed: Deployed, environment: Environment, area: ConcurrencyArea): number[] =>
  AREAS[area].map((path) => reservedOf(deployed, environment).get(NAMES.function(environment, path)) ?? 0);
const mappingOf = ({ apps }: Deployed, environment: Environment, consumer: string): number => {
  const functions = new Map(
    resourcesOf(apps[environment], 'AWS::Lambda::Function').map(({ id, Properties }) => [id, Properties.FunctionName]),
  );
  const mapping = resourcesOf(apps[environment], 'AWS::Lambda::EventSourceMapping').find(
    ({ Properties }) =>
      functions.get(Properties.FunctionName.Ref) === NAMES.function(environment, `consumers/${consumer}`),
  );
  return mapping?.Properties.ScalingConfig.MaximumConcurrency;
};

describe('the concurrency of the stages', () => {
  it('is not reserved by default, since a new account has ten executions and none to reserve', () => {
    for (const environment of ENVIRONMENTS) expect(reservedOf(usual, environment).size).toBe(0);
  });

  it.each(ENVIRONMENTS)('is reserved in %s for each area, and for no function outside of them', (environment) => {
    const paths = Object.values(AREAS).flat();
    expect(new Set(paths).size).toBe(paths.length);
    expect([...reservedOf(kept, environment).keys()].sort()).toEqual(
      paths.map((path) => NAMES.function(environment, path)).sort(),
    );
  });

  it('leaves what AWS demands unreserved, and most of the rest to live', () => {
    const [live, test] = [totalOf(reservedOf(kept, 'live').values()), totalOf(reservedOf(kept, 'test').values())];
    expect(live + test).toBeLessThanOrEqual(LIMIT - CONCURRENCY.unreserved);
    expect(live).toBeGreaterThan(LIMIT / 2);
    expect(test).toBeLessThan(live / 4);
  });

  it('used up by sends while a provider hangs leaves authorizer, callbacks, consumers and all other operations theirs', () => {
    const sending = areaOf(kept, 'live', 'sending');
    // Each channel has its own operation, and a part of its own: a provider that hangs takes the part of its channel.
    for (const part of sending) expect(part).toBeLessThanOrEqual(Math.ceil(totalOf(sending) / sending.length));
    expect(totalOf(sending)).toBeLessThan(LIMIT / 2);
    // 2,000 calls a second, with an authorizer of 20 ms and receipts of 30 ms.
    expect(totalOf(areaOf(kept, 'live', 'authorizer'))).toBeGreaterThanOrEqual(40);
    expect(totalOf(areaOf(kept, 'live', 'callbacks'))).toBeGreaterThanOrEqual(60);
    expect(totalOf(areaOf(kept, 'live', 'platforms'))).toBeLessThan(LIMIT / 10);
  });

  it('is a part of a hundred for each area, and sums to a hundred', () => {
    expect(totalOf(Object.values(CONCURRENCY.areas))).toBe(100);
    expect(totalOf(ENVIRONMENTS.map((environment) => STAGES[environment].concurrencyPercent))).toBeLessThan(90);
  });

  it.each(['1000', '3000'])(
    'of a consumer equals the batches of its queue, of %s: less would throttle and dead-letter',
    (concurrency) => {
      const deployed = deploy({ contracts, context: { concurrency } });
      for (const environment of ENVIRONMENTS)
        for (const { consumer, concurrencyFactor } of Object.values(QUEUES)) {
          const started = mappingOf(deployed, environment, consumer);
          expect(reservedOf(deployed, environment).get(NAMES.function(environment, `consumers/${consumer}`))).toBe(
            started,
          );
          expect(started).toBeLessThanOrEqual(STAGES[environment].consumerConcurrency * concurrencyFactor);
          expect(started).toBeGreaterThanOrEqual(2);
        }
    },
  );

  it('matches docs/operating.md for each area', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| [^|]+ \| ([\d× and]+) \|/gm)];
    // "60 and 7 × 20"
    const sumOf = (text = '') =>
      totalOf(
        text.split(' and ').map((part) => part.split(' × ').reduce((product, each) => product * Number(each), 1)),
      );
    const stated = rows.map(([, area = '', percent, parts]) => [area, Number(percent), sumOf(parts)]);
    const areas = Object.entries(CONCURRENCY.areas) as [ConcurrencyArea, number][];
    expect(stated).toEqual(areas.map(([area, percent]) => [area, percent, totalOf(areaOf(kept, 'live', area))]));
  });

  it('is enough for the dispatchers of a minute', () => {
    for (const environment of ENVIRONMENTS)
      expect(areaOf(kept, environment, 'dispatcher')).toEqual([COMMON.dispatcher.slices]);
  });

  it('is refused with the minimum, which then deploys', () => {
    const refused = () => deploy({ contracts, context: { concurrency: '200' } });
    expect(refused).toThrow(/concurrency=200 is too little .* give at least \d+/);
    let least = '';
    try {
      refused();
    } catch (error) {
      least = /at least (\d+)/.exec(String(error))?.[1] ?? '';
    }
    const parts = ENVIRONMENTS.flatMap((environment) => [
      ...reservedOf(deploy({ contracts, context: { concurrency: least } }), environment).values(),
    ]);
    expect(Math.min(...parts)).toBeGreaterThanOrEqual(2);
    expect(totalOf(parts)).toBeLessThanOrEqual(Number(least) - CONCURRENCY.unreserved);
  });

  it.each(['live=600', '-1', '1.5'])('is refused with an explanation when it is %s', (concurrency) => {
    expect(() => deploy({ context: { concurrency } })).toThrow(/concurrency=1000/);
  });

  it("of the test queues leaves those of live theirs, and no queue uses another's", () => {
    for (const environment of ENVIRONMENTS) {
      const { consumerConcurrency } = STAGES[environment];
      const batches = Object.values(QUEUES).map(({ concurrencyFactor }) => consumerConcurrency * concurrencyFactor);
      expect(batchesOf(usual, environment).toSorted()).toEqual(batches.toSorted());
    }
    expect(STAGES.test.consumerConcurrency).toBeLessThan(STAGES.live.consumerConcurrency);
    // A function of its own and a limit of its own each: endpoints that hang hold at most the consumers of webhooks.
    expect(new Set(Object.values(QUEUES).map(({ consumer }) => consumer)).size).toBe(Object.keys(QUEUES).length);
    expect(STAGES.test.gatewayRate).toBeLessThan(STAGES.live.gatewayRate);
  });
});

describe('tracing', () => {
  it('is off by default', () => {
    for (const { Properties } of resourcesOf(usual.apps.live, 'AWS::Lambda::Function'))
      expect(Properties.TracingConfig).toBeUndefined();
    for (const { Properties } of resourcesOf(usual.apps.live, 'AWS::ApiGateway::Stage'))
      expect(Properties.TracingEnabled ?? false).toBe(false);
  });

  it('covers gateway and functions, and gives their roles no more than to write traces', () => {
    const { apps } = deploy({ contracts, context: { tracing: 'true' } });
    for (const { Properties } of resourcesOf(apps.live, 'AWS::Lambda::Function'))
      expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
    for (const { Properties } of resourcesOf(apps.live, 'AWS::ApiGateway::Stage'))
      expect(Properties.TracingEnabled).toBe(true);
    expect(resourcesOf(apps.live, 'AWS::IAM::Policy')).toEqual([]);
  });
});
