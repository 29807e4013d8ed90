import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { rootKeyContext } from '../../shared/domain/core/secrets.ts';
import { s3ArchiveBucket } from '../../shared/providers/archive/s3-bucket.ts';
import type { QueuePair } from '../../shared/queues/dead-letters.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { rootKeysOf } from './root-keys.ts';
import type { Target } from './target.ts';

const urls = z.string().transform((text) => z.record(z.string(), z.url()).parse(JSON.parse(text)));

/** The outputs of a stage's application stack. */
const outputs = z.object({
  TableName: z.string(),
  KmsKeyId: z.string(),
  QueueUrls: urls,
  QueueDlqUrls: urls,
  ArchiveBucket: z.string().optional(),
});
type StackOutputs = z.output<typeof outputs>;

const STACK_NAME_PARTS: Readonly<Record<Environment, string>> = { live: 'Live', test: 'Test' };

const readStack = async (client: CloudFormationClient, StackName: string): Promise<StackOutputs> => {
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const found = Object.fromEntries(
    (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]),
  );
  const parsed = outputs.safeParse(found);
  if (parsed.success) return parsed.data;
  throw new Error(
    `The stack ${StackName} lacks usable outputs: ${parsed.error.issues.map(({ path }) => String(path[0])).join(', ')}.`,
  );
};

const pairOf = ({ QueueUrls, QueueDlqUrls }: StackOutputs, name: string): QueuePair => {
  const [url, deadLetterUrl] = [QueueUrls[name], QueueDlqUrls[name]];
  if (url === undefined || deadLetterUrl === undefined)
    throw new Error(`The stack's outputs lack the queue ${name} or its dead-letter queue.`);
  return { url, deadLetterUrl };
};

/** Opens the stages deployed under a stack prefix, in the account and region of the current AWS credentials. */
export const openDeployed = async (stagePrefix: string): Promise<Target> => {
  const formation = new CloudFormationClient({});
  const read = (env: Environment) => readStack(formation, `${stagePrefix}-${STACK_NAME_PARTS[env]}-App`);
  const [live, test] = await Promise.all([read('live'), read('test')]);
  const stacks = { live, test };
  const client = tableClient();
  const sqs = new SQSClient({});
  const tables = { live: new Table(client, live.TableName), test: new Table(client, test.TableName) };
  return {
    tables,
    sqs,
    queue: async (env, name) => pairOf(stacks[env], name),
    supportsMoveTasks: true,
    ...rootKeysOf(tables, async (env) => {
      const { kmsKeyProvider } = await import('../../shared/providers/keys/kms-key-provider.ts');
      return (name) => kmsKeyProvider({ keyId: stacks[env].KmsKeyId, context: rootKeyContext(env, name) });
    }),
    archive: (env) => {
      const { ArchiveBucket } = stacks[env];
      if (ArchiveBucket === undefined) throw new Error(`The ${env} stage has no archive (archiveAfterDays).`);
      return s3ArchiveBucket(ArchiveBucket);
    },
    close: async () => {
      for (const each of [formation, client, sqs]) each.destroy();
    },
  };
};
