import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  Deployment,
  type IRestApi,
  LogGroupLogDestination,
  MethodLoggingLevel,
  Stage,
} from 'aws-cdk-lib/aws-apigateway';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import { EDGE_VARIABLES } from '../../shared/contracts/edge.ts';
import type { StageSettings } from '../stages.ts';
import { acknowledge } from './acknowledge.ts';
import { acceptedGenerations, originSecret } from './origin-secret.ts';
import type { MessagingApi } from './rest-api.ts';

export interface ApiStageProps {
  readonly api: MessagingApi;
  readonly settings: StageSettings;
  readonly accessLogs: ILogGroup;
  /** Of the edge's secret. */
  readonly generation: number;
  readonly tracing: boolean;
  /** Whether a web ACL protects the stage. */
  readonly firewall: boolean;
}

/** One access-log line per request. Path templates only: actual paths contain short-link codes and unsubscribe tokens. */
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

/** The secrets that a stage's functions and authorizer accept from the edge. */
const edgeVariables = ({ stageName: environment }: MessagingApi, generation: number): Record<string, string> => {
  const [current, next] = acceptedGenerations(generation);
  return {
    [EDGE_VARIABLES.current]: originSecret(environment, current),
    [EDGE_VARIABLES.next]: originSecret(environment, next),
  };
};

/** Publishes the routes of an API, once the functions behind them exist. */
export class ApiStage extends Construct {
  readonly stage: Stage;
  readonly #deployment: Deployment;

  constructor(scope: Construct, id: string, props: ApiStageProps) {
    super(scope, id);
    this.#deployment = new Deployment(this, 'Deployment', { api: props.api.api as IRestApi });
    this.stage = this.createStage(props);
    this.setExecutionLogRetention(props);
    if (!props.firewall)
      acknowledge(this.stage, {
        'AwsSolutions-APIG3':
          'Web ACLs have a monthly price and are switched on with `-c waf=true`; the stage throttles by itself, and its functions refuse what does not come by the edge.',
      });
  }

  /** Deploys routes only after the functions behind them exist. */
  publishAfter(...targets: IConstruct[]): void {
    this.#deployment.node.addDependency(...targets);
  }

  private createStage({ api, settings, accessLogs, generation, tracing }: ApiStageProps): Stage {
    // Method-level settings replace the stage-wide ones entirely, so they repeat them.
    const everywhere = {
      loggingLevel: MethodLoggingLevel.ERROR,
      dataTraceEnabled: false,
      throttlingRateLimit: settings.gatewayRate,
      throttlingBurstLimit: settings.gatewayBurst,
    };
    const measured = { ...everywhere, metricsEnabled: true };
    return new Stage(this, 'Stage', {
      deployment: this.#deployment,
      stageName: api.stageName,
      accessLogDestination: new LogGroupLogDestination(accessLogs),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      ...everywhere,
      methodOptions: Object.fromEntries(api.measured.map(({ path, method }) => [`${path}/${method}`, measured])),
      variables: edgeVariables(api, generation),
      ...(tracing ? { tracingEnabled: true } : {}),
    });
  }

  /** API Gateway would create this log group itself, without a retention period. */
  private setExecutionLogRetention({ api, settings }: ApiStageProps): void {
    const logs = new LogGroup(this, 'ExecutionLogs', {
      logGroupName: `API-Gateway-Execution-Logs_${api.api.restApiId}/${api.stageName}`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stage.node.addDependency(logs);
  }
}
