import { describe, expect, it } from 'vitest';
import { ORIGINS, SERVICE_ORIGINS, SERVICE_ROUTER_CODE } from '../../infra/constructs/edge-router.ts';
import { binaryMediaTypes } from '../../infra/constructs/rest-api-body.ts';
import { isServed } from '../../infra/local/service.ts';
import { STAGES } from '../../infra/stages.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { MEDIA_TYPE_NAMES, MEDIA_TYPES } from '../../shared/domain/channels/whatsapp/media/types.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { CONTRACTS } from '../../shared/runtime/problem.ts';
import { readInput } from '../../shared/runtime/request.ts';
import { exampleEvent } from '../contracts/support.ts';
import { AWS, deploy, distributionOf, findingsOf, type Piece, resourcesOf, statementsOf, textOf } from './support.ts';

const contracts = OPERATIONS.filter(({ id }) => /^(?:media|meta)\./.test(id));
const plain = deploy({ contracts, env: AWS });
const on = deploy({ contracts, env: AWS, context: { gatewayService: 'true', publicUrl: 'https://edge.example' } });

describe.each(ENVIRONMENTS)('the bucket of uploads of stage %s', (environment) => {
  const [bucket] = resourcesOf(plain.data[environment], 'AWS::S3::Bucket');

  it('is encrypted with the key of the stage, closed to the public, and reachable by TLS only', () => {
    const [rule] = bucket?.Properties.BucketEncryption.ServerSideEncryptionConfiguration ?? [];
    expect(rule.ServerSideEncryptionByDefault.SSEAlgorithm).toBe('aws:kms');
    expect(new Set(Object.values(bucket?.Properties.PublicAccessBlockConfiguration))).toEqual(new Set([true]));
    const [policy] = resourcesOf(plain.data[environment], 'AWS::S3::BucketPolicy');
    expect(JSON.stringify(policy?.Properties)).toContain('"aws:SecureTransport":"false"');
  });

  it('deletes uploads after a day, and files of imports and exports after a week, parts of what was given up among them', () => {
    const rule = (Prefix: string, days: number) =>
      expect.objectContaining({
        Prefix,
        ExpirationInDays: days,
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: days },
        Status: 'Enabled',
      });
    expect(bucket?.Properties.LifecycleConfiguration.Rules).toEqual([
      rule('uploads/', 1),
      rule('card-uploads/', 1),
      rule('imports/', 7),
      rule('exports/', 7),
    ]);
  });

  it.each([
    ['the address that is named', { publicUrl: 'https://edge.example/base/' }, 'https://edge.example'],
    [
      'the domain',
      { domainName: 'api.example.com', certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/a' },
      'https://api.example.com',
    ],
  ])('lets pages of one origin put files, that of %s, and do nothing else', (_, context, origin) => {
    const { data } = deploy({ contracts, env: AWS, context });
    const [named] = resourcesOf(data[environment], 'AWS::S3::Bucket');
    expect(named?.Properties.CorsConfiguration).toEqual({
      CorsRules: [
        { AllowedOrigins: [origin], AllowedMethods: ['PUT'], AllowedHeaders: ['content-type'], MaxAge: 3000 },
      ],
    });
  });

  it('lets no page put files while the service has no address of its own', () => {
    expect(bucket?.Properties.CorsConfiguration).toBeUndefined();
  });

  it('is accessible to media, to jobs and to the consumers of both, each to its own objects only', () => {
    const owners = statementsOf(plain.apps[environment])
      .filter(({ actions }) => actions.some((action) => action.startsWith('s3:')))
      .map(({ owner }) => owner.replace(/[0-9A-F]{8}$/, ''));
    expect(new Set(owners)).toEqual(new Set(['Rolemedia', 'Roleconsumeroutcome', 'Roleconsumerbulk']));
    const written = statementsOf(plain.apps[environment])
      .filter(({ actions }) => actions.includes('s3:PutObject'))
      .flatMap(({ owner, resources }) => resources.map((name) => [owner.replace(/[0-9A-F]{8}$/, ''), name]));
    const name = `arn:aws:s3:::messaging-${environment}-uploads-${AWS.account}-${AWS.region}`;
    expect(
      new Map(
        Object.entries(Object.groupBy(written, ([owner]) => owner ?? '')).map(([owner, all]) => [
          owner,
          all?.map(([, one]) => one),
        ]),
      ),
    ).toEqual(
      new Map([
        ['Rolemedia', [`${name}/uploads/*`]],
        ['Roleconsumeroutcome', [`${name}/uploads/*`, `${name}/card-uploads/*`, `${name}/cards/*`]],
        ['Roleconsumerbulk', [`${name}/imports/*`, `${name}/exports/*`]],
      ]),
    );
  });

  it('is used with the key that encrypts its objects, through S3 alone: without the key every presigned URL is refused', () => {
    const byBuckets = statementsOf(plain.apps[environment]).filter(({ conditions }) =>
      /kms:ViaService.*"s3\./.test(JSON.stringify(conditions)),
    );
    expect(new Set(byBuckets.map(({ owner }) => owner.replace(/[0-9A-F]{8}$/, '')))).toEqual(
      new Set(['Rolemedia', 'Roleconsumeroutcome', 'Roleconsumerbulk']),
    );
    for (const { actions } of byBuckets) expect(actions).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
  });

  it('is in the environment of every function that may use it', () => {
    const name = bucket?.Properties.BucketName;
    for (const { Properties } of resourcesOf(plain.apps[environment], 'AWS::Lambda::Function'))
      if (String(Properties.FunctionName).includes('-media-'))
        expect(textOf(Properties.Environment.Variables.UPLOAD_BUCKET)).toBe(textOf(name));
  });
});

