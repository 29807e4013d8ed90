import { channel } from 'node:diagnostics_channel';
import { setConflictPatience } from '../../domain/core/retry-on-conflict.ts';
import { type KeyProvider, ROOT_KEYS, type RootKey, rootKeyContext, type Vault } from '../../domain/core/secrets.ts';
import { type Clock, systemClock } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { ProviderIo } from '../../domain/message/provider-port.ts';
import { fetchWithFreshConnections } from '../../providers/keep-alive.ts';
import { textCalls } from '../../providers/text-call.ts';
import type { QueueOperator } from '../../queues/dead-letters.ts';
import type { FailedMessage, Publisher } from '../../queues/publisher.ts';
import type { Publishable, QueueName } from '../../queues/queues.ts';
import { openVault } from '../../storage/access/root-key.ts';
import { tableClient } from '../../storage/client/client.ts';
import { Table } from '../../storage/client/table.ts';
import type { OnThrottle } from '../../storage/client/throttles.ts';
import { eventWorkItem } from '../../storage/due-work/outbox.ts';
import { type Config, config } from './config.ts';
import { logger, measure } from './observe.ts';
import { conflictPatience, finishBeforeAnswer } from './scope.ts';

/** This function's environment, read when the module loads: a process may hold several stages, each with its own module instances. */
export const settings: Config = config();
export const clock: Clock = systemClock;
/** The network and the time of providers' adapters. */
export const providerIo: ProviderIo = {
  callText: textCalls(clock),
  fetch: fetchWithFreshConnections(clock),
  now: clock,
};

setConflictPatience(conflictPatience);

const noteThrottle: OnThrottle = ({ command, reasons }) => {
  measure({}, { TableThrottles: 1 });
  logger.warn('the table throttled a call', { command, reasons });
};
const dynamo = tableClient(settings.DYNAMODB_ENDPOINT, noteThrottle, settings.TABLE_TIMEOUT_MS);

/** The stage's own table. */
export const table = new Table(dynamo, settings.TABLE_NAME, conflictPatience, settings.ARCHIVE_AFTER_DAYS);
/** The live stage's table, of which the test stage may read the volume counters only. */
export const liveTable = new Table(dynamo, settings.LIVE_TABLE_NAME);

const openSqs = async () => (await import('../../queues/client.ts')).queueClient(settings.SQS_ENDPOINT);

/** The client of the queues, loaded with the first call: most sends publish nothing. */
const openQueues = async (): Promise<Publisher> => {
  const [client, { makePublisher }] = await Promise.all([openSqs(), import('../../queues/publisher.ts')]);
  return makePublisher(client, settings.QUEUE_URLS, (queue, error) => {
    measure({ queue }, { PublishFailures: 1 });
    logger.warn('a call to the queue failed; its work is found all the same', {
      queue,
      fault: error instanceof Error ? error.name : 'not an Error',
    });
  });
};
let publisher: Promise<Publisher> | undefined;
const queues = (): Promise<Publisher> => {
  publisher ??= openQueues();
  return publisher;
};

/** Publishes committed work items, delayed by `delaySeconds`. Best effort: the dispatcher finds lost ones by their due rows. */
export const publishWork = (workItems: readonly Publishable[], delaySeconds?: number): void =>
  finishBeforeAnswer(queues().then(({ publish }) => publish(workItems, delaySeconds)));

/** Publishes due work items. Rejects unless the queue has all of them. */
export const handOver = async (workItems: readonly Publishable[]): Promise<void> =>
  (await queues()).handOver(workItems);

/** Publishes committed events early. Best effort, like `publishWork`. */
export const publishEvents = (events: readonly DomainEvent[]): void => {
  if (events.length > 0) publishWork(events.map(eventWorkItem));
};

/** Publishes committed work items for a time (ms). Best effort, like `publishWork`. */
export const publishWorkAt = (workItems: readonly Publishable[], at: number): void =>
  publishWork(workItems, Math.max(0, (at - clock()) / 1000));

/** Makes received messages whose work failed receivable again soon. Best effort. */
export const retrySooner = async (queue: QueueName, failed: readonly FailedMessage[]): Promise<void> =>
  (await queues()).retrySooner(queue, failed);

/** The approximate number of messages in a queue. */
export const queueDepth = async (queue: QueueName): Promise<number> => (await queues()).approximateDepth(queue);

let operated: Promise<QueueOperator> | undefined;
const openOperator = async (): Promise<QueueOperator> => {
  const [client, { queueOperator }] = await Promise.all([openSqs(), import('../../queues/dead-letters.ts')]);
  const { QUEUE_URLS: urls, DEAD_LETTER_URLS: deadLetters, SQS_ENDPOINT: endpoint } = settings;
  const pairOf = (queue: string) => {
    const [url, deadLetterUrl] = [urls[queue], deadLetters[queue]];
    if (url === undefined || deadLetterUrl === undefined) throw new Error(`the queue ${queue} has no address here`);
    return { url, deadLetterUrl };
  };
  // Only AWS's own queues have move tasks.
  return queueOperator(client, pairOf, { byTask: endpoint === undefined });
};
/** The stage's queues and dead letters, for operators. */
export const operatedQueues = (): Promise<QueueOperator> => {
  operated ??= openOperator();
  return operated;
};

const keyProvider = async (name: RootKey): Promise<KeyProvider> => {
  if (settings.LOCAL_KEY_FILE) {
    const { localKeyProvider } = await import('../../providers/keys/local-key-provider.ts');
    return localKeyProvider(settings.LOCAL_KEY_FILE);
  }
  if (!settings.KMS_KEY_ID)
    throw new Error('KMS_KEY_ID or LOCAL_KEY_FILE must be set for operations that keep personal data');
  const { kmsKeyProvider } = await import('../../providers/keys/kms-key-provider.ts');
  return kmsKeyProvider({ keyId: settings.KMS_KEY_ID, context: rootKeyContext(settings.STAGE, name) });
};

/**
 * Reports which root keys functions open, including those already open in this process: tests compare this with their roles' permissions.
 */
const uses = channel('messaging:root-key');

const open = (name: RootKey): (() => Promise<Vault>) => {
  let opened: Promise<Vault> | undefined;
  return () => {
    if (uses.hasSubscribers) uses.publish(name);
    opened ??= keyProvider(name)
      .then((keys) => openVault(table, () => keys, name))
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };
};

/** The vaults of the stage's root keys, each opened once per process. A failure is not cached: the next call tries again. */
export const vaults = Object.fromEntries(ROOT_KEYS.map((name) => [name, open(name)])) as Readonly<
  Record<RootKey, () => Promise<Vault>>
>;
