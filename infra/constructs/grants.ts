import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { AWS_CARRIERS, type AwsCarrier, type Uses } from '../../shared/contracts/define-operation.ts';
import type { Environment } from '../../shared/domain/actor.ts';
import { QUEUE_NAMES, type QueueName } from '../../shared/queues/queues.ts';
import { INDEXES } from '../../shared/storage/access-patterns.ts';

/** What the roles of a stage may reach, by ARN. */
export interface StageResources {
  readonly environment: Environment;
  readonly tableArn: string;
  readonly keyArn: string;
  readonly queueArns: Readonly<Record<QueueName, string>>;
  /** The bucket that uploads pass through. */
  readonly uploadsArn: string;
  /** The live stage's table and key: only where the stage reads the live volume. */
  readonly liveVolume?: { readonly tableArn: string; readonly keyArn: string };
  /** Whether the stage's messages may reach people: else no carrier is granted. */
  readonly sendsForReal: boolean;
}

/** What a role needs: what its operations declare, and for the machinery also the index of due work. */
export interface Reach extends Uses {
  readonly dueWork?: true;
}

/** All that the consumers and the dispatcher touch: they carry on what any operation began. */
export const MACHINERY: Reach = {
  table: 'write',
  queues: QUEUE_NAMES,
  vault: true,
  dueWork: true,
};
/** What the consumer of queued sends touches besides: it calls carriers and prices hops. */
export const SENDER: Reach = { ...MACHINERY, carriers: AWS_CARRIERS, liveVolume: true };

/** What a group of operations needs together. */
export const unionOf = (uses: readonly Uses[]): Reach => {
  const levels = ['write', 'read', 'none'] as const;
  return {
    table: levels.find((level) => uses.some(({ table }) => table === level)) ?? 'none',
    queues: QUEUE_NAMES.filter((name) => uses.some(({ queues }) => queues?.includes(name))),
    ...(uses.some(({ vault }) => vault) ? { vault: true } : {}),
    ...(uses.some(({ uploads }) => uploads) ? { uploads: true } : {}),
    carriers: AWS_CARRIERS.filter((name) => uses.some(({ carriers }) => carriers?.includes(name))),
    ...(uses.some(({ liveVolume }) => liveVolume) ? { liveVolume: true } : {}),
  };
};

const READ = ['dynamodb:BatchGetItem', 'dynamodb:GetItem'];
const WRITE = [
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];

/** DynamoDB asks the key in the caller's name; the condition keeps a role from opening anything by itself. */
const keyThroughTable = (scope: Construct, keyArn: string, write: boolean) =>
  new PolicyStatement({
    actions: [
      'kms:Decrypt',
      'kms:DescribeKey',
      ...(write ? ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'] : []),
    ],
    resources: [keyArn],
    conditions: {
      StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(scope).region}.${Stack.of(scope).urlSuffix}` },
    },
  });

const tableStatements = (scope: Construct, reach: Reach, { tableArn, keyArn }: StageResources): PolicyStatement[] => {
  if (reach.table === 'none') return [];
  const write = reach.table === 'write';
  const indexes = Object.keys(INDEXES).filter((name) => name !== 'due' || reach.dueWork);
  return [
    new PolicyStatement({ actions: [...READ, ...(write ? WRITE : [])], resources: [tableArn] }),
    new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: [tableArn, ...indexes.map((name) => `${tableArn}/index/${name}`)],
    }),
    keyThroughTable(scope, keyArn, write),
  ];
};

/** One row kind of the live table, by its key, and no other action on it. */
const liveVolumeStatements = (scope: Construct, live: NonNullable<StageResources['liveVolume']>): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['dynamodb:GetItem'],
    resources: [live.tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['VOLUME#*'] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  }),
  keyThroughTable(scope, live.keyArn, false),
];

/** How each carrier of AWS is called, and what it sends from, in this account and region: the operator chooses while the service runs. */
const CARRIERS: Readonly<
  Record<AwsCarrier, { service: string; actions: readonly string[]; kinds: readonly string[] }>
> = {
  end_user_messaging: {
    service: 'sms-voice',
    actions: ['sms-voice:SendRcsMessage', 'sms-voice:SendTextMessage'],
    kinds: ['phone-number', 'pool', 'rcs-agent', 'sender-id'],
  },
  ses: { service: 'ses', actions: ['ses:SendEmail'], kinds: ['identity', 'configuration-set'] },
};
/** The identities of a carrier as resources of a policy. */
export const carrierIdentities = (scope: Construct, carrier: AwsCarrier): string[] =>
  CARRIERS[carrier].kinds.map((resource) =>
    Stack.of(scope).formatArn({ service: CARRIERS[carrier].service, resource, resourceName: '*' }),
  );

/** Where an upload lies. Which one it will be is the caller's choice of a moment: all of them, and nothing else of the bucket. */
export const uploadObjects = ({ uploadsArn }: Pick<StageResources, 'uploadsArn'>): string => `${uploadsArn}/uploads/*`;

/** A presigned address can do what its maker may do. Who may not list is told that an object is forbidden, not that it is absent. */
const uploadStatements = (resources: StageResources): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
    resources: [uploadObjects(resources)],
  }),
  new PolicyStatement({
    actions: ['s3:ListBucket'],
    resources: [resources.uploadsArn],
    conditions: { StringLike: { 's3:prefix': 'uploads/*' } },
  }),
];

/** The statements of a reach: each names its actions and its resources; nothing is granted that was not declared. */
export const statementsFor = (scope: Construct, reach: Reach, resources: StageResources): PolicyStatement[] => {
  const statements = tableStatements(scope, reach, resources);
  const queues = (reach.queues ?? []).map((name) => resources.queueArns[name]);
  if (queues.length > 0)
    statements.push(
      // Who hands overdue work over asks how much of it is in the queue already.
      new PolicyStatement({
        actions: [...(reach.dueWork ? ['sqs:GetQueueAttributes'] : []), 'sqs:SendMessage'],
        resources: queues,
      }),
    );
  if (reach.vault)
    statements.push(
      new PolicyStatement({ actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: [resources.keyArn] }),
    );
  if (reach.uploads) statements.push(...uploadStatements(resources));
  for (const carrier of resources.sendsForReal ? (reach.carriers ?? []) : [])
    statements.push(
      new PolicyStatement({ actions: [...CARRIERS[carrier].actions], resources: carrierIdentities(scope, carrier) }),
    );
  if (reach.liveVolume && resources.liveVolume) statements.push(...liveVolumeStatements(scope, resources.liveVolume));
  return statements;
};
