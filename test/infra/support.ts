import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Environment as AwsEnvironment, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { afterAll } from 'vitest';
import { createDeployment } from '../../infra/app.ts';
import type { StageSettings } from '../../infra/stages.ts';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { ContractName } from '../../shared/runtime/problem.ts';

/** A piece of a template, which has as many shapes as there are resource types; the tests probe it. */
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

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The deployment without a build: every function has the same fabricated folder. */
export const deploy = ({ contracts = OPERATIONS, context = {}, env, stages }: DeployOptions = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-infra-'));
  folders.push(folder);
  mkdirSync(join(folder, 'function'));
  writeFileSync(join(folder, 'function/index.mjs'), 'export const handler = () => undefined;\n');
  const app = new App({ outdir: join(folder, 'out'), context: { ...context } });
  const deployment = createDeployment(app, {
    contracts,
    code: () => Code.fromAsset(join(folder, 'function')),
    ...(env ? { env } : {}),
    ...(stages ? { stages } : {}),
  });
  // At once: a test file then pays for it while it loads, and none of its tests by being the first.
  app.synth();
  return { app, ...deployment };
};

interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

const templates = new WeakMap<Stack, StackTemplate>();
export const templateOf = (stack: Stack): StackTemplate => {
  const template = templates.get(stack) ?? (Template.fromStack(stack).toJSON() as StackTemplate);
  templates.set(stack, template);
  return template;
};

/** A stack's resources, or those of one type, with their logical ids. */
export const resourcesOf = (stack: Stack, type?: string): (Resource & { readonly id: string })[] =>
  Object.entries(templateOf(stack).Resources)
    .filter(([, resource]) => type === undefined || resource.Type === type)
    .map(([id, resource]) => ({ id, ...resource }));

/** A template value as the text that CloudFormation would make of it, with stand-ins for what only an account knows. */
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
    .find(({ Name }) => Name.endsWith('-v1') === (contract === 'overview'));
/** The OpenAPI document that it is made from. */
export const gatewayBody = (stack: Stack, contract: ContractName): Piece => apiOf(stack, contract).Body;

/** Every statement of the identity policies of a stack, with the path of its role or policy. */
export const statementsOf = (
  stack: Stack,
): { owner: string; actions: string[]; resources: string[]; conditions?: Piece }[] =>
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
        actions: [one.Action].flat(),
        resources: [one.Resource].flat().map(textOf),
        ...(one.Condition ? { conditions: one.Condition } : {}),
      })),
    );
  });

/** As many operations as the service may grow to, in the shape of real ones; none of them is measured by itself. */
export const manyContracts = (count: number): OperationContract[] =>
  Array.from({ length: count }, (_, index) => {
    const model = OPERATIONS[index % OPERATIONS.length];
    if (!model) throw new Error('There are no operations to copy.');
    const area = `area${index % 20}`;
    const { rate: _rate, ...shape } = model;
    return {
      ...shape,
      id: `${area}.a-rather-long-verb-${index}`,
      path: `/v2/${area}/things/{id}/verb-${index}`,
      uses: { table: 'write', queues: ['outcome', 'events'], vault: true, liveVolume: true },
    };
  });
