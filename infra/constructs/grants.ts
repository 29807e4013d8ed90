import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Uses } from '../../shared/contracts/define-operation.ts';
import { QUEUE_NAMES, type QueueName } from '../../shared/queues/queues.ts';
import { INDEXES } from '../../shared/storage/access-patterns.ts';

/** What the roles of a stage may reach, by ARN. */
export interface StageResources {
  readonly tableArn: string;
  readonly keyArn: string;
  readonly queueArns: Readonly<Record<QueueName, string>>;
  /** The live stage's table and key: only where the stage reads the live volume. */
  readonly liveVolume?: { readonly tableArn: string; readonly keyArn: string };
  readonly sendsRealSms: boolean;
}

/** What a role needs: what its operations declare, and for the machinery also the index of due work. */
export interface Reach extends Uses {
  readonly dueWork?: true;
}

/** All that the consumers and the dispatcher touch: they carry on what any operation began. */
export const MACHINERY: Reach = { table: 'write', queues: QUEUE_NAMES, vault: true, dueWork: true };

/** What a group of operations needs together. */
export const unionOf = (uses: readonly Uses[]): Reach => {
  const levels = ['write', 'read', 'none'] as const;
  return {
    table: levels.find((level) => uses.some(({ table }) => table === level)) ?? 'none',
    queues: QUEUE_NAMES.filter((name) => uses.some(({ queues }) => queues?.includes(name))),
    ...(uses.some(({ vault }) => vault) ? { vault: true } : {}),
    ...(uses.some(({ awsSms }) => awsSms) ? { awsSms: true } : {}),
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

/** The identities that AWS End User Messaging can send from, in this account and region. */
const SMS_IDENTITIES = ['phone-number', 'pool', 'sender-id'] as const;
export const smsIdentityArns = (scope: Construct): string[] =>
  SMS_IDENTITIES.map((kind) => Stack.of(scope).formatArn({ service: 'sms-voice', resource: kind, resourceName: '*' }));

/** The statements of a reach: each names its actions and its resources; nothing is granted that was not declared. */
export const statementsFor = (scope: Construct, reach: Reach, resources: StageResources): PolicyStatement[] => {
  const statements = tableStatements(scope, reach, resources);
  const queues = (reach.queues ?? []).map((name) => resources.queueArns[name]);
  if (queues.length > 0) statements.push(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queues }));
  if (reach.vault)
    statements.push(
      new PolicyStatement({ actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: [resources.keyArn] }),
    );
  if (reach.awsSms && resources.sendsRealSms)
    statements.push(new PolicyStatement({ actions: ['sms-voice:SendTextMessage'], resources: smsIdentityArns(scope) }));
  if (reach.liveVolume && resources.liveVolume) statements.push(...liveVolumeStatements(scope, resources.liveVolume));
  return statements;
};
