import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  GatewayVpcEndpointAwsService,
  type GatewayVpcEndpointOptions,
  type ISecurityGroup,
  type IVpc,
  type SubnetConfiguration,
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
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { QUEUE_NAMES, type QueueName } from '../../shared/queues/queues.ts';
import type { ContainerName } from '../build/service.ts';
import { NAMES } from '../stages.ts';
import { acknowledge } from './acknowledge.ts';
import { acknowledgeGrants } from './function-role.ts';
import { type RoleGrants, statementsFor } from './grants.ts';
import { type StageParts, stageResources, stageVariables } from './stage-resources.ts';

/** The common network of container services. */
export interface ServiceNetworkProps {
  readonly subnets?: readonly SubnetConfiguration[];
  readonly endpoints?: Readonly<Record<string, GatewayVpcEndpointOptions>>;
  /** Why its traffic is in no flow log. */
  readonly noFlowLogs: string;
}

/**
 * Tasks run in public subnets to reach AWS and the providers without a NAT gateway; each service's security group limits who may connect.
 */
export const createServiceNetwork = (
  stack: Stack,
  { subnets = [], endpoints, noFlowLogs }: ServiceNetworkProps,
): IVpc => {
  const vpc = new Vpc(stack, 'Network', {
    maxAzs: 2,
    natGateways: 0,
    restrictDefaultSecurityGroup: false,
    subnetConfiguration: [{ name: 'tasks', subnetType: SubnetType.PUBLIC, cidrMask: 24 }, ...subnets],
    gatewayEndpoints: { Table: { service: GatewayVpcEndpointAwsService.DYNAMODB }, ...endpoints },
  });
  acknowledge(vpc, { 'AwsSolutions-VPC7': noFlowLogs });
  return vpc as IVpc;
};

/** The settings that differ between the container services of a stage. */
export interface ContainerServiceProps extends StageParts {
  readonly name: ContainerName;
  readonly vpc: IVpc;
  /** Docker build context, written by `infra/build/service.ts`. */
  readonly folder: string;
  readonly ports: readonly number[];
  readonly grants: RoleGrants;
  readonly tasks: number;
  /** How long a container may take to stop after the signal. */
  readonly stopTimeout: Duration;
  readonly ephemeralStorageGiB?: number;
  /** Absent: a new one without any inbound rules. */
  readonly securityGroup?: ISecurityGroup;
}

/** By name: the queues are of a stack that comes after the containers'. */
const queueArns = (stack: Stack, environment: Environment): Record<QueueName, string> => {
  const arnOf = (name: QueueName) => stack.formatArn({ service: 'sqs', resource: NAMES.queue(environment, name) });
  return Object.fromEntries(QUEUE_NAMES.map((name) => [name, arnOf(name)])) as Record<QueueName, string>;
};

const createTask = (stack: Stack, props: ContainerServiceProps): FargateTaskDefinition => {
  const { name, environment, settings, folder, ports, grants, stopTimeout, ephemeralStorageGiB } = props;
  const resources = stageResources(stack, props, queueArns(stack, environment));
  const task = new FargateTaskDefinition(stack, 'Task', {
    cpu: 512,
    memoryLimitMiB: 1024,
    ...(ephemeralStorageGiB === undefined ? {} : { ephemeralStorageGiB }),
    runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
  });
  for (const statement of statementsFor(stack, grants, resources)) task.addToTaskRolePolicy(statement);
  acknowledgeGrants(task.taskRole, grants, resources);
  const logGroup = new LogGroup(stack, 'Logs', {
    logGroupName: `/messaging/${environment}/${name}-service`,
    retention: settings.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  task.addContainer(name, {
    image: ContainerImage.fromAsset(folder),
    environment: stageVariables(stack, props, 'network'),
    portMappings: ports.map((containerPort) => ({ containerPort })),
    logging: LogDrivers.awsLogs({ logGroup, streamPrefix: name }),
    stopTimeout,
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
};

/** The Fargate containers of a stage that run its built functions: their role, variables and log. */
export const createContainerService = (stack: Stack, props: ContainerServiceProps): FargateService => {
  const { vpc, tasks, securityGroup } = props;
  const cluster = new Cluster(stack, 'Cluster', { vpc, containerInsightsV2: ContainerInsights.ENABLED }) as ICluster;
  return new FargateService(stack, 'Service', {
    cluster,
    taskDefinition: createTask(stack, props),
    desiredCount: tasks,
    minHealthyPercent: 100,
    assignPublicIp: true,
    vpcSubnets: { subnetType: SubnetType.PUBLIC },
    ...(securityGroup ? { securityGroups: [securityGroup] } : {}),
    circuitBreaker: { rollback: true },
    healthCheckGracePeriod: Duration.seconds(30),
  });
};
