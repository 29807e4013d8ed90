import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Environment as AwsEnvironment, NestedStack, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks } from 'cdk-nag';
import { createDeployment } from '../../infra/app.ts';
import { NONCE_PLACEHOLDER } from '../../infra/console/page.ts';
import type { StageSettings } from '../../infra/stages.ts';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { ContractName } from '../../shared/runtime/problem.ts';
import { partitionsOfRun } from '../support/once-a-run.ts';

/** A part of a template, whose shape depends on the resource type. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Piece = any;

export interface Resource {
  readonly Type: string;
  readonly Properties: Piece;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
}

export interface DeployOptions {
  readonly contracts?: readonly OperationContract[];
  readonly context?: Readonly<Record<string, string>>;
  readonly env?: AwsEnvironment;
  readonly stages?: Readonly<Record<Environment, StageSettings>>;
}

export const AWS = { account: '111122223333', region: 'sa-east-1' };

const partitions = new Map(await partitionsOfRun());
/** A function that does not exist is granted what the one that reaches most is. */
const partitionsOf = (path: string): readonly string[] =>
  partitions.get(path) ?? partitions.get('consumers/send') ?? [];

/** Each construct would keep where it was made: under the test runner, such a trace is long and mapped to its sources. */
const UNTRACED = { 'aws:cdk:disable-creation-stack-traces': true, 'aws:cdk:disable-logicalId-metadata': true };
/** Assets stay where they are, as with `--no-staging`: one of the library's own, of megabytes, would be copied for each deployment. */
const UNSTAGED = { 'aws:cdk:disable-asset-staging': true };

/** The deployment without a build: all functions share a placeholder folder. */
export const synthesize = ({ contracts = OPERATIONS, context = {}, env, stages }: DeployOptions) => {
  // In the run's own folder, and removed with it.
  const folder = mkdtempSync(join(tmpdir(), 'messaging-infra-'));
  const code = join(folder, 'function');
  mkdirSync(code);
  writeFileSync(join(code, 'index.mjs'), 'export const handler = () => undefined;\n');
  writeFileSync(join(code, 'Dockerfile'), 'FROM scratch\n');
  const site = join(folder, 'console');
  mkdirSync(join(site, 'assets'), { recursive: true });
  for (const name of ['index.html', 'manifest.json', 'scheme.js', 'assets/index-a1.js'])
    writeFileSync(join(site, name), `<script nonce="${NONCE_PLACEHOLDER}">`);
  // Parts that no test reads, and half of the time: the validation that only warns here (`npm run synth`, which a test runs, has it), the
  // construct tree as a file, and the stack traces of constructs.
  const unread = { builtinCloudFormationValidation: false, treeMetadata: false, stackTraces: false };
  const app = new App({ outdir: join(folder, 'out'), context: { ...context, ...UNTRACED, ...UNSTAGED }, ...unread });
  const deployment = createDeployment(app, {
    contracts,
    partitions: partitionsOf,
    code: () => Code.fromAsset(code),
    serviceFolder: code,
    smppFolder: code,
    consoleFolder: site,
    smppFunctions: [...partitions.keys()].filter((path) => path.startsWith('smpp-service/')),
    ...(env ? { env } : {}),
    ...(stages ? { stages } : {}),
  });
  // Synthesized here, so that the time is not charged to the first test of a file.
  app.synth();
  return { app, ...deployment };
};

const numbers = new WeakMap<OperationContract, number>();
let lastNumber = 0;
/** Distinguishes contracts: those of one id may differ. */
const numberOf = (contract: OperationContract): number => {
  const number = numbers.get(contract) ?? ++lastNumber;
  numbers.set(contract, number);
  return number;
};
const deployments = new Map<string, ReturnType<typeof synthesize>>();
/** The deployment as `synthesize` makes it, once for all tests of a process that ask for the same. */
export const deploy = (options: DeployOptions = {}): ReturnType<typeof synthesize> => {
  const { contracts = OPERATIONS, ...others } = options;
  const key = JSON.stringify([others, contracts.map(numberOf)]);
  const made = deployments.get(key) ?? synthesize(options);
  deployments.set(key, made);
  return made;
};

/** The violations of the AWS Solutions rules that are not acknowledged. */
export const findingsOf = (app: App): string[] =>
  new AwsSolutionsChecks(app, { verbose: true })
    .validateScope(app)
    .violations.map(
      ({ ruleName, violatingResources }) =>
        `${ruleName}: ${violatingResources.map(({ constructPath }) => constructPath).join(', ')}`,
    );

interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, unknown>>;
  readonly Parameters?: Readonly<Record<string, unknown>>;
}

const templates = new WeakMap<Stack, StackTemplate>();
export const templateOf = (stack: Stack): StackTemplate => {
  const template = templates.get(stack) ?? (Template.fromStack(stack).toJSON() as StackTemplate);
  templates.set(stack, template);
  return template;
};

/** The size of a template, as it is uploaded. */
export const sizeOf = (stack: Stack): number => JSON.stringify(templateOf(stack)).length;

/** All stacks of a deployment, nested ones included. */
export const stacksOf = (app: App): Stack[] => app.node.findAll().filter((each): each is Stack => Stack.isStack(each));

/** A part of a nested stack's template, with what its parent gives for each parameter. */
const withParameters = (part: Piece, given: Readonly<Record<string, Piece>>): Piece => {
  if (Array.isArray(part)) return part.map((each) => withParameters(each, given));
  if (typeof part !== 'object' || part === null) return part;
  if (typeof part.Ref === 'string' && Object.hasOwn(given, part.Ref)) return given[part.Ref];
  return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, withParameters(each, given)]));
};

