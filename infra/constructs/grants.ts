import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import {
  AWS_PROVIDERS,
  AWS_SENDING_PROVIDERS,
  type AwsProvider,
  GUARDED_ROWS,
  OBJECT_ACCESS,
  type ObjectAccess,
  SENDING_KEYS,
  type Uses,
} from '../../shared/contracts/define-operation.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { ROOT_KEYS, type RootKey } from '../../shared/domain/core/secrets.ts';
import { QUEUE_NAMES, QUEUE_OF_KIND, type QueueName } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { INDEXES } from '../../shared/storage/table-indexes.ts';
import { guardStatements, inPartitions } from './row-guards.ts';

/** The resources of a stage that roles are granted, by ARN. */
export interface StageResources {
  readonly environment: Environment;
  readonly tableArn: string;
  readonly keyArn: string;
  readonly queueArns: Readonly<Record<QueueName, string>>;
  /** The upload bucket. */
  readonly uploadsArn: string;
  /** The live stage's table and key; only in a stage that reads the live volume counters. */
  readonly liveVolume?: { readonly tableArn: string; readonly keyArn: string };
  /** False in a stage that must not send to anybody: no AWS sending service is granted. */
  readonly sendsForReal: boolean;
  /** The only addresses that e-mails may be sent from, with `*` for any part; absent where organizations register their own. */
  readonly emailFrom?: readonly string[] | undefined;
}

/** A role's grants: those that its operations declare; consumers and the dispatcher also query the due index. */
export interface RoleGrants extends Uses {
  readonly dueWork?: true;
  /** Writes the latest use of keys, and no other row. */
  readonly keyUses?: true;
  /** The partitions that it may write, as patterns of `dynamodb:LeadingKeys`. */
  readonly partitions?: readonly string[];
}

/** Grants of the consumers and the dispatcher, which continue the work of any operation. */
export const BACKGROUND_GRANTS: RoleGrants = {
  table: 'write',
  queues: QUEUE_NAMES,
  dueWork: true,
};
/** Grants of consumers that send: they also call AWS's sending services and price fallback steps. */
export const SENDER_GRANTS: RoleGrants = {
  ...BACKGROUND_GRANTS,
  awsProviders: AWS_SENDING_PROVIDERS,
  liveVolume: true,
};

/** Additional root keys for steps of journeys: attributes of contacts, and the secrets that sign their posts. */
const JOURNEY_KEYS: readonly RootKey[] = ['contacts', 'webhooks'];

/** The root keys that the consumer of each queue opens; the dispatcher opens none. */
export const CONSUMER_ROOT_KEYS: Readonly<Record<QueueName, readonly RootKey[]>> = {
  send: [...SENDING_KEYS, ...JOURNEY_KEYS],
  critical: [...SENDING_KEYS, ...JOURNEY_KEYS],
  'critical-webhook': ['webhooks'],
  bulk: [...SENDING_KEYS, 'contacts', 'cursors'],
  push: ['content', 'push', 'recipients'],
  outcome: ['content', 'numbers', 'providers', 'recipients'],
  events: [],
  webhook: ['webhooks'],
  backlog: ['webhooks'],
};

/** The root keys that the SMPP service opens: for the addresses of binds, for recipients, and for provider settings. */
export const SMPP_SERVICE_ROOT_KEYS: readonly RootKey[] = ['people', 'providers', 'recipients'];

/** The objects that consumers reach. */
export const CONSUMER_OBJECTS: Readonly<Partial<Record<QueueName, readonly ObjectAccess[]>>> = {
  [QUEUE_OF_KIND.abandon_upload]: ['media', 'card_uploads', 'card_files'],
  [QUEUE_OF_KIND.run_job]: ['import_work', 'export_work'],
};

