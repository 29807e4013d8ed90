import { Aws, CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import {
  CachePolicy,
  CfnDistribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import { EDGE_HEADERS } from '../shared/contracts/edge.ts';
import { ENVIRONMENTS, type Environment } from '../shared/domain/core/actor.ts';
import { CONTRACTS, type ContractName } from '../shared/runtime/problem.ts';
import { acknowledge } from './constructs/acknowledge.ts';
import { ConsoleSite } from './constructs/console-site.ts';
import { ORIGINS, ROUTER_CODE, SERVICE_ORIGINS, SERVICE_ROUTER_CODE } from './constructs/edge-router.ts';
import { originSecret } from './constructs/origin-secret.ts';
import type { MessagingApi } from './constructs/rest-api.ts';
import type { GatewayServiceStack } from './gateway-service-stack.ts';

/** A custom domain. CloudFront requires the certificate in us-east-1. */
export interface CustomDomain {
  readonly name: string;
  readonly certificateArn: string;
  /** The hosted zone for the DNS records; without it they must be created manually. */
  readonly zone?: { readonly id: string; readonly name: string };
}

export interface EdgeStackProps extends StackProps {
  readonly apis: Readonly<Record<Environment, Readonly<Record<ContractName, MessagingApi>>>>;
  /** Gateway services, when switched on: one per stage, and the CloudFront path patterns that they serve. */
  readonly services?: {
    readonly stacks: Readonly<Record<Environment, GatewayServiceStack>>;
    readonly paths: readonly string[];
  };
  /** Of the edge's secret. */
  readonly generation: number;
  readonly domain?: CustomDomain;
  readonly webAclArn?: string;
  /** The built console. */
  readonly consoleFolder: string;
}

/** Origin of a gateway service, through a VPC origin. Uploads to Meta may take up to 60 s to answer. */
const serviceOrigin = (
  environment: Environment,
  { domainName, origin }: GatewayServiceStack,
): CfnDistribution.OriginProperty => ({
  id: SERVICE_ORIGINS[environment],
  domainName,
  vpcOriginConfig: { vpcOriginId: origin.vpcOriginId, originReadTimeout: 60, originKeepaliveTimeout: 60 },
});

/** Hosted zone id of every CloudFront distribution (a constant of Route 53). */
const CLOUDFRONT_ZONE = 'Z2FDTNDATAQYW2';
const YEAR = Duration.days(365);

/** One address for both contracts, both stages and the console: path and credential prefix select the origin. Nothing but the console's files is cached. */
export class EdgeStack extends Stack {
  /** The address that callers use, without a trailing slash. */
  readonly address: string;
  readonly #headers: ResponseHeadersPolicy;

  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    super(scope, id, props);
    this.#headers = this.securityHeaders();
    const site = new ConsoleSite(this, 'Console', props.consoleFolder);
    const distribution = this.createDistribution(props, site);
    site.grantRead(distribution);
    if (props.domain) this.createRecords(props.domain, distribution);
    this.address = `https://${props.domain?.name ?? distribution.attrDomainName}`;
    new CfnOutput(this, 'EdgeUrl', { value: this.address });
    new CfnOutput(this, 'DistributionDomainName', { value: distribution.attrDomainName });
    this.acknowledge(distribution, props);
  }

  /** An L1 construct, because the L2 `Distribution` binds origins to path patterns, and here a CloudFront Function selects the origin. */
  private createDistribution(
    { apis, services, domain, webAclArn, generation }: EdgeStackProps,
    site: ConsoleSite,
  ): CfnDistribution {
    const served = services ? this.serviceBehaviors(services.paths) : [];
    return new CfnDistribution(this, 'Distribution', {
      distributionConfig: {
        comment: 'Messaging: one address for both stages',
        enabled: true,
        httpVersion: 'http2and3',
        ipv6Enabled: true,
        // Only PriceClass_All includes South American edge locations.
        priceClass: 'PriceClass_All',
        origins: [
          ...ENVIRONMENTS.flatMap((environment) =>
            CONTRACTS.map((contract) => ({
              ...this.origin(ORIGINS[contract][environment], apis[environment][contract]),
              originCustomHeaders: [
                { headerName: EDGE_HEADERS.secret, headerValue: originSecret(environment, generation) },
              ],
            })),
          ),
          ...(services
            ? ENVIRONMENTS.map((environment) => serviceOrigin(environment, services.stacks[environment]))
            : []),
          site.origin,
        ],
        defaultCacheBehavior: this.behavior(this.router('Router', ROUTER_CODE), ORIGINS.reference.live),
        cacheBehaviors: [...site.behaviors, ...served],
        ...(domain ? { aliases: [domain.name] } : {}),
        viewerCertificate: domain
          ? {
              acmCertificateArn: domain.certificateArn,
              sslSupportMethod: 'sni-only',
              minimumProtocolVersion: 'TLSv1.2_2021',
            }
          : { cloudFrontDefaultCertificate: true },
        ...(webAclArn ? { webAclId: webAclArn } : {}),
      },
    });
  }

  private origin(id: string, { api, stageName }: MessagingApi): CfnDistribution.OriginProperty {
    return {
      id,
      domainName: `${api.restApiId}.execute-api.${Stack.of(api).region}.${Aws.URL_SUFFIX}`,
      originPath: `/${stageName}`,
      connectionAttempts: 2,
      connectionTimeout: 5,
      customOriginConfig: {
        originProtocolPolicy: 'https-only',
        originSslProtocols: ['TLSv1.2'],
        httpsPort: 443,
        // Longer than API Gateway's 29 s, so that callers get its time-out response and not CloudFront's.
        originReadTimeout: 35,
        originKeepaliveTimeout: 60,
      },
    };
  }

  private router(id: string, code: string): EdgeFunction {
    return new EdgeFunction(this, id, {
      comment: 'Picks the API by the path, and the stage by the prefix of the credential',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(code),
    });
  }

  private serviceBehaviors(paths: readonly string[]): CfnDistribution.CacheBehaviorProperty[] {
    const router = this.router('ServiceRouter', SERVICE_ROUTER_CODE);
    return paths.map((pathPattern) => ({ ...this.behavior(router, SERVICE_ORIGINS.live), pathPattern }));
  }

  private behavior(router: EdgeFunction, targetOriginId: string): CfnDistribution.DefaultCacheBehaviorProperty {
    return {
      targetOriginId,
      viewerProtocolPolicy: 'https-only',
      allowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      compress: true,
      cachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId,
      // All but Host: API Gateway selects the API by it.
      originRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
      responseHeadersPolicyId: this.#headers.responseHeadersPolicyId,
      functionAssociations: [{ eventType: 'viewer-request', functionArn: router.functionArn }],
    };
  }

  private securityHeaders(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'SecurityHeaders', {
      comment: 'Messaging: security headers on every answer',
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: { accessControlMaxAge: YEAR, includeSubdomains: true, override: true },
        // `override: false`: a response that sets its own policy keeps it.
        contentSecurityPolicy: {
          contentSecurityPolicy: "base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
          override: false,
        },
      },
    });
  }

  private createRecords({ name, zone }: CustomDomain, distribution: CfnDistribution): void {
    if (!zone) return;
    const hostedZone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: zone.id,
      zoneName: zone.name,
    });
    const target = RecordTarget.fromAlias({
      bind: () => ({ dnsName: distribution.attrDomainName, hostedZoneId: CLOUDFRONT_ZONE }),
    });
    new ARecord(this, 'Address4', { zone: hostedZone, recordName: name, target });
    new AaaaRecord(this, 'Address6', { zone: hostedZone, recordName: name, target });
  }

  private acknowledge(distribution: CfnDistribution, { domain, webAclArn }: EdgeStackProps): void {
    acknowledge(distribution, {
      'AwsSolutions-CFR1': 'Callers and the recipients of links may be in any country.',
      'AwsSolutions-CFR3':
        "Each request is in its stage's access log, by path template. A log of the edge would hold whole paths, and with them short-link codes and unsubscribe tokens.",
    });
    if (!webAclArn)
      acknowledge(distribution, {
        'AwsSolutions-CFR2':
          'The firewall has a monthly price and is switched on with `-c waf=true`; the stages limit their rates by themselves.',
      });
    if (!domain)
      acknowledge(distribution, {
        'AwsSolutions-CFR4':
          'CloudFront lets nobody choose the protocols of its own certificate; with `-c domainName=… -c certificateArn=…` TLS 1.2 is the least.',
      });
  }
}
