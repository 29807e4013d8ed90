import type { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
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
  templateOf,
  textOf,
} from './support.ts';

/** The service with a hundred operations more than it has, in a known account with all options on. */
const grown = deploy({
  contracts: [...OPERATIONS, ...manyContracts(100)],
  env: AWS,
  context: { waf: 'true', tracing: 'true', concurrency: '4000' },
});
const stacks: readonly Stack[] = grown.app.node.children.filter((each): each is Stack => 'templateFile' in each);
const all = (type: string): Piece[] => stacks.flatMap((stack) => resourcesOf(stack, type));

/** CloudFormation's quotas (AWS CloudFormation user guide, "Understand CloudFormation quotas"), with room to react. */
describe.each(stacks.map((stack) => [stack.stackName, stack] as const))('with 100 operations more, %s', (_, stack) => {
  it('has fewer than 450 of the 500 resources of a template', () => {
    expect(resourcesOf(stack).length).toBeLessThan(450);
  });

  it('is smaller than 900 KB of the 1 MB of a template', () => {
    expect(sizeOf(stack)).toBeLessThan(900_000);
  });

  it('has fewer than 200 outputs and 200 parameters', () => {
    const { Outputs = {}, Parameters = {} } = templateOf(stack);
    expect(Object.keys(Outputs).length).toBeLessThan(200);
    expect(Object.keys(Parameters).length).toBeLessThan(200);
  });

  it('has CloudFormation resolve at most 60 secrets', () => {
    expect(JSON.stringify(templateOf(stack)).match(/\{\{resolve:/g)?.length ?? 0).toBeLessThanOrEqual(60);
  });
});

describe('with 100 operations more', () => {
  it('one operation more is one resource more of its stack', () => {
    const resources = (count: number) =>
      resourcesOf(deploy({ contracts: [...OPERATIONS.slice(0, 3), ...manyContracts(count)] }).apps.live).length;
    // Both are of the first area.
    expect(resources(3) - resources(2)).toBe(1);
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
