import { describe, expect, it } from 'vitest';
import { NAMES, STAGES } from '../../infra/stages.ts';
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
  resourcesOf(apps[environment], 'AWS::Lambda::EventSourceMapping').map(
    ({ Properties }) => Properties.ScalingConfig.MaximumConcurrency as number,
  );

const usual = deploy();
const kept = deploy({ context: { reservedConcurrency: 'live=600' } });

describe('the concurrency of the stages', () => {
  it('is not reserved by default, since a new account has ten executions and none to reserve', () => {
    for (const environment of ENVIRONMENTS) expect(reservedOf(usual, environment).size).toBe(0);
  });

  it('is kept for the authorizer, the sends, the callbacks and the consumers of the stage that the operator names', () => {
    const reserved = reservedOf(kept, 'live');
    const paths = [
      'authorizer',
      ...OPERATIONS.filter(({ rate }) => rate).map(({ id }) => id),
      'callbacks.receive',
      ...Object.values(QUEUES).map(({ consumer }) => `consumers/${consumer}`),
    ];
    expect([...reserved.keys()].sort()).toEqual(paths.map((path) => NAMES.function('live', path)).sort());
    const total = [...reserved.values()].reduce((sum, each) => sum + each, 0);
    expect(total).toBeLessThanOrEqual(600);
    expect(total).toBeGreaterThan(560);
    expect(reservedOf(kept, 'test').size).toBe(0);
  });

  it('of a consumer is not below what its queue may start, which would throttle and dead-letter', () => {
    const few = deploy({ context: { reservedConcurrency: 'live=100,test=80' } });
    for (const environment of ENVIRONMENTS)
      for (const { consumer } of Object.values(QUEUES)) {
        const reserved = reservedOf(few, environment).get(NAMES.function(environment, `consumers/${consumer}`)) ?? 0;
        const [mapping] = resourcesOf(few.apps[environment], 'AWS::Lambda::EventSourceMapping').filter(
          ({ Properties }) =>
            resourcesOf(few.apps[environment]).find(({ id }) => id === Properties.FunctionName.Ref)?.Properties
              .FunctionName === NAMES.function(environment, `consumers/${consumer}`),
        );
        expect(mapping?.Properties.ScalingConfig.MaximumConcurrency).toBeLessThanOrEqual(reserved);
      }
  });

  it.each([
    ['live=20', /too little/],
    ['600', /reads like/],
    ['prod=600', /reads like/],
  ])('is refused with an explanation when it is %s', (reservedConcurrency, message) => {
    expect(() => deploy({ context: { reservedConcurrency } })).toThrow(message);
  });

  it('that the queues of test take leaves those of live theirs, and no queue takes another’s', () => {
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
    const { apps } = deploy({ context: { tracing: 'true' } });
    for (const { Properties } of resourcesOf(apps.live, 'AWS::Lambda::Function'))
      expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
    for (const { Properties } of resourcesOf(apps.live, 'AWS::ApiGateway::Stage'))
      expect(Properties.TracingEnabled).toBe(true);
    expect(resourcesOf(apps.live, 'AWS::IAM::Policy')).toEqual([]);
  });
});
