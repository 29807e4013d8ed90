import { describe, expect, it } from 'vitest';
import { OUTCOME_COUNTER } from '../../infra/constructs/outcome-counter.ts';
import { COMMON, NAMES, STAGES } from '../../infra/stages.ts';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { QUEUE_NAMES, QUEUES } from '../../shared/queues/queues.ts';
import { parseConfig } from '../../shared/wiring/process/config.ts';
import { deploy, type Piece, resourcesOf, templateOf, textOf } from './support.ts';

const { apps } = deploy();
const BACKGROUND_GRANTS = [
  ...Object.values(QUEUES).map(({ consumer }) => `consumers/${consumer}`),
  'schedules/dispatch',
];
const pathOf = ({ id }: OperationContract) => id.replace('.', '/');

/** A function's environment as in Lambda, with placeholders for addresses that depend on the account. */
const environmentOf = (variables: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      name === 'QUEUE_URLS' || name === 'DEAD_LETTER_URLS'
        ? textOf(value).replaceAll(/"(Queue[A-Za-z0-9]+)"/g, '"https://sqs.sa-east-1.amazonaws.com/1/$1"')
        : // The distribution names itself.
          textOf(value).replace(/Messaging-Edge:\w+/, 'd111111abcdef8.cloudfront.net'),
    ]),
  );

