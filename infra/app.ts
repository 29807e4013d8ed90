import { join } from 'node:path';
import { App, type Environment as AwsEnvironment } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../shared/contracts/index.ts';
import { MAX_ARCHIVE_DAYS, MIN_ARCHIVE_DAYS } from '../shared/domain/archive/days.ts';
import type { Environment } from '../shared/domain/core/actor.ts';
import { ApiStack } from './api-stack.ts';
import { AppStack } from './app-stack.ts';
import { buildConsole } from './build/console.ts';
import { packFunctions } from './build/pack.ts';
import { buildService, type ContainerName } from './build/service.ts';
import { tablePartitions } from './build/table-partitions.ts';
import type { ArchiveSetting } from './constructs/archive-bucket.ts';
import { FirewallStack } from './constructs/edge-firewall.ts';
import type { CodeSource } from './constructs/operation-function.ts';
import { reserveConcurrency } from './constructs/reserved-concurrency.ts';
import { DataStack } from './data-stack.ts';
import { type CustomDomain, EdgeStack } from './edge-stack.ts';
import { GatewayServiceStack } from './gateway-service-stack.ts';
import { SmppServiceStack } from './smpp-service-stack.ts';
import { NAMES, STAGES, type StageSettings } from './stages.ts';

export interface DeploymentProps {
  readonly contracts: readonly OperationContract[];
  readonly code: CodeSource;
  /** The partitions of the table that each function may write, by its path under `functions/` (`tablePartitions`). */
  readonly partitions: (path: string) => readonly string[];
  /** Account and region; without them the templates are environment-agnostic. */
  readonly env?: AwsEnvironment;
  readonly stages?: Readonly<Record<Environment, StageSettings>>;
  /** Docker build context of the gateway service, written by `infra/build/service.ts`; required with `-c gatewayService=true`. */
  readonly serviceFolder?: string;
  /** As `serviceFolder`, of the SMPP service; required with `-c smppService=true`. */
  readonly smppFolder?: string;
  /** The built console (`buildConsole`). */
  readonly consoleFolder: string;
  /** The functions of the SMPP service, by their paths under `functions/`. */
  readonly smppFunctions?: readonly string[];
}

export interface Deployment {
  readonly data: Readonly<Record<Environment, DataStack>>;
  readonly apis: Readonly<Record<Environment, ApiStack>>;
  readonly apps: Readonly<Record<Environment, AppStack>>;
  readonly edge: EdgeStack;
  readonly firewall?: FirewallStack;
  readonly services?: Readonly<Record<Environment, GatewayServiceStack>>;
  readonly smpp?: Readonly<Record<Environment, SmppServiceStack>>;
}

const CLOUDFRONT_REGION = 'us-east-1';

/** A CDK context value (`cdk.context.json` or `-c name=value`); undefined when unset or empty. */
const setting = (app: App, name: string): string | undefined => {
  const value: unknown = app.node.tryGetContext(name);
  return value === undefined || value === '' ? undefined : String(value);
};

const customDomain = (app: App): CustomDomain | undefined => {
  const name = setting(app, 'domainName');
  if (!name) return undefined;
  const certificateArn = setting(app, 'certificateArn') ?? '';
  if (!/^arn:aws[a-z-]*:acm:us-east-1:/.test(certificateArn))
    throw new Error(
      'A domainName needs a certificateArn of us-east-1: CloudFront takes certificates from no other region.',
    );
  const [id, zoneName] = [setting(app, 'hostedZoneId'), setting(app, 'hostedZoneName')];
  if (Boolean(id) !== Boolean(zoneName)) throw new Error('hostedZoneId and hostedZoneName belong together.');
  return { name, certificateArn, ...(id && zoneName ? { zone: { id, name: zoneName } } : {}) };
};

const createFirewall = (app: App, env: AwsEnvironment | undefined): FirewallStack | undefined => {
  if (setting(app, 'waf') !== 'true') return undefined;
  if (!env?.account || !env.region)
    throw new Error(
      'waf=true needs a known account and region: run it with AWS credentials, or set CDK_DEFAULT_ACCOUNT and CDK_DEFAULT_REGION.',
    );
  const elsewhere = env.region !== CLOUDFRONT_REGION;
  return new FirewallStack(app, NAMES.firewallStack, {
    env: { account: env.account, region: CLOUDFRONT_REGION },
    description: 'Messaging: the firewall of the edge.',
    crossRegionReferences: elsewhere,
  });
};

type Data = Deployment['data'];

/** Of the edge's secret: one more rotates it (docs/operating.md). */
const originGeneration = (app: App): number => {
  const generation = Number(setting(app, 'originSecretGeneration') ?? 1);
  if (!Number.isSafeInteger(generation) || generation < 1)
    throw new Error("originSecretGeneration counts the rotations of the edge's secret: a whole number from 1.");
  return generation;
};

