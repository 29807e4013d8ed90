import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct, IConstruct } from 'constructs';
import type { AwsCarrier } from '../../shared/contracts/define-operation.ts';
import { NAMES } from '../stages.ts';
import { carrierIdentities, type Reach, type StageResources, statementsFor } from './grants.ts';

export interface FunctionRoleProps {
  readonly description: string;
  readonly reach: Reach;
  readonly resources: StageResources;
  /** Queues that the functions take messages from. */
  readonly consumes?: readonly string[];
}

/** A token as cdk-nag prints it. */
const shown = (token: string, pseudo: string) => (token.includes('${Token') ? `<AWS::${pseudo}>` : token);

/** Says why a role may reach every upload. */
export const acknowledgeUploads = (role: IConstruct, resources: StageResources): void => {
  const { account, region } = Stack.of(role);
  const name = NAMES.uploadBucket(resources.environment);
  const bucket = `${name}-${shown(account, 'AccountId')}-${shown(region, 'Region')}`;
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${bucket}/uploads/*]`,
    reason:
      'An upload has a name of its own, made when it begins: the grant covers the folder of uploads in the one bucket that exists for them.',
  });
};

const CONSUME = ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];

/** A role of one or more functions, with one inline policy: what they declared, and writing to their own log groups. */
export class FunctionRole extends Role {
  readonly #logs: PolicyStatement;

  constructor(scope: Construct, id: string, { description, reach, resources, consumes = [] }: FunctionRoleProps) {
    const logs = new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'] });
    const statements = [logs, ...statementsFor(scope, reach, resources)];
    if (consumes.length > 0) statements.push(new PolicyStatement({ actions: CONSUME, resources: [...consumes] }));
    super(scope, id, {
      description,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Declared: new PolicyDocument({ statements }) },
    });
    this.#logs = logs;
    if (reach.uploads) acknowledgeUploads(this, resources);
    if (resources.sendsForReal) for (const carrier of reach.carriers ?? []) this.acknowledgeIdentities(carrier);
  }

  allowLogs(logGroup: ILogGroup): void {
    this.#logs.addResources(logGroup.logGroupArn);
  }

  private acknowledgeIdentities(carrier: AwsCarrier): void {
    const { account, region } = Stack.of(this);
    for (const arn of carrierIdentities(this, carrier)) {
      const [service, resource] = [arn.split(':')[2] ?? '', arn.slice(arn.lastIndexOf(':') + 1)];
      const place = `${service}:${shown(region, 'Region')}:${shown(account, 'AccountId')}:${resource}`;
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${place}]`,
        reason:
          'Which number, pool, sender or domain a message leaves from is a setting that the operator changes while the service runs; it cannot be known here. The grant stays inside this account and region, and sends only.',
      });
    }
  }
}
