import { CfnResource, Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { APP_AREAS, NAMES } from '../../infra/stages.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { CONTRACTS } from '../../shared/runtime/problem.ts';
import {
  AWS,
  deploy,
  gatewayBody,
  manyContracts,
  type Piece,
  resourcesOf,
  sizeOf,
  stacksOf,
  templateOf,
  textOf,
} from './support.ts';

/** How many operations more a stage must have room for: with those of today, 280 and more. */
const MORE = 150;
/** The service with so many more, in areas of their own, in a known account with all options on. */
const grown = deploy({
  contracts: [...OPERATIONS, ...manyContracts(MORE)],
  env: AWS,
  context: { waf: 'true', tracing: 'true', concurrency: '4000' },
});
const stacks = stacksOf(grown.app);
const all = (type: string): Piece[] =>
  stacks.filter(({ nested }) => !nested).flatMap((stack) => resourcesOf(stack, type));

/** CloudFormation's quotas (AWS CloudFormation user guide, "Understand CloudFormation quotas"), with room to react. */
describe(`with ${MORE} operations more, each template`, () => {
  it('has at most 450 of 500 resources', () => {
    for (const stack of stacks)
      expect(Object.keys(templateOf(stack).Resources).length, stack.node.path).toBeLessThanOrEqual(450);
  });

  it('has at most 900 KB of 1 MB', () => {
    for (const stack of stacks) expect(sizeOf(stack), stack.node.path).toBeLessThanOrEqual(900_000);
  });

  it('has fewer than 200 outputs and 200 parameters', () => {
    for (const stack of stacks) {
      const { Outputs = {}, Parameters = {} } = templateOf(stack);
      expect(Object.keys(Outputs).length, stack.node.path).toBeLessThan(200);
      expect(Object.keys(Parameters).length, stack.node.path).toBeLessThan(200);
    }
  });

  it('has CloudFormation resolve at most 60 secrets', () => {
    for (const stack of stacks) {
      const secrets = JSON.stringify(templateOf(stack)).match(/\{\{resolve:/g) ?? [];
      expect(secrets.length, stack.node.path).toBeLessThanOrEqual(60);
    }
  });
});

describe('an area', () => {
  /** Three operations of today, and `count` of an area. */
  const withArea = (area: string, count: number) =>
    deploy({
      contracts: [
        ...OPERATIONS.slice(0, 3),
        ...manyContracts(count).map((contract, index) => ({ ...contract, id: `${area}.verb-${index}` })),
      ],
    }).apps.live;
  const nestedIn = (stack: Stack) => stack.node.children.filter((each): each is Stack => Stack.isStack(each));
  const sizesOf = (stack: Stack) =>
    [stack, ...nestedIn(stack)].map((each) => Object.keys(templateOf(each).Resources).length);

  it('that the App stack does not hold is a nested stack, in which one operation more is one resource more', () => {
    const [none, two, three] = [withArea('fresh', 0), withArea('fresh', 2), withArea('fresh', 3)];
    expect(nestedIn(three).map(({ node }) => node.id)).toEqual(['Area-fresh', 'Area-operator']);
    const [app = 0, counter = 0] = sizesOf(none);
    // The nested stack; in it role, log group and functions.
    expect(sizesOf(two)).toEqual([app + 1, 4, counter]);
    expect(sizesOf(three)).toEqual([app + 1, 5, counter]);
  });

  it('that the App stack holds is not nested, exists, and was there from the start: none moves, for its functions have fixed names', () => {
    expect(APP_AREAS.size).toBe(30);
    expect(nestedIn(withArea('sms', 2)).map(({ node }) => node.id)).toEqual(['Area-operator']);
    const areas = new Set(
      resourcesOf(grown.apps.live, 'AWS::Logs::LogGroup').map(({ Properties }) => textOf(Properties.LogGroupName)),
    );
    for (const area of APP_AREAS) expect(areas).toContain(NAMES.functionLogs('live', area));
  });

  it('is served once its functions exist, nested or not', () => {
    const stack = withArea('fresh', 2);
    const functions = resourcesOf(stack, 'AWS::Lambda::Function').filter(({ id }) => id.startsWith('Functionfresh'));
    expect(functions).toHaveLength(2);
    for (const { DependsOn } of resourcesOf(stack, 'AWS::ApiGateway::Deployment'))
      expect(DependsOn).toEqual(expect.arrayContaining(functions.map(({ id }) => id)));
  });

  it('has the same role, variables and log group in either place', () => {
    const [own, nested] = ['links', 'fresh'].map((area) => {
      const stack = withArea(area, 2);
      const named = new RegExp(`^(?:messaging-live-${area}-.*|.* the operations of ${area}\\.|.*/functions/${area})$`);
      const ofArea = (type: string) =>
        resourcesOf(stack, type).filter(({ Properties: { FunctionName, LogGroupName, Description } }) =>
          named.test(textOf(FunctionName ?? LogGroupName ?? Description)),
        );
      return JSON.parse(
        JSON.stringify(['AWS::Lambda::Function', 'AWS::IAM::Role', 'AWS::Logs::LogGroup'].map(ofArea))
          .replaceAll(new RegExp(`(Logs|Role|Function)${area}[0-9A-Za-z]*`, 'g'), '$1')
          .replaceAll(area, 'area'),
      );
    });
    expect(nested.map((each: Piece[]) => each.length)).toEqual([2, 1, 1]);
    expect(nested).toEqual(own);
  });
});

describe(`with ${MORE} operations more`, () => {
  it('the App stack has room for ten queues, each with its consumer and its alarms', () => {
    const ofQueue = /\/(?:Queue-send|Function-consumers--send|Role-consumer-send|Alarms\/send-[a-z-]+)\//;
    const made = grown.apps.live.node.findAll().filter((each) => CfnResource.isCfnResource(each));
    const queue = made.filter(({ node }) => ofQueue.test(node.path)).length;
    expect(queue).toBeGreaterThanOrEqual(9);
    expect(Object.keys(templateOf(grown.apps.live).Resources).length + 10 * queue).toBeLessThanOrEqual(450);
  });

  /** "IAM and AWS STS quotas": 10,240 characters of inline policies a role, white space not counted; 1,000 roles an account. */
  it('the inline policies of a role have fewer than 10,240 characters, and an account has fewer than 300 roles of ours', () => {
    const roles = all('AWS::IAM::Role');
    for (const { id, Properties } of roles)
      expect(JSON.stringify(Properties.Policies ?? []).length, id).toBeLessThan(10_240);
    expect(roles.length).toBeLessThan(300);
  });

  it('also a role of an area with 40 operations stays below them', () => {
    const crm = manyContracts(40).map((contract) => ({ ...contract, id: `crm.${contract.id.replace('.', '-')}` }));
    for (const { id, Properties } of resourcesOf(deploy({ contracts: crm, env: AWS }).apps.test, 'AWS::IAM::Role'))
      expect(JSON.stringify(Properties.Policies ?? []).length, id).toBeLessThan(10_240);
  });

  /** "IAM and AWS STS quotas": 6,144 characters a managed policy, and 10 of them a role. */
  it('the gateway’s permissions to call are managed policies of at most 6,144 characters, at most 10 a role', () => {
    const policies = all('AWS::IAM::ManagedPolicy');
    for (const { id, Properties } of policies)
      expect(textOfAll(Properties.PolicyDocument).length, id).toBeLessThan(6_144);
    const held = Map.groupBy(policies, ({ Properties }) => JSON.stringify(Properties.Roles));
    for (const [role, each] of held) expect(each.length / ENVIRONMENTS.length, role).toBeLessThanOrEqual(10);
  });

  /** "Quotas for configuring and running a REST API": 300 resources an API, 6 MB an import, 100 stage variables. */
  it.each(CONTRACTS)('the %s API is imported, with fewer than 300 resources', (contract) => {
    const body = gatewayBody(grown.apis.live, contract);
    const steps = new Set(
      Object.keys(body.paths).flatMap((path) =>
        path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/')),
      ),
    );
    expect(steps.size).toBeLessThan(300);
    expect(JSON.stringify(body).length).toBeLessThan(6_000_000);
  });

  /** "Lambda quotas": 4 KB of environment variables a function. */
  it('the environment of a function is smaller than 4 KB', () => {
    for (const { id, Properties } of all('AWS::Lambda::Function'))
      expect(textOfAll(Properties.Environment?.Variables ?? {}).length, id).toBeLessThan(4_096);
  });

  /** "CloudWatch quotas": 5,000 alarms a region, 500 widgets a dashboard. "EventBridge quotas": 100 rules in the smallest regions. */
  it('alarms, widgets and rules stay far below their quotas', () => {
    expect(all('AWS::CloudWatch::Alarm').length).toBeLessThan(500);
    expect(all('AWS::Events::Rule').length).toBeLessThan(50);
    for (const { Properties } of all('AWS::CloudWatch::Dashboard'))
      expect(JSON.parse(textOf(Properties.DashboardBody)).widgets.length).toBeLessThan(500);
  });
});

/** The length that a value has at AWS: its tokens as text. */
const textOfAll = (value: Piece): string =>
  JSON.stringify(value, (_, each: Piece) =>
    each !== null &&
    typeof each === 'object' &&
    ('Fn::Join' in each || 'Ref' in each || 'Fn::ImportValue' in each || 'Fn::GetAtt' in each)
      ? textOf(each)
      : each,
  );
