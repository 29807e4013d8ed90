import { join } from 'node:path';
import { App, type Environment as AwsEnvironment } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../shared/contracts/index.ts';
import type { Environment } from '../shared/domain/actor.ts';
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
  /** The account and region; without them the templates fit any. */
  readonly env?: AwsEnvironment;
  readonly stages?: Readonly<Record<Environment, StageSettings>>;
  /** What the gateway service's container holds, as `infra/build/service.ts` lays it out; needed where `-c gatewayService=true`. */
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

/** A setting of `cdk.context.json` or `-c name=value`. */
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

/** The address that callers and the recipients of links know; without one each stage has the gateway's. */
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
      description: `Messaging, ${environment}: API, functions, queues and alarms.`,
    });
  const apps = { live: appOf('live'), test: appOf('test') };
  // The gateway's log role of the account comes with live; without it test could not be given its access log.
  apps.test.addStackDependency(apps.live);
  return apps;
};

/** The operations that a gateway service serves. */
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
      description: `Messaging, ${environment}: containers for the bodies that no function takes.`,
    });
  return { live: serviceOf('live'), test: serviceOf('test') };
};

/**
 * All stacks of the deployment. The stages are made side by side in one assembly and not as nested `Stage` assemblies: the CDK
 * forbids dependencies between those, and `cdk deploy --all` leaves them out, while here test reads live's counters and the edge needs both.
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

/** Run by the `cdk` command: builds what is not built yet, then writes the templates. */
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