describe.each(ENVIRONMENTS)('the functions of stage %s', (environment) => {
  const functions = new Map(
    resourcesOf(apps[environment], 'AWS::Lambda::Function').map((one) => [one.Properties.FunctionName as string, one]),
  );
  const functionOf = (path: string): Piece => functions.get(NAMES.function(environment, path))?.Properties;

  it('are one per operation, one per queue, the authorizer, the dispatcher and the counter of the metrics', () => {
    const expected = [...OPERATIONS.map(pathOf), ...BACKGROUND_GRANTS, 'authorizer', OUTCOME_COUNTER].map((path) =>
      NAMES.function(environment, path),
    );
    expect([...functions.keys()].sort()).toEqual(expected.sort());
  });

  it('run on Node 24 and arm64, and time out before the gateway does', () => {
    for (const contract of OPERATIONS) {
      const made = functionOf(pathOf(contract));
      expect(made).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
      expect(made.MemorySize).toBe(contract.memoryMb ?? COMMON.operation.memoryMb);
      expect(made.Timeout).toBe(contract.timeoutSeconds ?? COMMON.operation.timeoutSeconds);
      expect(made.Timeout, contract.id).toBeLessThan(29);
    }
  });

  it('share one log group per area, with the retention of the stage', () => {
    const groups = new Map(
      resourcesOf(apps[environment], 'AWS::Logs::LogGroup').map(({ id, Properties }) => [id, Properties]),
    );
    const paths = [...OPERATIONS.map(pathOf), ...BACKGROUND_GRANTS, 'authorizer'];
    for (const path of paths)
      expect(groups.get(functionOf(path).LoggingConfig.LogGroup.Ref)?.LogGroupName).toBe(
        `/messaging/${environment}/functions/${path.split('/')[0]}`,
      );
    for (const { RetentionInDays } of groups.values()) expect(RetentionInDays).toBe(STAGES[environment].logRetention);
  });

  it('write to groups of other names than those that each function had of its own, which an upgrade deletes', () => {
    for (const { Properties } of resourcesOf(apps[environment], 'AWS::Logs::LogGroup'))
      expect(textOf(Properties.LogGroupName)).not.toMatch(/^\/aws\/lambda\//);
  });

  it('share one role per area', () => {
    const rolesOf = Map.groupBy(OPERATIONS, ({ id }) => id.split('.')[0]);
    const roles = [...rolesOf].map(([area, contracts]) => {
      const used = new Set(contracts.map((contract) => textOf(functionOf(pathOf(contract)).Role)));
      expect(used.size, area).toBe(1);
      return [...used][0];
    });
    expect(new Set(roles).size).toBe(rolesOf.size);
  });

  it('have an environment that the runtime accepts', () => {
    for (const [name, { Properties }] of functions) {
      const config = parseConfig(environmentOf(Properties.Environment.Variables));
      expect(config, name).toMatchObject({ STAGE: environment });
      // The edge's: its REST API refuses callers.
      expect(config.PUBLIC_URL).toBe('https://d111111abcdef8.cloudfront.net');
      expect(config.EDGE).toBe('secret');
      expect(config.DYNAMODB_ENDPOINT ?? config.SQS_ENDPOINT ?? config.LOCAL_KEY_FILE).toBeUndefined();
      expect(config.LOG_SIGN_IN_LINKS).toBe(false);
    }
  });

  it('have the addresses of the queues that they declared, and no others', () => {
    const configOf = (path: string) => parseConfig(environmentOf(functionOf(path).Environment.Variables));
    const queuesOf = (path: string) => Object.keys(configOf(path).QUEUE_URLS).sort();
    for (const contract of OPERATIONS) {
      const { queues = [], operates = false } = contract.uses;
      expect(queuesOf(pathOf(contract))).toEqual([...(operates ? QUEUE_NAMES : queues)].sort());
      const dead = Object.keys(configOf(pathOf(contract)).DEAD_LETTER_URLS);
      expect(dead.sort(), contract.id).toEqual(operates ? [...QUEUE_NAMES].sort() : []);
    }
    for (const path of BACKGROUND_GRANTS) expect(queuesOf(path)).toEqual([...QUEUE_NAMES].sort());
  });

  it('time out, as consumers, well before the visibility timeout of their queue', () => {
    for (const { consumer, visibilitySeconds } of Object.values(QUEUES)) {
      const timeout = functionOf(`consumers/${consumer}`).Timeout;
      expect(timeout).toBeGreaterThan(0);
      expect(timeout * COMMON.visibilityPerTimeout).toBeLessThanOrEqual(visibilitySeconds);
    }
  });

  it('include a dispatcher that runs every minute and is not retried', () => {
    const dispatcher = functions.get(NAMES.function(environment, 'schedules/dispatch'));
    const rules = resourcesOf(apps[environment], 'AWS::Events::Rule');
    expect(rules.map(({ Properties }) => Properties.ScheduleExpression)).toEqual(['rate(1 minute)']);
    const targets: Piece[] = rules[0]?.Properties.Targets;
    for (const target of targets)
      expect(target).toMatchObject({
        Arn: { 'Fn::GetAtt': [dispatcher?.id, 'Arn'] },
        RetryPolicy: { MaximumRetryAttempts: 0 },
      });
    const of = COMMON.dispatcher.slices;
    expect(targets.map(({ Input }) => JSON.parse(Input))).toEqual(
      Array.from({ length: of }, (_, slice) => ({ slice, of })),
    );
    expect(resourcesOf(apps[environment], 'AWS::Lambda::EventInvokeConfig')[0]?.Properties.MaximumRetryAttempts).toBe(
      0,
    );
    expect(dispatcher?.Properties.Timeout).toBeLessThan(60);
  });

  it('can be found by the operator through the outputs of the stack', () => {
    const outputs = templateOf(apps[environment]).Outputs ?? {};
    const names = ['TableName', 'LiveTableName', 'KmsKeyId', 'QueueUrls', 'QueueDlqUrls', 'PublicUrl'];
    for (const name of names) expect(outputs).toHaveProperty(name);
    for (const name of ['QueueUrls', 'QueueDlqUrls'])
      expect(Object.keys(JSON.parse(textOf((outputs[name] as Piece).Value))).sort()).toEqual([...QUEUE_NAMES].sort());
  });
});

describe('a public address', () => {
  it.each([
    [{ publicUrl: 'https://edge.example/' }, 'https://edge.example'],
    [
      { domainName: 'api.example.com', certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/a' },
      'https://api.example.com',
    ],
  ])('of %o is the base of links', (context, expected) => {
    const made = deploy({ context, contracts: OPERATIONS.slice(0, 1) }).apps;
    for (const environment of ENVIRONMENTS)
      for (const { Properties } of resourcesOf(made[environment], 'AWS::Lambda::Function'))
        expect(Properties.Environment.Variables.PUBLIC_URL).toBe(expected);
  });
});
