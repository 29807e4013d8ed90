import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { SMPP_PORTS } from '../../infra/smpp-service-stack.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { AWS, deploy, findingsOf, type Piece } from './support.ts';

const certificateArn = `arn:aws:acm:${AWS.region}:${AWS.account}:certificate/0123`;
const contracts = OPERATIONS.slice(0, 1);
const options = { contracts, env: AWS } as const;
const context = { smppService: 'true', smppCertificateArn: certificateArn };
const on = deploy({ ...options, context });
const { smpp } = on;
if (!smpp) throw new Error('There is no SMPP service.');
const templates = { live: Template.fromStack(smpp.live), test: Template.fromStack(smpp.test) };
const propertiesOf = (template: Template, type: string): Piece[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);
const [live] = [templates.live];
const one = (type: string): Piece => {
  const found = propertiesOf(live, type);
  expect(found).toHaveLength(1);
  return found[0];
};

it('is deployed only if requested, and reports what it needs', () => {
  expect(deploy({ contracts }).smpp).toBeUndefined();
  expect(() => deploy({ contracts, context })).toThrow('known account');
  expect(() => deploy({ ...options, context: { smppService: 'true' } })).toThrow('smppCertificateArn');
  const elsewhere = { ...context, smppCertificateArn: certificateArn.replace(AWS.region, 'us-east-1') };
  expect(() => deploy({ ...options, context: elsewhere })).toThrow('own region');
});

it('violates no rule of AWS Solutions that is not acknowledged with its reason', () => {
  expect(findingsOf(on.app).filter((finding) => finding.includes('-Smpp'))).toEqual([]);
});

describe('the load balancer', () => {
  const listeners = propertiesOf(live, 'AWS::ElasticLoadBalancingV2::Listener');
  const at = (port: number) => listeners.find(({ Port }) => Port === port);

  it("is public, in two zones, and only its listeners' ports are open", () => {
    const { Scheme, Type, Subnets } = one('AWS::ElasticLoadBalancingV2::LoadBalancer');
    expect([Scheme, Type, Subnets.length]).toEqual(['internet-facing', 'network', 2]);
    const [balancer] = propertiesOf(live, 'AWS::EC2::SecurityGroup').filter(
      ({ SecurityGroupIngress = [] }) => SecurityGroupIngress.length > 0,
    );
    const open = balancer.SecurityGroupIngress.map(({ CidrIp, FromPort, ToPort }: Piece) => [CidrIp, FromPort, ToPort]);
    expect(open).toEqual(Object.values(SMPP_PORTS).map((port) => ['0.0.0.0/0', port, port]));
    expect(listeners.map(({ Port }) => Port).sort()).toEqual(Object.values(SMPP_PORTS).sort());
  });

  it('ends TLS with the certificate, for SMPP and for messages to the carrier, which are never taken without it', () => {
    for (const port of [SMPP_PORTS.tls, SMPP_PORTS.carrier])
      expect(at(port)).toMatchObject({
        Protocol: 'TLS',
        Certificates: [{ CertificateArn: certificateArn }],
        SslPolicy: expect.stringContaining('TLS13'),
      });
    expect(at(SMPP_PORTS.plain)).toMatchObject({ Protocol: 'TCP' });
  });

  it("passes a bind's address to the service, checks its health, and lets it finish", () => {
    const groups = propertiesOf(live, 'AWS::ElasticLoadBalancingV2::TargetGroup');
    const attributesOf = (port: number) =>
      Object.fromEntries(
        groups.find(({ Port }) => Port === port)?.TargetGroupAttributes.map(({ Key, Value }: Piece) => [Key, Value]) ??
          [],
      );
    expect(attributesOf(2775)).toMatchObject({
      'preserve_client_ip.enabled': 'true',
      'deregistration_delay.timeout_seconds': '30',
    });
    expect(attributesOf(8080)).toMatchObject({ 'preserve_client_ip.enabled': 'false' });
    for (const group of groups)
      expect(group).toMatchObject({
        HealthCheckProtocol: 'HTTP',
        HealthCheckPort: '8080',
        HealthCheckPath: '/health',
        Matcher: { HttpCode: '204' },
      });
  });
});