type Resources = Readonly<Record<string, Resource>>;
const resources = new WeakMap<Stack, Resources>();
/** The resources of a stack and of those nested in it, as if they were one. */
const allResources = (stack: Stack): Resources => {
  const known = resources.get(stack);
  if (known) return known;
  const own = templateOf(stack).Resources;
  const inside = new Map<string, Resources>();
  const nested = stack.node.findAll().filter((each) => NestedStack.isNestedStack(each)) as NestedStack[];
  for (const each of nested.filter(({ nestedStackParent }) => nestedStackParent === stack)) {
    const id = stack.resolve(each.nestedStackResource?.logicalId) as string;
    inside.set(id, withParameters(allResources(each), own[id]?.Properties.Parameters ?? {}));
  }
  const all = [...Object.entries(own), ...[...inside.values()].flatMap((each) => Object.entries(each))]
    .filter(([id]) => !inside.has(id))
    .map(([id, { DependsOn = [], ...resource }]) => {
      const needs = DependsOn.flatMap((each) => Object.keys(inside.get(each) ?? { [each]: each }));
      return [id, { ...resource, ...(needs.length > 0 ? { DependsOn: needs } : {}) }];
    });
  const made = Object.fromEntries(all) as Resources;
  resources.set(stack, made);
  return made;
};

/** The resources of a stack and of those nested in it, or those of one type, with their logical ids. */
export const resourcesOf = (stack: Stack, type?: string): (Resource & { readonly id: string })[] =>
  Object.entries(allResources(stack))
    .filter(([, resource]) => type === undefined || resource.Type === type)
    .map(([id, resource]) => ({ id, ...resource }));

/** The text that CloudFormation would make of a template value, with placeholders for what depends on the account. */
export const textOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Fn::Join' in value) {
    const [separator, parts] = value['Fn::Join'] as [string, unknown[]];
    return parts.map(textOf).join(separator);
  }
  if ('Fn::GetAtt' in value) return (value['Fn::GetAtt'] as string[]).join('.');
  if ('Fn::ImportValue' in value) return textOf(value['Fn::ImportValue']);
  if ('Ref' in value) return (PSEUDO as Record<string, string>)[value.Ref as string] ?? String(value.Ref);
  throw new Error(`No text for ${JSON.stringify(value)}`);
};

const PSEUDO = {
  'AWS::Partition': 'aws',
  'AWS::Region': AWS.region,
  'AWS::AccountId': AWS.account,
  'AWS::URLSuffix': 'amazonaws.com',
} as const;

/** The REST API of a contract in a stage. */
export const apiOf = (stack: Stack, contract: ContractName): Piece =>
  resourcesOf(stack, 'AWS::ApiGateway::RestApi')
    .map(({ Properties }) => Properties)
    .find(({ Name }) => Name.endsWith('-v1') === (contract === 'v1'));
/** The configuration of the distribution. */
export const distributionOf = (edge: Stack): Piece =>
  resourcesOf(edge, 'AWS::CloudFront::Distribution')[0]?.Properties.DistributionConfig;

/** The OpenAPI document of the REST API of a contract. */
export const gatewayBody = (stack: Stack, contract: ContractName): Piece => apiOf(stack, contract).Body;

export interface Statement {
  /** The logical id of its role or policy. */
  readonly owner: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: string[];
  readonly resources: string[];
  readonly conditions?: Piece;
}
const statements = new WeakMap<Stack, readonly Statement[]>();
/** Every statement of the identity policies of a stack. */
export const statementsOf = (stack: Stack): readonly Statement[] => {
  const known = statements.get(stack) ?? policiesOf(stack);
  statements.set(stack, known);
  return known;
};
const policiesOf = (stack: Stack): Statement[] =>
  resourcesOf(stack).flatMap(({ id, Type, Properties }) => {
    const documents =
      Type === 'AWS::IAM::Role'
        ? (Properties.Policies ?? [])
        : /^AWS::IAM::(?:Managed)?Policy$/.test(Type)
          ? [Properties]
          : [];
    return documents.flatMap(({ PolicyDocument }: Piece) =>
      PolicyDocument.Statement.map((one: Piece) => ({
        owner: id,
        effect: one.Effect,
        actions: [one.Action].flat(),
        resources: [one.Resource].flat().map(textOf),
        ...(one.Condition ? { conditions: one.Condition } : {}),
      })),
    );
  });

const ROUTES = [
  ['GET', 'things'],
  ['POST', 'things'],
  ['GET', 'things/{id}'],
  ['PATCH', 'things/{id}'],
  ['DELETE', 'things/{id}'],
] as const;

/** As many operations as the service may grow to, five an area, in the shape of real ones and without an alarm of their own. */
export const manyContracts = (count: number): OperationContract[] =>
  Array.from({ length: count }, (_, index) => {
    const model = OPERATIONS[index % OPERATIONS.length];
    if (!model) throw new Error('There are no operations to copy.');
    const area = `area${Math.floor(index / ROUTES.length)}`;
    const [method, route] = ROUTES[index % ROUTES.length] ?? ROUTES[0];
    const { rate: _rate, ...shape } = model;
    return {
      ...shape,
      method,
      id: `${area}.a-rather-long-verb-${index}`,
      path: `/v2/${area}/${route}`,
      uses: {
        table: 'write',
        queues: ['outcome', 'events'],
        rootKeys: ['content', 'providers', 'recipients'],
        liveVolume: true,
      },
    };
  });