describe('the gateway', () => {
  it('passes every media type on as bytes, by all of its names, and JSON as text', () => {
    const types = binaryMediaTypes(contracts);
    expect(types).toEqual(['application/octet-stream', ...MEDIA_TYPE_NAMES].sort());
    expect(types).toEqual(expect.arrayContaining([...Object.keys(MEDIA_TYPES), 'image/jpg', 'audio/x-m4a']));
    expect(types).not.toContain('application/json');
  });

  it('passes on as bytes what the raw form accepts, and nothing else is accepted', async () => {
    const raw = OPERATIONS.find(({ id }) => id === 'media.upload-binary');
    if (!raw) throw new Error('There is no raw form.');
    const accepts = (type: string | undefined, base64 = true) =>
      'body' in
      readInput(raw, { ...exampleEvent(raw), isBase64Encoded: base64, headers: type ? { 'content-type': type } : {} });
    for (const type of binaryMediaTypes([raw])) expect(accepts(type), type).toBe(true);
    expect(accepts('IMAGE/JPG; q=1')).toBe(true);
    for (const type of ['image/gif', 'application/json', 'multipart/form-data; boundary=x', '', undefined])
      expect(accepts(type), type).toBe(false);
    expect(accepts('image/jpg', false), 'bytes that were read as text').toBe(false);
  });
});

