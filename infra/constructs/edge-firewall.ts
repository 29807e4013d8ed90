import { Stack, type StackProps } from 'aws-cdk-lib';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { EDGE_HEADERS } from '../../shared/contracts/edge.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { ApiStage } from './api-stage.ts';
import { acceptedGenerations, originSecret } from './origin-secret.ts';

/** Requests of one IP address in five minutes, above which it is blocked. */
const PER_ADDRESS = 30_000;

const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: false,
});

/** AWS managed rule groups. Rules under `onlyCount` would block legitimate bodies (large, or with HTML) and server-side clients. */
const MANAGED = [
  { name: 'AWSManagedRulesAmazonIpReputationList', onlyCount: [] },
  { name: 'AWSManagedRulesKnownBadInputsRuleSet', onlyCount: [] },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    onlyCount: ['SizeRestrictions_BODY', 'CrossSiteScripting_BODY', 'GenericRFI_BODY', 'NoUserAgent_HEADER'],
  },
] as const;

const managedRule = ({ name, onlyCount }: (typeof MANAGED)[number], priority: number): CfnWebACL.RuleProperty => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: onlyCount.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visibility(name),
});

/** Allows requests with one of the edge's secrets. CloudFormation resolves the secret; the gateway would not pass it to a condition. */
const provenRule = (environment: Environment, generation: number, priority: number): CfnWebACL.RuleProperty => ({
  name: `Generation${generation}`,
  priority,
  action: { allow: {} },
  statement: {
    byteMatchStatement: {
      fieldToMatch: { singleHeader: { Name: EDGE_HEADERS.secret } },
      positionalConstraint: 'EXACTLY',
      searchString: originSecret(environment, generation),
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  },
  visibilityConfig: visibility(`Generation${generation}`),
});

/**
 * The web ACL of a stage's gateways, which blocks requests that bypass the edge, including those that the gateway answers without a
 * function. The rules on callers are only at the edge, since each request would otherwise be charged twice.
 */
export const protectStages = (
  scope: Construct,
  { environment, generation }: { readonly environment: Environment; readonly generation: number },
  stages: readonly ApiStage[],
): void => {
  const acl = new CfnWebACL(scope, 'WebAcl', {
    scope: 'REGIONAL',
    defaultAction: { block: {} },
    description: `Messaging, ${environment}: lets the edge in.`,
    visibilityConfig: visibility(`messaging-${environment}`),
    rules: acceptedGenerations(generation).map((each, index) => provenRule(environment, each, index)),
  });
  for (const [index, { stage }] of stages.entries())
    new CfnWebACLAssociation(scope, `WebAcl${index}`, { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
};

/** The web ACL of the edge. A separate stack, because CloudFront accepts web ACLs from us-east-1 only. */
export class FirewallStack extends Stack {
  readonly webAclArn: string;

  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      description: 'Messaging: blocks known bad callers and requests.',
      visibilityConfig: visibility('messaging-edge'),
      rules: [
        ...MANAGED.map(managedRule),
        {
          name: 'PerAddress',
          priority: MANAGED.length,
          action: { block: {} },
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: PER_ADDRESS, evaluationWindowSec: 300 } },
          visibilityConfig: visibility('PerAddress'),
        },
      ],
    });
    this.webAclArn = acl.attrArn;
  }
}