describe('the containers', () => {
  it('are reached by the load balancer alone, and by each other for the carrier', () => {
    const rules = propertiesOf(live, 'AWS::EC2::SecurityGroupIngress').map(
      ({ FromPort, ToPort, SourceSecurityGroupId }) => [
        FromPort,
        ToPort,
        SourceSecurityGroupId['Fn::GetAtt'][0].replace(/[0-9A-F]{8}$/, ''),
      ],
    );
    expect(rules).toEqual([
      [2775, 2775, 'BalancerGroup'],
      [8080, 8080, 'BalancerGroup'],
      [8080, 8080, 'TasksGroup'],
    ]);
  });

  it('are two in live, have time to unbind, and are replaced without fewer of them', () => {
    expect(one('AWS::ECS::Service')).toMatchObject({
      DesiredCount: 2,
      DeploymentConfiguration: { MinimumHealthyPercent: 100, DeploymentCircuitBreaker: { Rollback: true } },
    });
    expect(one('AWS::ECS::TaskDefinition').ContainerDefinitions).toMatchObject([
      { StopTimeout: 30, PortMappings: [{ ContainerPort: 2775 }, { ContainerPort: 8080 }] },
    ]);
  });

  it('are more where there are many connections, and fewer only where there are few', () => {
    expect(one('AWS::ApplicationAutoScaling::ScalableTarget')).toMatchObject({ MinCapacity: 2, MaxCapacity: 10 });
    const steps = propertiesOf(live, 'AWS::ApplicationAutoScaling::ScalingPolicy').flatMap(
      ({ StepScalingPolicyConfiguration: found }) => found?.StepAdjustments ?? [],
    );
    expect(steps.map(({ ScalingAdjustment }: Piece) => ScalingAdjustment).sort()).toEqual([-1, 1, 2]);
    const alarms = propertiesOf(live, 'AWS::CloudWatch::Alarm').filter(
      ({ MetricName }) => MetricName === 'SmppConnections',
    );
    expect(alarms.map(({ Threshold, ComparisonOperator }) => [Threshold, ComparisonOperator]).sort()).toEqual([
      [100, 'LessThanOrEqualToThreshold'],
      [1_000, 'GreaterThanOrEqualToThreshold'],
    ]);
  });

  it('write the partitions of their functions alone, and open the root keys that these need', () => {
    const statements = propertiesOf(live, 'AWS::IAM::Policy').flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const written = statements
      .filter(({ Action }) => [Action].flat().includes('dynamodb:PutItem'))
      .flatMap(({ Condition }) => Object.values(Condition['ForAllValues:StringLike'] ?? {}).flat());
    expect(written).toContain('CARRIERB');
    expect(written).toContain('SMPPB#*');
    expect(written).not.toContain('PRICES');
    const keys = statements.flatMap(
      ({ Condition }) => Condition?.StringEquals?.['kms:EncryptionContext:rootKey'] ?? [],
    );
    expect(keys).toContain('providers');
    expect(keys).not.toContain('sessions');
  });
});

it('alarms of live cover binds of accounts and to the carrier, refused binds, waiting reports and accounts without a receiver; test has none', () => {
  const own = (template: Template) =>
    propertiesOf(template, 'AWS::CloudWatch::Alarm').filter(({ AlarmName }) => AlarmName !== undefined);
  expect(
    own(live).map(({ AlarmName, MetricName, AlarmActions }) => [AlarmName, MetricName, AlarmActions.length]),
  ).toEqual([
    ['messaging-live-smpp-no-bind', 'SmppBinds', 1],
    ['messaging-live-smpp-no-carrier-bind', 'CarrierBinds', 1],
    ['messaging-live-smpp-refused-binds', 'SmppRefusedBinds', 1],
    ['messaging-live-smpp-reports-wait', 'SmppReportsNotTaken', 1],
    ['messaging-live-smpp-no-receiver', 'SmppAccountsUnheard', 1],
  ]);
  expect(own(templates.test)).toEqual([]);
  // Containers that do not live count nothing, and a stage without a carrier counts no binds to one.
  expect(own(live).map(({ TreatMissingData }) => TreatMissingData)).toEqual([
    'breaching',
    'notBreaching',
    'notBreaching',
    'notBreaching',
    'notBreaching',
  ]);
  // Each account is checked once an hour: a shorter period would end the alarm in between.
  expect(own(live).at(-1)?.Period).toBe(7_200);
});