describe('the gateway service', () => {
  it('authenticates callers by itself: it reads credentials and writes none, and records when a key was last used', () => {
    const statements = Object.values(on.services ?? {}).flatMap(statementsOf);
    const touching = (effect: string, action: string) =>
      statements
        .filter((one) => one.effect === effect && one.actions.includes(action))
        .map(({ conditions }) => JSON.stringify(conditions ?? {}));
    expect(touching('Deny', 'dynamodb:GetItem').join()).not.toContain('CRED#*');
    expect(touching('Deny', 'dynamodb:PutItem').filter((each) => each.includes('CRED#*'))).toHaveLength(2);
    expect(touching('Allow', 'dynamodb:UpdateItem').filter((each) => each.includes('KEY#*'))).toHaveLength(2);
  });

  it('is not created by default, and needs a known account', () => {
    expect(plain.services).toBeUndefined();
    const config = distributionOf(plain.edge);
    const isConsole = (one: Piece) => (one.Id ?? one.TargetOriginId) === 'console';
    expect(config.Origins.filter((one: Piece) => !isConsole(one))).toHaveLength(4);
    expect(config.CacheBehaviors.filter((one: Piece) => !isConsole(one))).toEqual([]);
    expect(() => deploy({ contracts, context: { gatewayService: 'true' } })).toThrow('known account');
    expect(() => deploy({ contracts, env: AWS, context: { gatewayService: 'true' } })).toThrow('publicUrl');
  });

  it.each(ENVIRONMENTS)(
    'of stage %s is reachable by CloudFront only, without a public load balancer',
    (environment) => {
      const stack = on.services?.[environment];
      if (!stack) throw new Error('There is no gateway service.');
      const [balancer] = resourcesOf(stack, 'AWS::ElasticLoadBalancingV2::LoadBalancer');
      expect(balancer?.Properties.Scheme).toBe('internal');
      for (const { Properties } of resourcesOf(stack, 'AWS::EC2::SecurityGroupIngress'))
        expect(Properties.CidrIp ?? Properties.CidrIpv6).toBeUndefined();
      for (const { Properties } of resourcesOf(stack, 'AWS::EC2::SecurityGroup'))
        for (const rule of Properties.SecurityGroupIngress ?? []) expect(rule.CidrIp).toBeUndefined();
      expect(resourcesOf(stack, 'AWS::EC2::NatGateway')).toEqual([]);
      const [service] = resourcesOf(stack, 'AWS::ECS::Service');
      expect(service?.Properties).toMatchObject({
        DesiredCount: STAGES[environment].gatewayTasks,
        LaunchType: 'FARGATE',
      });
    },
  );

  it.each(ENVIRONMENTS)(
    "of stage %s has its functions' variables, and may do what their contracts declare",
    (environment) => {
      const stack = on.services?.[environment];
      if (!stack) throw new Error('There is no gateway service.');
      const [container] = resourcesOf(stack, 'AWS::ECS::TaskDefinition')[0]?.Properties.ContainerDefinitions ?? [];
      const names = container.Environment.map(({ Name }: Piece) => Name);
      for (const name of ['STAGE', 'TABLE_NAME', 'PUBLIC_URL', 'KMS_KEY_ID', 'UPLOAD_BUCKET', 'EDGE'])
        expect(names).toContain(name);
      const actions = statementsOf(stack).flatMap((statement) => statement.actions);
      for (const action of ['dynamodb:PutItem', 's3:GetObject', 'kms:Decrypt']) expect(actions).toContain(action);
      for (const action of actions) expect(action).not.toMatch(/^(?:sqs|ses|sms-voice|lambda):/);
    },
  );

  it('receives the two paths with large bodies from the edge, for each stage, and serves exactly these', () => {
    const config = distributionOf(on.edge);
    expect(config.CacheBehaviors.map((one: Piece) => [one.PathPattern, one.TargetOriginId])).toEqual([
      ['/console', 'console'],
      ['/console/*', 'console'],
      ['/numbers/*/media', SERVICE_ORIGINS.live],
      ['/numbers/*/media/binary', SERVICE_ORIGINS.live],
    ]);
    expect(config.Origins.map((origin: Piece) => origin.Id)).toEqual([
      ...ENVIRONMENTS.flatMap((environment) => CONTRACTS.map((contract) => ORIGINS[contract][environment])),
      ...Object.values(SERVICE_ORIGINS),
      'console',
    ]);
    expect(SERVICE_ROUTER_CODE).toContain(JSON.stringify(SERVICE_ORIGINS));
    expect(SERVICE_ROUTER_CODE).not.toContain(JSON.stringify(ORIGINS.reference));
    expect(OPERATIONS.filter(isServed).map(({ path }) => path)).toEqual([
      '/numbers/{numberId}/media',
      '/numbers/{numberId}/media/binary',
      '/health',
    ]);
  });

  it('complies with AWS Solutions, or acknowledges findings next to the construct', () => {
    expect(findingsOf(on.app)).toEqual([]);
  });
});
