import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { OriginProtocolPolicy, VpcOrigin, VpcOriginEndpoint } from 'aws-cdk-lib/aws-cloudfront';
import {
  GatewayVpcEndpointAwsService,
  type IVpc,
  Peer,
  Port,
  PrefixList,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import {
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDrivers,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { ApplicationLoadBalancer, ApplicationProtocol } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import type { Environment } from '../shared/domain/core/actor.ts';
import { QUEUE_NAMES, type QueueName } from '../shared/queues/queues.ts';
import { acknowledge } from './constructs/acknowledge.ts';
import { acknowledgeObjects } from './constructs/function-role.ts';
import { mergeGrants, type RoleGrants, statementsFor } from './constructs/grants.ts';
import { pathOfOperation } from './constructs/operation-function.ts';
import { unionOf } from './constructs/row-guards.ts';
import { type StageParts, stageResources, stageVariables } from './constructs/stage-resources.ts';
import { NAMES } from './stages.ts';

export interface GatewayServiceStackProps extends StackProps, StageParts {
  /** The operations with a streamed body: what the container serves. */
  readonly contracts: readonly OperationContract[];
  /** The partitions of the table that each function may write, by its path under `functions/`. */
  readonly partitions: (path: string) => readonly string[];
  /** Docker build context, written by `infra/build/service.ts`. */
  readonly folder: string;
}

const PORT = 8080;
/** Idle time-out of the load balancer: an upload may pause, and a response may wait for Meta. */
const IDLE = Duration.seconds(120);
/** Lets uploads in flight finish when their container is replaced. */
const DRAIN = Duration.seconds(120);
/** AWS-managed prefix list: the addresses from which CloudFront calls origins. */
const CLOUDFRONT = 'com.amazonaws.global.cloudfront.origin-facing';

/**
 * The gateway service of a stage: Fargate containers that run the local stack's gateway for the two operations whose request bodies
 * exceed Lambda's limit. Behind CloudFront and not API Gateway, which limits a body to 10 MB with any integration, a VPC link
 * included. The load balancer is internal and reached through a VPC origin, so it needs no certificate of its own.
 */
export class GatewayServiceStack extends Stack {
  readonly origin: VpcOrigin;
  readonly domainName: string;

  constructor(scope: Construct, id: string, props: GatewayServiceStackProps) {
    super(scope, id, props);
    const vpc = this.createNetwork();
    const balancer = this.createBalancer(vpc);
    const service = this.createService(vpc, props);
    balancer.addListener('Http', { port: 80, protocol: ApplicationProtocol.HTTP, open: false }).addTargets('Tasks', {
      port: PORT,
      protocol: ApplicationProtocol.HTTP,
      targets: [service],
      deregistrationDelay: DRAIN,
      healthCheck: { path: '/health', interval: Duration.seconds(15), healthyThresholdCount: 2 },
    });
    this.domainName = balancer.loadBalancerDnsName;
    this.origin = new VpcOrigin(this, 'Origin', {
      endpoint: VpcOriginEndpoint.applicationLoadBalancer(balancer),
      protocolPolicy: OriginProtocolPolicy.HTTP_ONLY,
    });
  }

  /** Tasks run in public subnets to reach AWS and Meta without a NAT gateway; their security group admits only the load balancer. */
  private createNetwork(): IVpc {
    const vpc = new Vpc(this, 'Network', {
      maxAzs: 2,
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'tasks', subnetType: SubnetType.PUBLIC, cidrMask: 24 },
        { name: 'balancer', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 26 },
      ],
      gatewayEndpoints: {
        Table: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        Uploads: { service: GatewayVpcEndpointAwsService.S3 },
      },
    });
    acknowledge(vpc, {
      'AwsSolutions-VPC7':
        'Only CloudFront can reach the load balancer, and only the load balancer the tasks; who called what is in the log of the requests themselves.',
    });
    return vpc as IVpc;
  }

  private createBalancer(vpc: IVpc): ApplicationLoadBalancer {
    const securityGroup = new SecurityGroup(this, 'BalancerGroup', {
      vpc,
      description: 'Messaging: lets CloudFront in.',
      allowAllOutbound: false,
    });
    const cloudfront = PrefixList.fromLookup(this, 'CloudFront', { prefixListName: CLOUDFRONT });
    securityGroup.addIngressRule(Peer.prefixList(cloudfront.prefixListId), Port.tcp(80), 'CloudFront');
    const balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      vpc,
      internetFacing: false,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroup,
      idleTimeout: IDLE,
      dropInvalidHeaderFields: true,
    });
    acknowledge(balancer, {
      'AwsSolutions-ELB2':
        'Each request is one line of the log of the function that serves it, with its credential, status and duration.',
    });
    return balancer;
  }

  private createService(vpc: IVpc, props: GatewayServiceStackProps): FargateService {
    const { settings } = props;
    const cluster = new Cluster(this, 'Cluster', { vpc, containerInsightsV2: ContainerInsights.ENABLED }) as ICluster;
    return new FargateService(this, 'Service', {
      cluster,
      taskDefinition: this.createTask(props),
      desiredCount: settings.gatewayTasks,
      minHealthyPercent: 100,
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(30),
    });
  }

  /** By name: the queues are of a stack that comes after this one. */
  private queueArns(environment: Environment): Record<QueueName, string> {
    const arnOf = (name: QueueName) => this.formatArn({ service: 'sqs', resource: NAMES.queue(environment, name) });
    return Object.fromEntries(QUEUE_NAMES.map((name) => [name, arnOf(name)])) as Record<QueueName, string>;
  }

  private createTask(props: GatewayServiceStackProps) {
    const { environment, settings, contracts, partitions, folder } = props;
    const resources = stageResources(this, props, this.queueArns(environment));
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: 512,
      memoryLimitMiB: 1024,
      // Uploads are spooled to disk while they are inspected: room for about 150 of the largest at once.
      ephemeralStorageGiB: 21,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
    });
    const grants: RoleGrants = {
      ...mergeGrants([{ table: 'read' }, ...contracts.map(({ uses }) => uses)]),
      // Its gateway authenticates callers: it runs the authorizer too.
      partitions: unionOf(['authorizer', ...contracts.map(({ id }) => pathOfOperation(id))].map(partitions)),
    };
    for (const statement of statementsFor(this, grants, resources)) task.addToTaskRolePolicy(statement);
    acknowledgeObjects(task.taskRole, ['media'], resources);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/messaging/${environment}/gateway-service`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    task.addContainer('gateway', {
      image: ContainerImage.fromAsset(folder),
      environment: stageVariables(this, props, 'network'),
      portMappings: [{ containerPort: PORT }],
      logging: LogDrivers.awsLogs({ logGroup, streamPrefix: 'gateway' }),
      stopTimeout: DRAIN,
    });
    acknowledge(task, {
      'AwsSolutions-ECS2':
        'The variables are names and addresses of the stage, the same that its functions have; none is a secret.',
    });
    acknowledge(task.obtainExecutionRole(), {
      'AwsSolutions-IAM5[Resource::*]':
        'Logging in to the registry of images (ecr:GetAuthorizationToken) is an action that names no resource.',
    });
    return task;
  }
}
