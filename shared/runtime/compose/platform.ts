import { SQSClient } from '@aws-sdk/client-sqs';
import type { KeyProvider, Vault } from '../../domain/secrets.ts';
import { type Clock, systemClock } from '../../domain/time.ts';
import { keptFetch } from '../../providers/kept-connections.ts';
import { makePublisher, type Publisher } from '../../queues/publisher.ts';
import type { DueHint, QueueName } from '../../queues/queues.ts';
import { tableClient } from '../../storage/client.ts';
import { openVault } from '../../storage/root-key.ts';
import { Table } from '../../storage/table.ts';
import { type Config, config } from '../config.ts';
import { logger, measure } from '../observe.ts';
import { beforeAnswer } from '../scope.ts';

/** This function's environment, read as the module loads: one process may hold several stages, each with modules of its own. */
export const settings: Config = config();
export const clock: Clock = systemClock;
/** What providers are called with. */
export const providerFetch = keptFetch(clock);

const dynamo = tableClient(settings.DYNAMODB_ENDPOINT);

/** This stage's table. */
export const table = new Table(dynamo, settings.TABLE_NAME);
/** The live stage's table. The test stage may read its volume counters, and nothing else. */
export const liveTable = new Table(dynamo, settings.LIVE_TABLE_NAME);

let publisher: Publisher | undefined;
const queues = (): Publisher => {
  publisher ??= makePublisher(
    new SQSClient(settings.SQS_ENDPOINT ? { endpoint: settings.SQS_ENDPOINT, maxAttempts: 2 } : { maxAttempts: 2 }),
    settings.QUEUE_URLS,
    (queue, error) => {
      measure({ queue }, { PublishFailures: 1 });
      logger.warn('publish failed; the dispatcher will find the work', {
        queue,
        fault: error instanceof Error ? error.name : 'not an Error',
      });
    },
  );
  return publisher;
};

/** Hands committed work to its queue, `delaySeconds` from now; only a hint, so it may be lost. */
export const publishDue = (hints: readonly DueHint[], delaySeconds?: number): void =>
  beforeAnswer(queues().publish(hints, delaySeconds));

/** About how many hints wait in a queue. */
export const hintsWaiting = (queue: QueueName): Promise<number> => queues().waiting(queue);

const keyProvider = async (): Promise<KeyProvider> => {
  if (settings.LOCAL_KEY_FILE) {
    const { localKeyProvider } = await import('../../providers/keys/local-key-provider.ts');
    return localKeyProvider(settings.LOCAL_KEY_FILE);
  }
  if (!settings.KMS_KEY_ID)
    throw new Error('KMS_KEY_ID or LOCAL_KEY_FILE must be set for operations that keep personal data');
  const { kmsKeyProvider } = await import('../../providers/keys/kms-key-provider.ts');
  return kmsKeyProvider({ keyId: settings.KMS_KEY_ID, context: { stage: settings.STAGE } });
};

let opened: Promise<Vault> | undefined;
/** The stage's vault, opened once per process. A failure is not kept: the next call tries again. */
export const vault = (): Promise<Vault> => {
  opened ??= keyProvider()
    .then((keys) => openVault(table, keys))
    .catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
  return opened;
};