/** The union of the declarations of several operations that share a role. */
export const mergeGrants = (uses: readonly Uses[]): RoleGrants => {
  const levels = ['write', 'read', 'none'] as const;
  return {
    table: levels.find((level) => uses.some(({ table }) => table === level)) ?? 'none',
    queues: QUEUE_NAMES.filter((name) => uses.some(({ queues }) => queues?.includes(name))),
    writes: GUARDED_ROWS.filter((name) => uses.some(({ writes }) => writes?.includes(name))),
    rootKeys: ROOT_KEYS.filter((name) => uses.some(({ rootKeys }) => rootKeys?.includes(name))),
    objects: OBJECT_ACCESS.filter((name) => uses.some(({ objects }) => objects?.includes(name))),
    awsProviders: AWS_PROVIDERS.filter((name) => uses.some(({ awsProviders }) => awsProviders?.includes(name))),
    ...(uses.some(({ liveVolume }) => liveVolume) ? { liveVolume: true } : {}),
    ...(uses.some(({ operates }) => operates) ? { operates: true } : {}),
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

/** DynamoDB uses the KMS key on the caller's behalf; `kms:ViaService` keeps the role from using it directly. */
const keyUseByTable = (scope: Construct, keyArn: string, write: boolean) =>
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

/** S3 encrypts and decrypts objects of a stage's buckets with the KMS key on the caller's behalf, a presigned URL's included; without it every object is refused. */
export const keyUseByBuckets = (scope: Construct, keyArn: string): PolicyStatement => {
  const { region, urlSuffix } = Stack.of(scope);
  return new PolicyStatement({
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    resources: [keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `s3.${region}.${urlSuffix}` } },
  });
};

/** Writes to the partitions that the role's code can name, and to no others. */
const writeStatements = ({ table, partitions = [] }: RoleGrants, tableArn: string): PolicyStatement[] =>
  table === 'write' && partitions.length > 0
    ? [new PolicyStatement({ actions: WRITE, resources: [tableArn], conditions: inPartitions(partitions) })]
    : [];

const tableStatements = (
  scope: Construct,
  grants: RoleGrants,
  { tableArn, keyArn }: StageResources,
): PolicyStatement[] => {
  if (grants.table === 'none') return [];
  const write = grants.table === 'write';
  const indexes = Object.keys(INDEXES).filter((name) => name !== 'due' || grants.dueWork || grants.operates);
  return [
    new PolicyStatement({ actions: READ, resources: [tableArn] }),
    ...writeStatements(grants, tableArn),
    new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: [tableArn, ...indexes.map((name) => `${tableArn}/index/${name}`)],
    }),
    keyUseByTable(scope, keyArn, write),
    ...guardStatements(grants, tableArn, { read: [...READ, 'dynamodb:Query'], write: write ? WRITE : [] }),
  ];
};

/** Allows reading the month counters of live wallets, and nothing else: by `dynamodb:LeadingKeys`, and by the requested attributes. */
const liveVolumeStatements = (scope: Construct, live: NonNullable<StageResources['liveVolume']>): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['dynamodb:GetItem'],
    resources: [live.tableArn],
    conditions: {
      'ForAllValues:StringLike': {
        'dynamodb:LeadingKeys': [KEYS.wallet('*' as Id<'organization'>).pk],
        'dynamodb:Attributes': ['pk', 'sk', 'shape', 'taken_*', 'freed_*'],
      },
      // Without it a read that names no attribute would pass.
      Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
    },
  }),
  keyUseByTable(scope, live.keyArn, false),
];

/** Updates restricted to the rows of keys, by `dynamodb:LeadingKeys`. */
const keyUseStatements = (scope: Construct, { tableArn, keyArn }: StageResources): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['dynamodb:UpdateItem'],
    resources: [tableArn],
    conditions: inPartitions([KEYS.apiKey('*' as Id<'apiKey'>).pk]),
  }),
  keyUseByTable(scope, keyArn, true),
];

/** Actions and identity resource types of each AWS sending service. The operator chooses the identities at run time. */
const PROVIDER_ACCESS: Readonly<
  Record<AwsProvider, { service: string; actions: readonly string[]; kinds: readonly string[] }>
> = {
  end_user_messaging: {
    service: 'sms-voice',
    actions: ['sms-voice:SendRcsMessage', 'sms-voice:SendTextMessage'],
    kinds: ['phone-number', 'pool', 'rcs-agent', 'sender-id'],
  },
  ses: { service: 'ses', actions: ['ses:SendEmail'], kinds: ['identity', 'configuration-set'] },
  ses_identities: {
    service: 'ses',
    actions: ['ses:CreateEmailIdentity', 'ses:DeleteEmailIdentity', 'ses:GetEmailIdentity'],
    kinds: ['identity'],
  },
  ses_identity_state: { service: 'ses', actions: ['ses:GetEmailIdentity'], kinds: ['identity'] },
};
/** All sending identities of a service in this account and region, as policy resources. */
export const identityArns = (scope: Construct, provider: AwsProvider): string[] =>
  PROVIDER_ACCESS[provider].kinds.map((resource) =>
    Stack.of(scope).formatArn({ service: PROVIDER_ACCESS[provider].service, resource, resourceName: '*' }),
  );

