import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { AdjustmentType } from 'aws-cdk-lib/aws-applicationautoscaling';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type IVpc, Peer, Port, SecurityGroup, SubnetType } from 'aws-cdk-lib/aws-ec2';
import type { FargateService } from 'aws-cdk-lib/aws-ecs';
import {
  ListenerCertificate,
  NetworkLoadBalancer,
  NetworkTargetGroup,
  Protocol,
  SslPolicy,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import type { Construct } from 'constructs';
import { acknowledge } from './constructs/acknowledge.ts';
import { ownMetric } from './constructs/alarms.ts';
import { createContainerService, createServiceNetwork } from './constructs/container-service.ts';
import { SENDER_GRANTS, SMPP_SERVICE_ROOT_KEYS } from './constructs/grants.ts';
import { unionOf } from './constructs/row-guards.ts';
import { SmppAlarms } from './constructs/smpp-alarms.ts';
import type { StageParts } from './constructs/stage-resources.ts';

export interface SmppServiceStackProps extends StackProps, StageParts {
  /** The partitions of the table that each function may write, by its path under `functions/`. */
  readonly partitions: (path: string) => readonly string[];
  /** Docker build context, written by `infra/build/service.ts`. */
  readonly folder: string;
  /** The functions of the SMPP service, by their paths under `functions/`. */
  readonly functions: readonly string[];
  /** The certificate of the load balancer, of the stack's own region. */
  readonly certificateArn: string;
}

/** Ports of the load balancer: SMPP without TLS, SMPP over TLS, and messages to the carrier. */
export const SMPP_PORTS = { plain: 2775, tls: 3550, carrier: 8443 } as const;
/** Ports of a container. */
const CONTAINER = { smpp: 2775, http: 8080 } as const;
/** The AWS service that sends submitted messages: SMS. */
const SMS_SENDING = ['end_user_messaging'] as const;
/** A container serves 2,000 connections at most; more containers are started at half of that. */
const CONNECTIONS_PER_TASK = 1_000;
const MAX_TASKS = 10;
/** A target accepts no new connections for this long before its process is stopped. */
const DRAIN = Duration.seconds(30);
/** Sessions unbind within 2 s, after their pending requests are answered. */
const STOP = Duration.seconds(30);

/**
 * The SMPP service of a stage: Fargate containers behind a network load balancer that ends TLS. Not Lambda, since a bind lives for months. The load
 * balancer is public: customers bind to it, and the functions, which are in no network, hand it messages for the carrier, signed and over TLS.
 */
export class SmppServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: SmppServiceStackProps) {
    super(scope, id, props);
    const vpc = createServiceNetwork(this, {
      noFlowLogs: 'Who bound, and what was submitted, is in the log of the service and in the messages themselves.',
    });
    const balancerGroup = new SecurityGroup(this, 'BalancerGroup', {
      vpc,
      description: 'Messaging: lets SMPP clients and the functions in.',
      allowAllOutbound: true,
    });
    for (const port of Object.values(SMPP_PORTS)) balancerGroup.addIngressRule(Peer.anyIpv4(), Port.tcp(port), 'SMPP');
    acknowledge(balancerGroup, {
      'AwsSolutions-EC23':
        'Customers bind from anywhere: their accounts have lists of addresses of their own, and failed binds of an address are limited.',
    });
    const service = this.createService(vpc, balancerGroup, props);
    const balancer = this.createBalancer(vpc, balancerGroup, service, props);
    this.scale(service, props);
    if (props.settings.alarms) new SmppAlarms(this, 'Alarms', { environment: props.environment });
    new CfnOutput(this, 'Address', {
      value: balancer.loadBalancerDnsName,
      description: 'What the name of the certificate is to point to.',
    });
  }

  private createBalancer(
    vpc: IVpc,
    securityGroup: SecurityGroup,
    service: FargateService,
    { certificateArn }: SmppServiceStackProps,
  ) {
    const balancer = new NetworkLoadBalancer(this, 'Balancer', {
      vpc,
      internetFacing: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [securityGroup],
      crossZoneEnabled: true,
    });
    acknowledge(balancer, {
      'AwsSolutions-ELB2':
        'Access logs of a network load balancer are of TLS handshakes alone; binds are in the log of the service.',
    });
    const smpp = this.targetOf(vpc, service, 'Smpp', CONTAINER.smpp, true);
    const carrier = this.targetOf(vpc, service, 'Carrier', CONTAINER.http, false);
    const tls = {
      protocol: Protocol.TLS,
      certificates: [ListenerCertificate.fromArn(certificateArn)],
      sslPolicy: SslPolicy.RECOMMENDED_TLS,
    };
    balancer.addListener('Plain', { port: SMPP_PORTS.plain, protocol: Protocol.TCP, defaultTargetGroups: [smpp] });
    balancer.addListener('Tls', { port: SMPP_PORTS.tls, ...tls, defaultTargetGroups: [smpp] });
    balancer.addListener('CarrierTls', { port: SMPP_PORTS.carrier, ...tls, defaultTargetGroups: [carrier] });
    return balancer;
  }

  /** `preserveClientIp`: accounts have lists of addresses, and failed binds are counted by address. */
  private targetOf(vpc: IVpc, service: FargateService, id: string, port: number, preserveClientIp: boolean) {
    return new NetworkTargetGroup(this, id, {
      vpc,
      port,
      protocol: Protocol.TCP,
      preserveClientIp,
      deregistrationDelay: DRAIN,
      connectionTermination: true,
      targets: [service.loadBalancerTarget({ containerName: 'smpp', containerPort: port })],
      healthCheck: {
        protocol: Protocol.HTTP,
        port: String(CONTAINER.http),
        path: '/health',
        healthyHttpCodes: '204',
        interval: Duration.seconds(10),
        healthyThresholdCount: 2,
        unhealthyThresholdCount: 2,
      },
    });
  }

  private createService(vpc: IVpc, balancerGroup: SecurityGroup, props: SmppServiceStackProps): FargateService {
    const group = new SecurityGroup(this, 'TasksGroup', {
      vpc,
      description: 'Messaging: lets the load balancer in, and tasks that pass messages on to each other.',
    });
    for (const port of Object.values(CONTAINER)) group.addIngressRule(balancerGroup, Port.tcp(port), 'Load balancer');
    group.addIngressRule(group, Port.tcp(CONTAINER.http), 'Messages to the carrier that another task is bound to');
    return createContainerService(this, {
      ...props,
      name: 'smpp',
      vpc,
      ports: Object.values(CONTAINER),
      grants: {
        ...SENDER_GRANTS,
        awsProviders: SMS_SENDING,
        rootKeys: SMPP_SERVICE_ROOT_KEYS,
        partitions: unionOf(props.functions.map(props.partitions)),
      },
      tasks: props.settings.smppTasks,
      stopTimeout: STOP,
      securityGroup: group,
    });
  }

  /** By connections: an open bind costs next to no processor time until it sends. */
  private scale(service: FargateService, { environment, settings }: SmppServiceStackProps): void {
    const connections = ownMetric(environment, 'SmppConnections', Stats.AVERAGE);
    const count = service.autoScaleTaskCount({ minCapacity: settings.smppTasks, maxCapacity: MAX_TASKS });
    count.scaleOnCpuUtilization('Processor', { targetUtilizationPercent: 60, disableScaleIn: true });
    // Scaling in ends connections, and clients bind again: only when there are far too many tasks.
    count.scaleOnMetric('Connections', {
      metric: connections,
      adjustmentType: AdjustmentType.CHANGE_IN_CAPACITY,
      evaluationPeriods: 2,
      scalingSteps: [
        { upper: CONNECTIONS_PER_TASK / 10, change: -1 },
        { lower: CONNECTIONS_PER_TASK, change: 1 },
        { lower: 1.5 * CONNECTIONS_PER_TASK, change: 2 },
      ],
    });
  }
}
