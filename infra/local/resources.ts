import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { QUEUES, type QueueDeclaration } from '../../shared/queues/queues.ts';
import { INDEXES, TABLE } from '../../shared/storage/table-indexes.ts';
import { deadLetterName, queueName, type Stage } from './stages.ts';

type IndexName = keyof typeof INDEXES;

const indexOf = (name: IndexName) => {
  const { partitionKey, sortKey, attributes } = INDEXES[name];
  return {
    IndexName: name,
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' as const },
      { AttributeName: sortKey, KeyType: 'RANGE' as const },
    ],
    Projection:
      attributes.length > 0
        ? { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...attributes] }
        : { ProjectionType: 'KEYS_ONLY' as const },
  };
};
const keyAttributesOf = (name: IndexName) => {
  const { partitionKey, sortKey, sortType } = INDEXES[name];
  return [
    { AttributeName: partitionKey, AttributeType: 'S' as const },
    { AttributeName: sortKey, AttributeType: sortType },
  ];
};

const INDEX_NAMES = Object.keys(INDEXES) as IndexName[];

const createTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: TABLE.partitionKey, AttributeType: 'S' },
        { AttributeName: TABLE.sortKey, AttributeType: 'S' },
        ...INDEX_NAMES.flatMap(keyAttributesOf),
      ],
      KeySchema: [
        { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
        { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: INDEX_NAMES.map(indexOf),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
  const TimeToLiveSpecification = { AttributeName: TABLE.timeToLive, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
};

const STREAM = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
/** Enables a table's stream, as deployed tables have it, or disables it. */
export const ensureStream = async (client: DynamoDBClient, TableName: string, isOn = true): Promise<void> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  if ((Table?.StreamSpecification?.StreamEnabled ?? false) === isOn) return;
  const StreamSpecification = isOn ? STREAM : { StreamEnabled: false };
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
};

/** Creates the table with its indexes, or adds the indexes that an existing table lacks. */
export const ensureTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  const described = await client.send(new DescribeTableCommand({ TableName })).catch((error: unknown) => {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  });
  if (!described) return createTable(client, TableName);
  const present = new Set(described.Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const name of INDEX_NAMES) {
    if (present.has(name)) continue;
    const update = {
      TableName,
      AttributeDefinitions: keyAttributesOf(name),
      GlobalSecondaryIndexUpdates: [{ Create: indexOf(name) }],
    };
    await client.send(new UpdateTableCommand(update));
  }
};

/** Refuses a queue's attributes because it exists with others. Engines name it differently. */
const OTHER_ATTRIBUTES = /Queue(?:NameExists|AlreadyExists)$/;
/** Creates a queue, or updates the attributes of an existing one. Returns its URL. One call, unless its attributes were others. */
const ensureQueue = async (
  client: SQSClient,
  QueueName: string,
  Attributes: Record<string, string>,
): Promise<string> => {
  const created = await client.send(new CreateQueueCommand({ QueueName, Attributes })).catch((error: unknown) => {
    if (error instanceof Error && OTHER_ATTRIBUTES.test(error.name)) return undefined;
    throw error;
  });
  if (created) return created.QueueUrl ?? '';
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName }));
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  return QueueUrl;
};

const FOURTEEN_DAYS = String(14 * 86_400);

/** Replaces the origin of a queue URL, because the embedded engine keeps the port of its first start in them. */
const rebaseUrl = (endpoint: string | undefined, queueUrl: string): string =>
  endpoint === undefined ? queueUrl : new URL(new URL(queueUrl).pathname, endpoint).href;

/** A queue with its dead-letter queue. */
export interface StageQueue {
  readonly url: string;
  readonly deadLetterUrl: string;
  readonly arn: string;
}

/** The queues' URLs by short name. */
export const queueUrls = (queues: Readonly<Record<string, StageQueue>>): Record<string, string> =>
  Object.fromEntries(Object.entries(queues).map(([name, { url }]) => [name, url]));

/** The ARN of a queue by its name. */
type QueueArns = (name: string) => string;
/** The ARNs of the queues beside one that exists: they differ by the name alone. */
const queueArns = async (client: SQSClient, QueueUrl: string): Promise<QueueArns> => {
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const arn = Attributes?.QueueArn ?? '';
  return (name) => `${arn.slice(0, arn.lastIndexOf(':') + 1)}${name}`;
};

/** Creates a stage's queues and dead-letter queues. Returns them by short name. */
export const ensureQueues = async (
  client: SQSClient,
  stage: Stage,
  rebase?: string,
): Promise<Record<string, StageQueue>> => {
  const queues: Record<string, StageQueue> = {};
  let arns: QueueArns | undefined;
  for (const declaration of Object.values<QueueDeclaration>(QUEUES)) {
    const { name, visibilitySeconds, maxReceives } = declaration;
    const retention = { MessageRetentionPeriod: FOURTEEN_DAYS };
    const deadLetterUrl = await ensureQueue(client, deadLetterName(stage, name), retention);
    arns ??= await queueArns(client, deadLetterUrl);
    const deadLetterTargetArn = arns(deadLetterName(stage, name));
    const url = await ensureQueue(client, queueName(stage, name), {
      ...retention,
      VisibilityTimeout: String(visibilitySeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: maxReceives }),
    });
    queues[name] = {
      url: rebaseUrl(rebase, url),
      deadLetterUrl: rebaseUrl(rebase, deadLetterUrl),
      arn: arns(queueName(stage, name)),
    };
  }
  return queues;
};
