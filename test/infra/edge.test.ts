import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ORIGINS, ROUTER_CODE } from '../../infra/constructs/edge-router.ts';
import { stageOf } from '../../infra/local/edge.ts';
import { NAMES } from '../../infra/stages.ts';
import { EDGE_HEADERS } from '../../shared/contracts/edge.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import { CONTRACTS } from '../../shared/runtime/problem.ts';
import { AWS, deploy, distributionOf, type Piece, resourcesOf, templateOf, textOf } from './support.ts';

const contracts = OPERATIONS.slice(0, 3);
const CERTIFICATE = 'arn:aws:acm:us-east-1:111122223333:certificate/a';
const DOMAIN = { domainName: 'api.example.com', certificateArn: CERTIFICATE };

const VIEWER = '198.51.100.7';
/** The origin that the deployed code selects; of the request it changes nothing but the header of the caller's address. */
const chosenBy = (code: string, target: string, authorization?: string): string | undefined => {
  let chosen: string | undefined;
  const cf = {
    selectRequestOriginById: (id: string) => {
      chosen = id;
    },
  };
  const headers = {
    ...(authorization === undefined ? {} : { authorization: { value: authorization } }),
    [EDGE_HEADERS.viewer]: { value: 'forged' },
  };
  const sent = { ...headers };
  const script = code.replace("import cf from 'cloudfront';", '');
  const [uri = '', query = ''] = target.split('?');
  const querystring = Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, { value }]));
  const request = { method: 'GET', uri, headers, querystring };
  const passedOn = runInNewContext(`${script}; handler(event)`, { cf, event: { request, viewer: { ip: VIEWER } } });
  expect(passedOn).toBe(request);
  const reported = { ...sent, [EDGE_HEADERS.viewer]: { value: VIEWER } };
  expect(request).toEqual({ method: 'GET', uri, headers: reported, querystring });
  return chosen;
};

describe('the choice of the stage at the edge', () => {
  const code = resourcesOf(deploy({ contracts }).edge, 'AWS::CloudFront::Function')
    .map(({ Properties }) => Properties.FunctionCode as unknown)
    // The console's function names its buckets, which are known only when it is deployed: its code is no plain text.
    .find((each): each is string => typeof each === 'string' && each.includes('selectRequestOriginById')) as string;

  it.each<[string, string | undefined, Environment]>([
    ['/v2/sms/messages', 'Bearer svc_test_abc', 'test'],
    ['/v2/sms/messages', 'bearer svc_test_abc', 'test'],
    ['/v2/sms/messages', 'Bearer svc_session_test_abc', 'test'],
    ['/v2/sms/messages', 'Bearer svc_live_abc', 'live'],
    ['/v2/sms/messages', 'Bearer svc_session_live_abc', 'live'],
    ['/v2/sms/messages', 'Bearer svc_live_svc_test_', 'live'],
    ['/v2/sms/messages', 'Basic svc_test_abc', 'live'],
    ['/v2/sms/messages', 'Bearer x svc_test_abc', 'live'],
    ['/v2/sms/messages', 'Bearer', 'live'],
    ['/v2/sms/messages', '', 'live'],
    ['/v2/sms/messages', undefined, 'live'],
    ['/r/tAbc123', undefined, 'test'],
    ['/u/tAbc123', undefined, 'test'],
    ['/r/lAbc123', undefined, 'live'],
    ['/u/lAbc123', undefined, 'live'],
    ['/sessions?env=test', undefined, 'test'],
    ['/sessions/links?env=test', undefined, 'test'],
    ['/sessions?env=live', undefined, 'live'],
    ['/sessions', undefined, 'live'],
    ['/v2/sms/messages?env=test', undefined, 'live'],
    ['/sessionsx?env=test', undefined, 'live'],
    ['/r/Abc123', undefined, 'live'],
    ['/u/Tbc123', undefined, 'live'],
    ['/v2/r/tAbc', undefined, 'live'],
    ['/r', undefined, 'live'],
    ['/', undefined, 'live'],
    ['/health', undefined, 'live'],
  ])('sends %s with %s to %s', (uri, authorization, expected) => {
    expect(chosenBy(code, uri, authorization)).toBe(ORIGINS.reference[expected]);
    // The local stack applies the same rule.
    const [path = '', query] = uri.split('?');
    expect(stageOf(path, authorization, query)).toBe(expected);
  });

  it.each<[string, string | undefined, string]>([
    ['/v1/messages', 'Bearer svc_test_abc', ORIGINS.v1.test],
    ['/v1/messages', 'Bearer svc_live_abc', ORIGINS.v1.live],
    ['/v1/messages', undefined, ORIGINS.v1.live],
    ['/v1/no-such-path', undefined, ORIGINS.v1.live],
    ['/v1', 'Bearer svc_test_abc', ORIGINS.reference.test],
    ['/v10/messages', undefined, ORIGINS.reference.live],
    ['/v2/v1/messages', undefined, ORIGINS.reference.live],
  ])('sends %s with %s to %s: /v1 has an API of its own', (uri, authorization, expected) => {
    expect(chosenBy(code, uri, authorization)).toBe(expected);
  });

  it('is small enough for CloudFront', () => {
    expect(ROUTER_CODE.length).toBeLessThan(10_240);
    expect(code).toBe(ROUTER_CODE);
  });
});

