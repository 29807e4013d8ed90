import { Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct, IConstruct } from 'constructs';
import type { AwsProvider, ObjectAccess } from '../../shared/contracts/define-operation.ts';
import { NAMES } from '../stages.ts';
import { acknowledge } from './acknowledge.ts';
import { identityArns, objectNames, type RoleGrants, type StageResources, statementsFor } from './grants.ts';

/** The permissions of a role. */
export interface FunctionRoleProps {
  readonly description: string;
  readonly grants: RoleGrants;
  readonly resources: StageResources;
  /** ARNs of the queues that the functions consume. */
  readonly consumes?: readonly string[];
  /** Permissions that no operation declares. */
  readonly more?: readonly PolicyStatement[];
  readonly tracing?: boolean;
}

/** An unresolved token as cdk-nag prints it in a finding's id. */
export const nagToken = (token: string, pseudo: string) => (token.includes('${Token') ? `<AWS::${pseudo}>` : token);

/** Acknowledges cdk-nag's finding on the wildcard of the upload objects. */
const acknowledgeObjects = (role: IConstruct, objects: readonly ObjectAccess[], resources: StageResources): void => {
  const { account, region } = Stack.of(role);
  const name = NAMES.uploadBucket(resources.environment);
  const bucket = `${name}-${nagToken(account, 'AccountId')}-${nagToken(region, 'Region')}`;
  const found = objects.map(
    (access) => `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${bucket}/${objectNames(access)}]`,
  );
  const reason =
    'The key of an object is generated when its upload or its job begins, so the grant covers the part of the bucket that exists for them only.';
  acknowledge(role, Object.fromEntries(found.map((id) => [id, reason])));
};

/** Acknowledges cdk-nag's findings on the sending identities of a service, which the operator chooses at run time. */
const acknowledgeIdentities = (role: IConstruct, provider: AwsProvider): void => {
  const { account, region } = Stack.of(role);
  for (const arn of identityArns(role as Construct, provider)) {
    const [service, resource] = [arn.split(':')[2] ?? '', arn.slice(arn.lastIndexOf(':') + 1)];
    const identity = `${service}:${nagToken(region, 'Region')}:${nagToken(account, 'AccountId')}:${resource}`;
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${identity}]`]:
        'The sending number, pool, sender id or domain is a provider setting that the operator changes at run time, so it is unknown at deployment. The grant allows sending only, within this account and region.',
    });
  }
};

/** Acknowledges cdk-nag's findings on a role's permissions. */
export const acknowledgeGrants = (role: IConstruct, grants: RoleGrants, resources: StageResources): void => {
  if (grants.objects?.length) acknowledgeObjects(role, grants.objects, resources);
  if (resources.sendsForReal) for (const provider of grants.awsProviders ?? []) acknowledgeIdentities(role, provider);
};

/** X-Ray's segments belong to no resource. */
const TRACE = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'];
const CONSUME = ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];

/** The role of one or more functions, with one inline policy: the declared grants, and writing to their own log groups. */
export class FunctionRole extends Role {
  readonly #logs: PolicyStatement;

  constructor(scope: Construct, id: string, props: FunctionRoleProps) {
    const { description, grants, resources, consumes = [], more = [], tracing = false } = props;
    const logs = new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'] });
    const statements = [logs, ...statementsFor(scope, grants, resources), ...more];
    if (consumes.length > 0) statements.push(new PolicyStatement({ actions: CONSUME, resources: [...consumes] }));
    if (tracing) statements.push(new PolicyStatement({ actions: TRACE, resources: ['*'] }));
    super(scope, id, {
      description,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Declared: new PolicyDocument({ statements }) },
    });
    this.#logs = logs;
    if (tracing)
      acknowledge(this, {
        'AwsSolutions-IAM5[Resource::*]':
          'Traces are switched on with `-c tracing=true`; the two actions that write them name no resource.',
      });
    acknowledgeGrants(this, grants, resources);
  }

  allowLogs(logGroup: ILogGroup): void {
    this.#logs.addResources(logGroup.logGroupArn);
  }
}
