import { Stack, type StackProps } from 'aws-cdk-lib';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';

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
