import { Aws, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApiMode,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import type { Environment } from '../../shared/domain/actor.ts';
import { type ContractName, contractOf } from '../../shared/runtime/problem.ts';
import { NAMES, type StageSettings } from '../stages.ts';
import { pathOfOperation } from './operation-function.ts';
import { restApiBody } from './rest-api-body.ts';

export interface MessagingApiProps {
  readonly environment: Environment;
  readonly settings: StageSettings;
  /** Those of the stage; the API serves the ones of its own contract. */
  readonly contracts: readonly OperationContract[];
  readonly contract: ContractName;
  readonly accessLogs: ILogGroup;
  /** Whether this one of the account's APIs sets the gateway's log role. */
  readonly ownsLogRole: boolean;
}

/** A managed policy holds 6,144 characters: this many function ARNs fit with room to spare. */
const ARNS_PER_POLICY = 40;

/** One access-log line per request. Path templates only: real paths carry short-link codes and unsubscribe tokens. */
const ACCESS_LOG = {
  requestId: AccessLogField.contextRequestId(),
  method: AccessLogField.contextHttpMethod(),
  path: AccessLogField.contextResourcePath(),
  status: AccessLogField.contextStatus(),
  credentialId: AccessLogField.contextAuthorizerPrincipalId(),
  gatewayError: AccessLogField.contextErrorResponseType(),
  ms: AccessLogField.contextResponseLatency(),
  functionMs: AccessLogField.contextIntegrationLatency(),
} as const;

/** A contract's REST API in a stage: routes, authorizer and the gateway's own errors, all from the declarations. */
export class MessagingApi extends Construct {
  readonly api: SpecRestApi;
  readonly stageName: string;
  /** Where callers reach it without the edge. */
  readonly address: string;
  /** Operations whose latency is measured one by one. */
  readonly measured: readonly OperationContract[];
  readonly #callPolicies: ManagedPolicy[] = [];

  constructor(scope: Construct, id: string, props: MessagingApiProps) {
    super(scope, id);
    this.stageName = props.environment;
    const served = props.contracts.filter(({ path }) => contractOf(path) === props.contract);
    this.measured = served.filter(({ rate }) => rate === 'single_send');
    this.api = this.createApi(props, served, this.createGatewayRole(props.environment, served));
    this.address = `https://${this.api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${this.stageName}`;
    this.boundExecutionLogs(props.settings);
    this.acknowledge(props);
  }

  /** Publishes routes only once what they call exists and may be called, so that a new operation never answers with an error first. */
  publishAfter(...targets: IConstruct[]): void {
    this.api.latestDeployment?.node.addDependency(...targets, ...this.#callPolicies);
  }

  /** By name: functions know the gateway's address, so the gateway cannot refer to them as resources. */
  private functionArn(environment: Environment, path: string): string {
    return `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${NAMES.function(environment, path)}`;
  }

  /** One role for the gateway instead of a permission on each function, which would be another resource per operation. */
  private createGatewayRole(environment: Environment, served: readonly OperationContract[]): Role {
    const role = new Role(this, 'GatewayRole', {
      description: `Messaging, ${environment}: lets the gateway call the functions of its routes.`,
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    });
    const paths = ['authorizer', ...served.map(({ id }) => pathOfOperation(id))];
    for (let start = 0; start < paths.length; start += ARNS_PER_POLICY) {
      const resources = paths.slice(start, start + ARNS_PER_POLICY).map((path) => this.functionArn(environment, path));
      const statements = [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources })];
      this.#callPolicies.push(
        new ManagedPolicy(this, `Calls${start / ARNS_PER_POLICY}`, { roles: [role], statements }),
      );
    }
    return role;
  }

  private createApi(
    { environment, settings, contract, accessLogs, ownsLogRole }: MessagingApiProps,
    served: readonly OperationContract[],
    role: Role,
  ): SpecRestApi {
    const uriOf = (path: string) =>
      `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${this.functionArn(environment, path)}/invocations`;
    const name = NAMES.api(environment, contract);
    const body = restApiBody(served, {
      name,
      contract,
      invocationUri: ({ id }) => uriOf(pathOfOperation(id)),
      authorizerUri: uriOf('authorizer'),
      credentials: role.roleArn,
    });
    // Settings of one method replace those of all methods as a whole, so both are written out.
    const everywhere = {
      loggingLevel: MethodLoggingLevel.ERROR,
      dataTraceEnabled: false,
      throttlingRateLimit: settings.gatewayRate,
      throttlingBurstLimit: settings.gatewayBurst,
    };
    const measured = { ...everywhere, metricsEnabled: true };
    return new SpecRestApi(this, 'Api', {
      restApiName: name,
      apiDefinition: ApiDefinition.fromInline(body),
      // The default would merge: an operation that was removed from the contracts would stay reachable.
      mode: RestApiMode.OVERWRITE,
      endpointTypes: [EndpointType.REGIONAL],
      // An overwriting import takes the kind of endpoint from here.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      cloudWatchRole: ownsLogRole,
      deployOptions: {
        stageName: environment,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
        ...everywhere,
        methodOptions: Object.fromEntries(this.measured.map(({ path, method }) => [`${path}/${method}`, measured])),
      },
    });
  }

  /** The gateway would make this group by itself, and keep its lines for ever. */
  private boundExecutionLogs(settings: StageSettings): void {
    const logs = new LogGroup(this, 'ExecutionLogs', {
      logGroupName: `API-Gateway-Execution-Logs_${this.api.restApiId}/${this.stageName}`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api.deploymentStage.node.addDependency(logs);
  }

  private acknowledge({ ownsLogRole }: MessagingApiProps): void {
    if (ownsLogRole)
      Validations.of(this.api).acknowledge({
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason:
          "The gateway keeps one log role for the account, which every API of it writes with, also those of others; AWS's own policy for that role is the one that stays right.",
      });
    Validations.of(this.api).acknowledge({
      id: 'AwsSolutions-APIG2',
      reason:
        'Every request is validated in its function against its contract, in the documented order of checks; a check at the gateway would answer before the credential and the idempotency key were looked at.',
    });
    Validations.of(this.api.deploymentStage).acknowledge({
      id: 'AwsSolutions-APIG3',
      reason: `A firewall is an option of the edge (${Stack.of(this).stackName} stands behind it); the stage itself limits its rate, and refuses every credential that is not its own.`,
    });
  }
}
