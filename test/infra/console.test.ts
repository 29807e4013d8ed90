import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { PREVIEW_HEADERS, PREVIEW_PAGE, PREVIEW_PATH } from '../../infra/console/preview.ts';
import { AWS, deploy, distributionOf, type Piece, resourcesOf, textOf } from './support.ts';

const { edge } = deploy();
/** The origins of the stages' buckets, as presigned addresses have them. */
const BUCKETS = ['live', 'test'].map(
  (stage) => `https://messaging-${stage}-uploads-${AWS.account}-${AWS.region}.s3.${AWS.region}.amazonaws.com`,
);
const config = distributionOf(edge);
const functions = resourcesOf(edge, 'AWS::CloudFront::Function').map(({ Properties }) => Properties as Piece);
const code = functions.map(({ FunctionCode }) => textOf(FunctionCode)).find((text) => text.includes('PAGE')) ?? '';

let requests = 0;
const call = (uri: string): Piece => {
  const script = code.replace("import crypto from 'crypto';", '');
  const event = { request: { uri }, context: { requestId: `r${++requests}` } };
  return runInNewContext(`${script}; handler(event)`, { crypto: { createHash }, event });
};

describe("the console's function at the edge", () => {
  it('answers every path but that of a file with the page, under a policy that allows its own scripts alone', () => {
    for (const uri of ['/console', '/console/', '/console/messages/msg_1', '/console/sign-in', '/console/index.html']) {
      const { statusCode, headers, body } = call(uri);
      expect(statusCode, uri).toBe(200);
      const policy: string = headers['content-security-policy'].value;
      const nonce = /'nonce-([A-Za-z0-9+/=]{40,})'/.exec(policy)?.[1];
      expect(body.data).toBe(`<script nonce="${nonce}">`);
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "font-src 'self'",
        `connect-src 'self' ${BUCKETS.join(' ')}`,
        "frame-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(headers).toMatchObject({
        'cache-control': { value: 'no-store' },
        'x-content-type-options': { value: 'nosniff' },
        'referrer-policy': { value: 'no-referrer' },
        'strict-transport-security': { value: 'max-age=31536000; includeSubDomains' },
      });
    }
  });

  it('writes another nonce each time', () => {
    const nonces = Array.from({ length: 100 }, () => call('/console/').body.data);
    expect(new Set(nonces).size).toBe(100);
  });

  it("answers the preview's page under the policy that it has locally, without a script of the content", () => {
    const { statusCode, headers, body } = call(PREVIEW_PATH);
    expect(statusCode).toBe(200);
    expect(body.data).toBe(PREVIEW_PAGE);
    for (const [name, value] of Object.entries(PREVIEW_HEADERS)) expect(headers[name], name).toEqual({ value });
    expect(headers).toMatchObject({ 'strict-transport-security': { value: 'max-age=31536000; includeSubDomains' } });
    const script = /<script>([^<]+)<\/script>/.exec(PREVIEW_PAGE)?.[1] ?? '';
    const hash = createHash('sha256').update(script).digest('base64');
    const policy = PREVIEW_HEADERS['content-security-policy']?.split('; ') ?? [];
    expect(policy).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${hash}'`,
      "style-src 'unsafe-inline'",
      'img-src https: data:',
      "form-action 'none'",
      "base-uri 'none'",
      "frame-src 'none'",
      "frame-ancestors 'self'",
      'sandbox allow-scripts',
    ]);
  });

  it('lets files through, and of the page nothing but by itself', () => {
    for (const uri of ['/console/assets/index-a1.js', '/console/scheme.js']) expect(call(uri), uri).toEqual({ uri });
    for (const uri of ['/console/manifest.json', '/consolex', '/console/scheme.js/'])
      expect(call(uri).statusCode, uri).toBe(200);
  });

  it('fits into the 10 KB that CloudFront allows', () => {
    expect(code.length).toBeLessThan(10_240);
  });
});

describe("the console's files", () => {
  it('are read by CloudFront alone, signed, and only what lies below console/', () => {
    const origin = config.Origins.find(({ Id }: Piece) => Id === 'console');
    expect(origin).toMatchObject({
      OriginAccessControlId: expect.anything(),
      S3OriginConfig: { OriginAccessIdentity: '' },
    });
    const [access] = resourcesOf(edge, 'AWS::CloudFront::OriginAccessControl');
    expect(access?.Properties.OriginAccessControlConfig).toMatchObject({
      OriginAccessControlOriginType: 's3',
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    });
    const [bucket] = resourcesOf(edge, 'AWS::S3::Bucket');
    expect(bucket?.Properties.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    const statements: Piece[] = resourcesOf(edge, 'AWS::S3::BucketPolicy')[0]?.Properties.PolicyDocument.Statement;
    const read = statements.find(({ Action }) => Action === 's3:GetObject');
    expect(read).toMatchObject({ Effect: 'Allow', Principal: { Service: 'cloudfront.amazonaws.com' } });
    expect(JSON.stringify(read.Resource)).toContain('/console/*');
    expect(JSON.stringify(read.Condition)).toContain(':distribution/');
  });

  it('are served under /console only, to GET and HEAD', () => {
    const own = config.CacheBehaviors.filter(({ TargetOriginId }: Piece) => TargetOriginId === 'console');
    expect(own.map(({ PathPattern }: Piece) => PathPattern)).toEqual(['/console', '/console/*']);
    for (const behavior of own)
      expect(behavior).toMatchObject({
        AllowedMethods: ['GET', 'HEAD'],
        Compress: true,
        ViewerProtocolPolicy: 'redirect-to-https',
      });
  });

  it('are kept for a year if their names hold their hash, else for an hour; those of earlier builds stay', () => {
    const uploads = resourcesOf(edge, 'Custom::CDKBucketDeployment').map(({ Properties }) => Properties as Piece);
    expect(
      uploads.map(({ DestinationBucketKeyPrefix, SystemMetadata, Prune }) => [
        DestinationBucketKeyPrefix,
        SystemMetadata['cache-control'],
        Prune,
      ]),
    ).toEqual([
      ['console', 'public, max-age=3600', false],
      ['console/assets', 'public, max-age=31536000, immutable', false],
    ]);
  });
});
