import { join } from 'node:path';
import { App, type Environment as AwsEnvironment } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../shared/contracts/index.ts';
import type { Environment } from '../shared/domain/core/actor.ts';
import { AppStack } from './app-stack.ts';
import { packFunctions } from './build/pack.ts';
import { buildService } from './build/service.ts';
import { FirewallStack } from './constructs/edge-firewall.ts';
import type { CodeSource } from './constructs/operation-function.ts';
import { DataStack } from './data-stack.ts';
import { type CustomDomain, EdgeStack } from './edge-stack.ts';
import { GatewayServiceStack } from './gateway-service-stack.ts';
import { NAMES, STAGES, type StageSettings } from './stages.ts';

export interface DeploymentProps {
  readonly contracts: readonly OperationContract[];
  readonly code: CodeSource;
  /** Account and region; without them the templates are environment-agnostic. */
  readonly env?: AwsEnvironment;
  readonly stages?: Readonly<Record<Environment, StageSettings>>;
  /** Docker build context of the gateway service, written by `infra/build/service.ts`; required with `-c gatewayService=true`. */
  readonly serviceFolder?: string;
}

export interface Deployment {
  readonly data: Readonly<Record<Environment, DataStack>>;
  readonly apps: Readonly<Record<Environment, AppStack>>;
  readonly edge: EdgeStack;
  readonly firewall?: FirewallStack;
  readonly services?: Readonly<Record<Environment, GatewayServiceStack>>;
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

const createData = (app: App, { env, stages = STAGES }: DeploymentProps): Data => {
  const dataOf = (environment: Environment) =>
    new DataStack(app, NAMES.dataStack(environment), {
      ...(env ? { env } : {}),
      environment,
      settings: stages[environment],
      description: `Messaging, ${environment}: the table and its key.`,
    });
  return { live: dataOf('live'), test: dataOf('test') };
};

/** The public address, without a trailing slash; undefined leaves each stage at its REST API's own address. */
const publicAddress = (app: App, domain: CustomDomain | undefined): string | undefined =>
  (setting(app, 'publicUrl') ?? (domain ? `https://${domain.name}` : undefined))?.replace(/\/+$/, '');

const createApps = (
  app: App,
  props: DeploymentProps,
  data: Data,
  publicUrl: string | undefined,
): Deployment['apps'] => {
  const { contracts, code, env, stages = STAGES } = props;
  const alarmEmail = setting(app, 'alarmEmail');
  const emailFrom = setting(app, 'emailFrom')?.split(',');
  const appOf = (environment: Environment) =>
    new AppStack(app, NAMES.appStack(environment), {
      ...(env ? { env } : {}),
      environment,
      settings: stages[environment],
      contracts,
      code,
      data: data[environment],
      liveData: data.live,
      ...(publicUrl ? { publicUrl } : {}),
      ...(alarmEmail ? { alarmEmail } : {}),
      emailFrom,
      description: `Messaging, ${environment}: API, functions, queues and alarms.`,
    });
  const apps = { live: appOf('live'), test: appOf('test') };
  // The live stack sets the account's log role for API Gateway; the access log of test needs it.
  apps.test.addStackDependency(apps.live);
  return apps;
};

/** The operations with a streamed body: the gateway service serves them. */
const streamed = (contracts: readonly OperationContract[]) => contracts.filter(({ request }) => request.stream);

const createServices = (app: App, props: DeploymentProps, apps: Deployment['apps']): Deployment['services'] => {
  if (setting(app, 'gatewayService') !== 'true') return undefined;
  const { env, contracts, serviceFolder, stages = STAGES } = props;
  if (!env?.account || !env.region || !serviceFolder)
    throw new Error(
      'gatewayService=true needs a known account and region: run it with AWS credentials, or set CDK_DEFAULT_ACCOUNT and CDK_DEFAULT_REGION.',
    );
  const serviceOf = (environment: Environment) =>
    new GatewayServiceStack(app, NAMES.gatewayServiceStack(environment), {
      env,
      environment,
      settings: stages[environment],
      contracts: streamed(contracts),
      resources: apps[environment].resources,
      variables: apps[environment].variables([]),
      folder: serviceFolder,
      description: `Messaging, ${environment}: containers for request bodies over Lambda's limit.`,
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
  const data = createData(app, props);
  const apps = createApps(app, props, data, publicAddress(app, domain));
  const firewall = createFirewall(app, env);
  const services = createServices(app, props, apps);
  const paths = streamed(props.contracts).map(({ path }) => path.replaceAll(/\{[^}]+\}/g, '*'));
  const edge = new EdgeStack(app, NAMES.edgeStack, {
    ...(env ? { env } : {}),
    apis: { live: apps.live.apis, test: apps.test.apis },
    ...(services ? { services: { stacks: services, paths } } : {}),
    ...(domain ? { domain } : {}),
    ...(firewall ? { webAclArn: firewall.webAclArn, crossRegionReferences: env?.region !== CLOUDFRONT_REGION } : {}),
    description: 'Messaging: one address for both stages.',
  });
  return { data, apps, edge, ...(firewall ? { firewall } : {}), ...(services ? { services } : {}) };
};

const awsEnvironment = (): AwsEnvironment | undefined => {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return account && region ? { account, region } : undefined;
};

/** Entry point of the `cdk` command: builds what is out of date, then synthesizes the templates. */
const main = async (): Promise<void> => {
  const root = join(import.meta.dirname, '..');
  const { outDir } = await packFunctions({ root });
  const app = new App();
  const serviceFolder = join(outDir, 'service');
  if (setting(app, 'gatewayService') === 'true') await buildService({ root, dist: outDir, outDir: serviceFolder });
  const env = awsEnvironment();
  createDeployment(app, {
    contracts: OPERATIONS,
    code: (path) => Code.fromAsset(join(outDir, 'functions', path)),
    serviceFolder,
    ...(env ? { env } : {}),
  });
  app.synth();
};

if (import.meta.main) await main();