const [READ_OBJECT, PUT_OBJECT, DELETE_OBJECT] = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'];
/** Actions on objects, and which those are: object keys are generated at run time. */
const OBJECTS: Readonly<Record<ObjectAccess, { readonly actions: readonly string[]; readonly name: string }>> = {
  media: { actions: [DELETE_OBJECT, READ_OBJECT, PUT_OBJECT], name: 'uploads/*' },
  import_upload: { actions: [DELETE_OBJECT, READ_OBJECT, PUT_OBJECT], name: 'imports/*/source' },
  import_errors: { actions: [READ_OBJECT], name: 'imports/*/errors.csv' },
  export_file: { actions: [READ_OBJECT], name: 'exports/*' },
  import_work: { actions: [DELETE_OBJECT, READ_OBJECT, PUT_OBJECT], name: 'imports/*' },
  export_work: { actions: ['s3:AbortMultipartUpload', DELETE_OBJECT, READ_OBJECT, PUT_OBJECT], name: 'exports/*' },
  card_uploads: { actions: [DELETE_OBJECT, READ_OBJECT, PUT_OBJECT], name: 'card-uploads/*' },
  card_files: { actions: [DELETE_OBJECT, READ_OBJECT, PUT_OBJECT], name: 'cards/*' },
};

/** The names of the objects of an access, as a pattern. */
export const objectNames = (access: ObjectAccess): string => OBJECTS[access].name;

/** A presigned URL carries its signer's permissions. Without ListBucket, S3 answers 403 instead of 404 for an absent object. */
const objectStatements = (
  scope: Construct,
  accesses: readonly ObjectAccess[],
  { uploadsArn, keyArn }: StageResources,
): PolicyStatement[] => {
  const granted = accesses.map((access) => OBJECTS[access]);
  const prefixes = [...new Set(granted.map(({ name }) => `${name.split('/')[0]}/*`))];
  return [
    ...granted.map(
      ({ actions, name }) => new PolicyStatement({ actions: [...actions], resources: [`${uploadsArn}/${name}`] }),
    ),
    new PolicyStatement({
      actions: ['s3:ListBucket'],
      resources: [uploadsArn],
      conditions: { StringLike: { 's3:prefix': prefixes } },
    }),
    keyUseByBuckets(scope, keyArn),
  ];
};

/** Wraps and unwraps root keys of these names, by the encryption context that each is bound to. */
const rootKeyStatement = (names: readonly RootKey[], { environment, keyArn }: StageResources): PolicyStatement =>
  new PolicyStatement({
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    resources: [keyArn],
    conditions: {
      StringEquals: {
        'kms:EncryptionContext:stage': environment,
        'kms:EncryptionContext:rootKey': [...names],
      },
    },
  });

/** The dead-letter queue of a queue, by its name. */
const deadLettersArn = (queueArn: string): string => `${queueArn}-dlq`;

/** Reads the depth of each queue, receives its dead letters, and moves them back: one by one, or all with a move task of SQS, which runs with the role's permissions. */
const operatorStatements = ({ queueArns }: StageResources): PolicyStatement[] => {
  const queues = Object.values(queueArns);
  const deadLetters = queues.map(deadLettersArn);
  return [
    new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [...queues, ...deadLetters] }),
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queues }),
    new PolicyStatement({
      actions: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:ReceiveMessage', 'sqs:StartMessageMoveTask'],
      resources: deadLetters,
    }),
  ];
};

/** The policy statements of a role's grants, each with explicit actions and resources. */
export const statementsFor = (scope: Construct, grants: RoleGrants, resources: StageResources): PolicyStatement[] => {
  const statements = tableStatements(scope, grants, resources);
  const queues = (grants.queues ?? []).map((name) => resources.queueArns[name]);
  if (queues.length > 0)
    statements.push(
      // The dispatcher checks the queue's depth before it enqueues overdue work.
      new PolicyStatement({
        actions: [...(grants.dueWork ? ['sqs:GetQueueAttributes'] : []), 'sqs:SendMessage'],
        resources: queues,
      }),
    );
  if (grants.operates) statements.push(...operatorStatements(resources));
  if (grants.rootKeys?.length) statements.push(rootKeyStatement(grants.rootKeys, resources));
  if (grants.objects?.length) statements.push(...objectStatements(scope, grants.objects, resources));
  for (const provider of resources.sendsForReal ? (grants.awsProviders ?? []) : [])
    statements.push(
      new PolicyStatement({
        actions: [...PROVIDER_ACCESS[provider].actions],
        resources: identityArns(scope, provider),
        ...(provider === 'ses' && resources.emailFrom
          ? { conditions: { StringLike: { 'ses:FromAddress': [...resources.emailFrom] } } }
          : {}),
      }),
    );
  if (grants.keyUses) statements.push(...keyUseStatements(scope, resources));
  if (grants.liveVolume && resources.liveVolume) statements.push(...liveVolumeStatements(scope, resources.liveVolume));
  return statements;
};
