import { Aws } from 'aws-cdk-lib';
import { ApiDefinition, EndpointType, RestApiMode, SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { type ContractName, contractOf } from '../../shared/runtime/problem.ts';
import { NAMES, type StageSettings } from '../stages.ts';
import { acknowledge } from './acknowledge.ts';
import { pathOfOperation } from './operation-function.ts';
import { restApiBody } from './rest-api-body.ts';

/** The contract that an API serves, in a stage. */
export interface MessagingApiProps {
  readonly environment: Environment;
  readonly settings: StageSettings;
  /** All contracts of the stage; the API serves those of its own API style. */
  readonly contracts: readonly OperationContract[];
  readonly contract: ContractName;
  /** Whether this API sets the account's CloudWatch log role for API Gateway. */
  readonly ownsLogRole: boolean;
}

/** A managed policy is limited to 6,144 characters; this many function ARNs fit, even with the longest region and operation names. */
const ARNS_PER_POLICY = 50;

/**
 * The REST API of a contract in a stage: routes, authorizer and gateway errors, generated from the operation contracts. Nothing of it is
 * served before an `ApiStage` publishes it.
 */
export class MessagingApi extends Construct {
  readonly api: SpecRestApi;
  readonly stageName: Environment;
  /** The address of the gateway itself, which serves the edge alone. */
  readonly address: string;
  /** Operations with detailed metrics in a stage with alarms, which use them: the single sends. */
  readonly measured: readonly OperationContract[];

  constructor(scope: Construct, id: string, props: MessagingApiProps) {
    super(scope, id);
    this.stageName = props.environment;
    const served = props.contracts.filter(({ path }) => contractOf(path) === props.contract);
    this.measured = props.settings.alarms ? served.filter(({ rate }) => rate === 'single_send') : [];
    this.api = this.createApi(props, served, this.createGatewayRole(props.environment, served));
    this.address = `https://${this.api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${this.stageName}`;
    this.acknowledge(props);
  }

  /** By name, not reference: the functions come after the edge, whose address they use, and the edge after this API. */
  private functionArn(environment: Environment, path: string): string {
    return `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${NAMES.function(environment, path)}`;
  }

  /** One role for API Gateway instead of a Lambda permission per function, which would add a resource per operation. */
  private createGatewayRole(environment: Environment, served: readonly OperationContract[]): Role {
    const role = new Role(this, 'GatewayRole', {
      description: `Messaging, ${environment}: lets the gateway call the functions of its routes.`,
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    });
    const paths = ['authorizer', ...served.map(({ id }) => pathOfOperation(id))];
    for (let start = 0; start < paths.length; start += ARNS_PER_POLICY) {
      const resources = paths.slice(start, start + ARNS_PER_POLICY).map((path) => this.functionArn(environment, path));
      const statements = [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources })];
      new ManagedPolicy(this, `Calls${start / ARNS_PER_POLICY}`, { roles: [role], statements });
    }
    return role;
  }

  private createApi(
    { environment, contract, ownsLogRole }: MessagingApiProps,
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
    return new SpecRestApi(this, 'Api', {
      restApiName: name,
      apiDefinition: ApiDefinition.fromInline(body),
      // The default mode merges, and would leave operations reachable that were removed from the contracts.
      mode: RestApiMode.OVERWRITE,
      endpointTypes: [EndpointType.REGIONAL],
      // In overwrite mode the import takes the endpoint type from this parameter.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      cloudWatchRole: ownsLogRole,
      deploy: false,
    });
  }

  private acknowledge({ ownsLogRole }: MessagingApiProps): void {
    if (ownsLogRole)
      acknowledge(this.api, {
        'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
          "API Gateway has one log role per account, used by all of the account's APIs; AWS's managed policy for it stays up to date.",
      });
    acknowledge(this.api, {
      'AwsSolutions-APIG2':
        'Every request is validated in its function against its contract, in the documented order of checks; validation at the gateway would answer before the credential and the idempotency key are checked.',
    });
  }
}