/** The value of `-c name=live=…,test=…` for each stage; absent for an unnamed stage. */
const byStage = (app: App, name: string, value: RegExp, example: string): Partial<Record<Environment, string>> => {
  const parts = setting(app, name)?.split(',') ?? [];
  return Object.fromEntries(
    parts.map((part) => {
      const [, environment, given = ''] = /^(live|test)=(.+)$/.exec(part.trim()) ?? [];
      if (!environment || !value.test(given)) throw new Error(`${name} reads like ${example}.`);
      return [environment, given];
    }),
  );
};

/** After how many days rows of a stage leave for the archive; `paused` keeps the archive, and lets no more rows leave than those that were to. */
const archiveOf = (given: string | undefined): ArchiveSetting | undefined => {
  if (given === undefined) return undefined;
  if (given === 'paused') return {};
  const afterDays = Number(given);
  if (afterDays < MIN_ARCHIVE_DAYS || afterDays > MAX_ARCHIVE_DAYS)
    throw new Error(`archiveAfterDays is ${MIN_ARCHIVE_DAYS} to ${MAX_ARCHIVE_DAYS} days, or paused.`);
  return { afterDays };
};

const createData = (app: App, { env, stages = STAGES }: DeploymentProps, named: string | undefined): Data => {
  const restored = byStage(app, 'restoredTable', /^[\w.-]{3,255}$/, 'live=messaging-live-20261123');
  const archived = byStage(app, 'archiveAfterDays', /^(?:\d{1,5}|paused)$/, 'live=365,test=90');
  const dataOf = (environment: Environment) =>
    new DataStack(app, NAMES.dataStack(environment), {
      ...(env ? { env } : {}),
      environment,
      settings: stages[environment],
      generation: originGeneration(app),
      restoredTable: restored[environment],
      archive: archiveOf(archived[environment]),
      consoleOrigin: named && new URL(named).origin,
      description: `Messaging, ${environment}: the table and its key.`,
    });
  return { live: dataOf('live'), test: dataOf('test') };
};

/** The operator's public address, without a trailing slash; undefined: the edge's own. */
const publicAddress = (app: App, domain: CustomDomain | undefined): string | undefined =>
  (setting(app, 'publicUrl') ?? (domain ? `https://${domain.name}` : undefined))?.replace(/\/+$/, '');

const createApis = (app: App, { contracts, env, stages = STAGES }: DeploymentProps): Deployment['apis'] => {
  const apiOf = (environment: Environment) =>
    new ApiStack(app, NAMES.apiStack(environment), {
      ...(env ? { env } : {}),
      environment,
      settings: stages[environment],
      contracts,
      description: `Messaging, ${environment}: the routes.`,
    });
  return { live: apiOf('live'), test: apiOf('test') };
};

/** The part of the account's Lambda concurrency that is available to the service. */
const concurrencyLimit = (app: App): number | undefined => {
  const limit = setting(app, 'concurrency');
  if (limit !== undefined && !/^\d{1,6}$/.test(limit))
    throw new Error("concurrency is what the service may have of the account's Lambda concurrency: concurrency=1000.");
  return limit === undefined ? undefined : Number(limit);
};

/** The inputs of the application stacks. */
interface AppParts {
  readonly data: Data;
  readonly apis: Deployment['apis'];
  readonly publicUrl: string;
}

const createApps = (app: App, props: DeploymentProps, { data, apis, publicUrl }: AppParts): Deployment['apps'] => {
  const { contracts, code, partitions, env, stages = STAGES } = props;
  const alarmEmail = setting(app, 'alarmEmail');
  const reserved = reserveConcurrency(concurrencyLimit(app), contracts, stages);
  const appOf = (environment: Environment) =>
    new AppStack(app, NAMES.appStack(environment), {
      ...(env ? { env } : {}),
      environment,
      settings: stages[environment],
      contracts,
      code,
      partitions,
      data: data[environment],
      liveData: data.live,
      apis: apis[environment].apis,
      publicUrl,
      generation: originGeneration(app),
      firewall: setting(app, 'waf') === 'true',
      tracing: setting(app, 'tracing') === 'true',
      reserved: reserved[environment],
      ...(alarmEmail ? { alarmEmail } : {}),
      emailFrom: setting(app, 'emailFrom')?.split(','),
      webPushHosts: setting(app, 'webPushHosts'),
      description: `Messaging, ${environment}: functions, queues and alarms.`,
    });
  const apps = { live: appOf('live'), test: appOf('test') };
  // The live stage's APIs set the account's log role for API Gateway; the access log of test needs it.
  apps.test.addStackDependency(apis.live);
  return apps;
};

/** The operations with a streamed body: the gateway service serves them. */
const streamed = (contracts: readonly OperationContract[]) => contracts.filter(({ request }) => request.stream);

const createServices = (
  app: App,
  props: DeploymentProps,
  data: Data,
  publicUrl: string | undefined,
): Deployment['services'] => {
  if (setting(app, 'gatewayService') !== 'true') return undefined;
  const { env, contracts, partitions, serviceFolder, stages = STAGES } = props;
  if (!env?.account || !env.region || !serviceFolder)
    throw new Error(
      'gatewayService=true needs a known account and region: run it with AWS credentials, or set CDK_DEFAULT_ACCOUNT and CDK_DEFAULT_REGION.',
    );
  if (!publicUrl)
    throw new Error(
      'gatewayService=true needs a domainName or a publicUrl: the edge, which follows it, has no address yet.',
    );
  const serviceOf = (environment: Environment) =>
    new GatewayServiceStack(app, NAMES.gatewayServiceStack(environment), {
      env,
      environment,
      settings: stages[environment],
      contracts: streamed(contracts),
      partitions,
      data: data[environment],
      liveData: data.live,
      publicUrl,
      folder: serviceFolder,
      description: `Messaging, ${environment}: containers for request bodies over Lambda's limit.`,
    });
  return { live: serviceOf('live'), test: serviceOf('test') };
};