describe('the distribution', () => {
  const { edge } = deploy({ contracts });
  const config = distributionOf(edge);

  it('has a TLS 1.2 origin for each contract of each stage, at the path of the stage; live is the default', () => {
    const origins = config.Origins.filter(({ Id }: Piece) => Id !== 'console');
    expect(origins.map((origin: Piece) => [origin.Id, origin.OriginPath])).toEqual(
      ENVIRONMENTS.flatMap((name) => CONTRACTS.map((contract) => [ORIGINS[contract][name], `/${name}`])),
    );
    for (const origin of origins) {
      expect(origin.CustomOriginConfig).toMatchObject({
        OriginProtocolPolicy: 'https-only',
        OriginSSLProtocols: ['TLSv1.2'],
      });
      expect(textOf(origin.DomainName)).toMatch(
        /^Messaging-(?:Live|Test)-Api:.*\.execute-api\.sa-east-1\.amazonaws\.com$/,
      );
    }
    expect(config.DefaultCacheBehavior.TargetOriginId).toBe(ORIGINS.reference.live);
  });

  it('caches nothing of the API, allows every method, and refuses plain http', () => {
    const behavior = config.DefaultCacheBehavior;
    expect(config.CacheBehaviors.map(({ TargetOriginId }: Piece) => TargetOriginId)).toEqual(['console', 'console']);
    expect(behavior.CachePolicyId).toBe('4135ea2d-6df8-44a3-9df3-4b5a84be39ad');
    expect(behavior.OriginRequestPolicyId).toBe('b689b0a8-53d0-40ab-baf2-68738e2966ac');
    expect(behavior.ViewerProtocolPolicy).toBe('https-only');
    expect([...behavior.AllowedMethods].sort()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);
    expect(behavior.FunctionAssociations.map((one: Piece) => one.EventType)).toEqual(['viewer-request']);
  });

  it('adds security headers to every response, and no CORS headers', () => {
    const policy = resourcesOf(edge, 'AWS::CloudFront::ResponseHeadersPolicy')[0]?.Properties
      .ResponseHeadersPolicyConfig;
    expect(Object.keys(policy.SecurityHeadersConfig).sort()).toEqual([
      'ContentSecurityPolicy',
      'ContentTypeOptions',
      'FrameOptions',
      'ReferrerPolicy',
      'StrictTransportSecurity',
    ]);
    expect(policy.CorsConfig).toBeUndefined();
  });
});

describe('a domain of its own', () => {
  it('has its certificate, at least TLS 1.2, and DNS records if the zone is known', () => {
    const { edge } = deploy({ contracts, context: { ...DOMAIN, hostedZoneId: 'Z1', hostedZoneName: 'example.com' } });
    expect(distributionOf(edge)).toMatchObject({
      Aliases: ['api.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: CERTIFICATE,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
    });
    expect(
      resourcesOf(edge, 'AWS::Route53::RecordSet')
        .map(({ Properties }) => Properties.Type)
        .sort(),
    ).toEqual(['A', 'AAAA']);
    expect(templateOf(edge).Outputs?.EdgeUrl).toEqual({ Value: 'https://api.example.com' });
  });

  it('needs no zone', () => {
    expect(resourcesOf(deploy({ contracts, context: DOMAIN }).edge, 'AWS::Route53::RecordSet')).toEqual([]);
  });

  it.each([
    [{ domainName: 'api.example.com' }, /certificateArn of us-east-1/],
    [{ ...DOMAIN, certificateArn: CERTIFICATE.replace('us-east-1', 'sa-east-1') }, /certificateArn of us-east-1/],
    [{ ...DOMAIN, hostedZoneId: 'Z1' }, /belong together/],
    [{ waf: 'true' }, /known account and region/],
  ])('is refused with an explanation when given only %o', (context, message) => {
    expect(() => deploy({ contracts, context })).toThrow(message);
  });
});

describe('the firewall', () => {
  it.each([AWS.region, 'us-east-1'])(
    'is in us-east-1 when the service runs in %s, and protects the distribution',
    (region) => {
      const { app, edge, firewall } = deploy({
        contracts,
        context: { waf: 'true' },
        env: { account: AWS.account, region },
      });
      expect(firewall?.region).toBe('us-east-1');
      expect(firewall && resourcesOf(firewall, 'AWS::WAFv2::WebACL')[0]?.Properties.Scope).toBe('CLOUDFRONT');
      const before = app
        .synth()
        .getStackByName(NAMES.edgeStack)
        .dependencies.map(({ id }) => id);
      expect(before).toContain(NAMES.firewallStack);
      expect(distributionOf(edge).WebACLId).toBeDefined();
    },
  );

  it('is not created by default', () => {
    expect(deploy({ contracts }).firewall).toBeUndefined();
  });
});
