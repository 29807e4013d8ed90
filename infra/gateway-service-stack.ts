import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { OriginProtocolPolicy, VpcOrigin, VpcOriginEndpoint } from 'aws-cdk-lib/aws-cloudfront';
import {
  GatewayVpcEndpointAwsService,
  type IVpc,
  Peer,
  Port,
  PrefixList,
  SecurityGroup,
  SubnetType,
} from 'aws-cdk-lib/aws-ec2';
import { ApplicationLoadBalancer, ApplicationProtocol } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import type { Construct } from 'constructs';
import type { OperationContract } from '../shared/contracts/define-operation.ts';
import { acknowledge } from './constructs/acknowledge.ts';
import { createContainerService, createServiceNetwork } from './constructs/container-service.ts';
import { mergeGrants } from './constructs/grants.ts';
import { pathOfOperation } from './constructs/operation-function.ts';
import { unionOf } from './constructs/row-guards.ts';
import type { StageParts } from './constructs/stage-resources.ts';

export interface GatewayServiceStackProps extends StackProps, StageParts {
  /** The operations with a streamed body, which the container serves. */
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
    const { contracts, partitions } = props;
    const vpc = createServiceNetwork(this, {
      subnets: [{ name: 'balancer', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 26 }],
      endpoints: { Uploads: { service: GatewayVpcEndpointAwsService.S3 } },
      noFlowLogs:
        'Only CloudFront can reach the load balancer, and only the load balancer the tasks; who called what is in the log of the requests themselves.',
    });
    const balancer = this.createBalancer(vpc);
    const service = createContainerService(this, {
      ...props,
      name: 'gateway',
      vpc,
      ports: [PORT],
      grants: {
        ...mergeGrants([{ table: 'read' }, ...contracts.map(({ uses }) => uses)]),
        // Its gateway authenticates callers: it runs the authorizer too.
        partitions: unionOf(['authorizer', ...contracts.map(({ id }) => pathOfOperation(id))].map(partitions)),
      },
      tasks: props.settings.gatewayTasks,
      stopTimeout: DRAIN,
      // Uploads are spooled to disk while they are inspected: room for about 150 of the largest concurrently.
      ephemeralStorageGiB: 21,
    });
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
}