const createSmpp = (app: App, props: DeploymentProps, data: Data, publicUrl: string): Deployment['smpp'] => {
  if (setting(app, 'smppService') !== 'true') return undefined;
  const { env, partitions, smppFolder, smppFunctions, stages = STAGES } = props;
  const certificateArn = setting(app, 'smppCertificateArn') ?? '';
  if (!env?.account || !env.region || !smppFolder || !smppFunctions)
    throw new Error(
      'smppService=true needs a known account and region: run it with AWS credentials, or set CDK_DEFAULT_ACCOUNT and CDK_DEFAULT_REGION.',
    );
  if (!new RegExp(`^arn:aws[a-z-]*:acm:${env.region}:`).test(certificateArn))
    throw new Error('smppService=true needs a smppCertificateArn of its own region: its load balancer ends TLS.');
  const serviceOf = (environment: Environment) =>
    new SmppServiceStack(app, NAMES.smppServiceStack(environment), {
      env,
      environment,
      settings: stages[environment],
      partitions,
      functions: smppFunctions,
      data: data[environment],
      liveData: data.live,
      publicUrl,
      emailFrom: setting(app, 'emailFrom')?.split(','),
      folder: smppFolder,
      certificateArn,
      description: `Messaging, ${environment}: containers that hold the binds of SMPP.`,
    });
  return { live: serviceOf('live'), test: serviceOf('test') };
};

/**
 * All stacks of the deployment, in one cloud assembly. Not nested CDK `Stage`s: the CDK forbids dependencies between those and
 * `cdk deploy --all` skips them, while here test reads live's volume counters and the edge needs both stages.
 */
export const createDeployment = (app: App, props: DeploymentProps): Deployment => {
  const { env } = props;
  const domain = customDomain(app);
  const named = publicAddress(app, domain);
  const data = createData(app, props, named);
  const apis = createApis(app, props);
  const firewall = createFirewall(app, env);
  const services = createServices(app, props, data, named);
  const paths = streamed(props.contracts).map(({ path }) => path.replaceAll(/\{[^}]+\}/g, '*'));
  const edge = new EdgeStack(app, NAMES.edgeStack, {
    ...(env ? { env } : {}),
    apis: { live: apis.live.apis, test: apis.test.apis },
    generation: originGeneration(app),
    consoleFolder: props.consoleFolder,
    ...(services ? { services: { stacks: services, paths } } : {}),
    ...(domain ? { domain } : {}),
    ...(firewall ? { webAclArn: firewall.webAclArn, crossRegionReferences: env?.region !== CLOUDFRONT_REGION } : {}),
    description: 'Messaging: one address for both stages.',
  });
  const publicUrl = named ?? edge.address;
  const apps = createApps(app, props, { data, apis, publicUrl });
  const smpp = createSmpp(app, props, data, publicUrl);
  // The secrets must exist before the edge uses them, and a stage changes the accepted ones only after the edge has switched.
  for (const stack of Object.values(data)) edge.addStackDependency(stack);
  for (const stack of Object.values(apps)) stack.addStackDependency(edge);
  return {
    data,
    apis,
    apps,
    edge,
    ...(firewall ? { firewall } : {}),
    ...(services ? { services } : {}),
    ...(smpp ? { smpp } : {}),
  };
};

const awsEnvironment = (): AwsEnvironment | undefined => {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return account && region ? { account, region } : undefined;
};

/** Entry point of the `cdk` command: rebuilds what is out of date, then synthesizes the templates. */
const main = async (): Promise<void> => {
  const root = join(import.meta.dirname, '..');
  const { outDir } = await packFunctions({ root });
  const { folder: consoleFolder } = await buildConsole({ root });
  const app = new App();
  const folderOf = (container: ContainerName) => join(outDir, `${container}-service`);
  for (const container of ['gateway', 'smpp'] as const)
    if (setting(app, `${container}Service`) === 'true')
      await buildService({ container, root, dist: outDir, outDir: folderOf(container) });
  const env = awsEnvironment();
  const partitions = await tablePartitions(root);
  createDeployment(app, {
    partitions: (path) => partitions.get(path) ?? [],
    contracts: OPERATIONS,
    code: (path) => Code.fromAsset(join(outDir, 'functions', path)),
    serviceFolder: folderOf('gateway'),
    smppFolder: folderOf('smpp'),
    consoleFolder,
    smppFunctions: [...partitions.keys()].filter((path) => path.startsWith('smpp-service/')),
    ...(env ? { env } : {}),
  });
  app.synth();
};

if (import.meta.main) await main();
