import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Environment } from '../../shared/domain/actor.ts';
import { tableClient } from '../../shared/storage/client.ts';
import { Table } from '../../shared/storage/table.ts';
import type { QueuePair, Target } from './targets.ts';

const urls = z.string().transform((text) => z.record(z.string(), z.url()).parse(JSON.parse(text)));

/** What the application stack of a stage tells about itself. */
const outputs = z.object({ TableName: z.string(), KmsKeyId: z.string(), QueueUrls: urls, QueueDlqUrls: urls });
type StackOutputs = z.output<typeof outputs>;

const STACK_WORDS: Readonly<Record<Environment, string>> = { live: 'Live', test: 'Test' };

const readStack = async (client: CloudFormationClient, StackName: string): Promise<StackOutputs> => {
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const told = Object.fromEntries(
    (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]),
  );
  const parsed = outputs.safeParse(told);
  if (parsed.success) return parsed.data;
  throw new Error(
    `The stack ${StackName} does not say: ${parsed.error.issues.map(({ path }) => String(path[0])).join(', ')}.`,
  );
};

const pairOf = ({ QueueUrls, QueueDlqUrls }: StackOutputs, name: string): QueuePair => {
  const [url, deadLetterUrl] = [QueueUrls[name], QueueDlqUrls[name]];
  if (url === undefined || deadLetterUrl === undefined)
    throw new Error(`The stack does not name the queue ${name} and its dead letters.`);
  return { url, deadLetterUrl };
};

/** The stages deployed under a prefix, in the account and region of the AWS credentials at hand. */
export const openDeployed = async (stagePrefix: string): Promise<Target> => {
  const formation = new CloudFormationClient({});
  const read = (env: Environment) => readStack(formation, `${stagePrefix}-${STACK_WORDS[env]}-App`);
  const [live, test] = await Promise.all([read('live'), read('test')]);
  const stacks = { live, test };
  const client = tableClient();
  const sqs = new SQSClient({});
  const tables = { live: new Table(client, live.TableName), test: new Table(client, test.TableName) };
  return {
    tables,
    sqs,
    queue: async (env, name) => pairOf(stacks[env], name),
    movesMessages: true,
    vault: async (env) => {
      const { openVault } = await import('../../shared/storage/root-key.ts');
      const { kmsKeyProvider } = await import('../../shared/providers/keys/kms-key-provider.ts');
      return openVault(tables[env], kmsKeyProvider({ keyId: stacks[env].KmsKeyId, context: { stage: env } }));
    },
    close: async () => {
      for (const each of [formation, client, sqs]) each.destroy();
    },
  };
};
