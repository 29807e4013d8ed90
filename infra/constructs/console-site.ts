import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CfnElement, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  CachePolicy,
  type CfnDistribution,
  CfnOriginAccessControl,
  Function as EdgeFunction,
  FunctionCode,
  FunctionRuntime,
  HeadersReferrerPolicy,
  ResponseHeadersPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { consoleFunctionCode } from '../console/edge-function.ts';
import { cacheControl, FILE_HEADERS } from '../console/page.ts';
import { acknowledge } from './acknowledge.ts';
import { nagToken } from './function-role.ts';
import { uploadOrigin } from './upload-bucket.ts';

const ORIGIN = 'console';
const PREFIX = 'console';
/** Part of the build, and of no use to a browser: the page is answered by the function. */
const NOT_SERVED = ['index.html', 'manifest.json'];

/**
 * The console at the edge: a bucket with its files, which CloudFront alone reads, and a function that answers its page. Files of earlier
 * builds stay, for pages that are open while another build is deployed.
 */
export class ConsoleSite extends Construct {
  readonly origin: CfnDistribution.OriginProperty;
  readonly behaviors: readonly CfnDistribution.CacheBehaviorProperty[];
  readonly #bucket: Bucket;

  /** `folder`: the built console. */
  constructor(scope: Construct, id: string, folder: string) {
    super(scope, id);
    this.#bucket = this.createBucket();
    this.upload(folder);
    const accessControl = new CfnOriginAccessControl(this, 'AccessControl', {
      originAccessControlConfig: {
        name: `${Stack.of(this).stackName}-console`,
        originAccessControlOriginType: 's3',
        signingBehavior: 'always',
        signingProtocol: 'sigv4',
      },
    });
    this.origin = {
      id: ORIGIN,
      domainName: this.#bucket.bucketRegionalDomainName,
      originAccessControlId: accessControl.attrId,
      // With an access control it stays empty; CloudFront requires it all the same.
      s3OriginConfig: { originAccessIdentity: '' },
    };
    this.behaviors = this.createBehaviors(folder);
  }

  /** Lets the distribution, and nothing else, read the files. */
  grantRead(distribution: CfnDistribution): void {
    const { account, partition } = Stack.of(this);
    this.#bucket.addToResourcePolicy(
      new PolicyStatement({
        actions: ['s3:GetObject'],
        principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
        resources: [this.#bucket.arnForObjects(`${PREFIX}/*`)],
        conditions: {
          StringEquals: {
            'AWS:SourceArn': `arn:${partition}:cloudfront::${account}:distribution/${distribution.attrId}`,
          },
        },
      }),
    );
  }

  private createBucket(): Bucket {
    const bucket = new Bucket(this, 'Files', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acknowledge(bucket, {
      'AwsSolutions-S1':
        'It holds the files of a public page, which CloudFront alone reads; a log would tell nothing of anybody.',
    });
    return bucket;
  }

  private upload(folder: string): void {
    // By its ARN: CDK's own type of a bucket does not compile under `exactOptionalPropertyTypes`.
    const destinationBucket = Bucket.fromBucketArn(this, 'Destination', this.#bucket.bucketArn);
    new BucketDeployment(this, 'Upload', {
      destinationBucket,
      destinationKeyPrefix: PREFIX,
      sources: [Source.asset(folder, { exclude: ['assets', 'assets/**', ...NOT_SERVED] })],
      cacheControl: [CacheControl.fromString(cacheControl('icon.svg'))],
      prune: false,
      memoryLimit: 256,
    });
    new BucketDeployment(this, 'UploadAssets', {
      destinationBucket,
      destinationKeyPrefix: `${PREFIX}/assets`,
      sources: [Source.asset(join(folder, 'assets'))],
      cacheControl: [CacheControl.fromString(cacheControl('assets/'))],
      prune: false,
      memoryLimit: 256,
    });
    this.acknowledgeUpload();
  }

  /** Acknowledges the permissions of CDK's own upload function. */
  private acknowledgeUpload(): void {
    const stack = Stack.of(this);
    const { account, region } = stack;
    const bucket = stack.getLogicalId(this.#bucket.node.defaultChild as CfnElement);
    const assets = `cdk-hnb659fds-assets-${nagToken(account, 'AccountId')}-${nagToken(region, 'Region')}`;
    const wildcards = [
      ...['Abort', 'DeleteObject', 'GetBucket', 'GetObject', 'List'].map((action) => `Action::s3:${action}*`),
      `Resource::<${bucket}.Arn>/*`,
      `Resource::arn:<AWS::Partition>:s3:::${assets}/*`,
    ];
    const reason =
      "CDK's function that uploads the console's files at a deployment reads CDK's own assets and writes any file of this bucket; nothing else is in it.";
    const handlers = stack.node.children.filter(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment'));
    if (handlers.length !== 1) throw new Error('CDK makes one function that uploads.');
    for (const handler of handlers)
      acknowledge(handler, {
        'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]':
          "CDK's function that uploads the console's files at a deployment logs by AWS's basic policy, as CDK makes it.",
        'AwsSolutions-L1':
          "CDK's function that uploads the console's files at a deployment has the runtime that this version of CDK gives it.",
        ...Object.fromEntries(wildcards.map((what) => [`AwsSolutions-IAM5[${what}]`, reason])),
      });
  }

  private createBehaviors(folder: string): CfnDistribution.CacheBehaviorProperty[] {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const files = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !NOT_SERVED.includes(entry.name))
      .map(({ name }) => name)
      .sort();
    const uploads = ENVIRONMENTS.map((environment) => uploadOrigin(this, environment));
    const code = consoleFunctionCode(page, files, uploads);
    const edgeFunction = new EdgeFunction(this, 'Page', {
      comment: "Answers the console's page with a nonce of its own",
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(code),
    });
    const headers = this.createHeaders();
    return ['/console', '/console/*'].map((pathPattern) => ({
      pathPattern,
      targetOriginId: ORIGIN,
      viewerProtocolPolicy: 'redirect-to-https',
      allowedMethods: ['GET', 'HEAD'],
      compress: true,
      cachePolicyId: CachePolicy.CACHING_OPTIMIZED.cachePolicyId,
      responseHeadersPolicyId: headers.responseHeadersPolicyId,
      functionAssociations: [{ eventType: 'viewer-request', functionArn: edgeFunction.functionArn }],
    }));
  }

  private createHeaders(): ResponseHeadersPolicy {
    const custom = Object.entries(FILE_HEADERS).filter(([name]) => name.startsWith('cross-origin-'));
    return new ResponseHeadersPolicy(this, 'Headers', {
      comment: "Messaging: headers of the console's files",
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
      },
      customHeadersBehavior: {
        customHeaders: custom.map(([header, value]) => ({ header, value, override: true })),
      },
    });
  }
}
