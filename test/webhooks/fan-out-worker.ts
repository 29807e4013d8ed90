import '../support/aws-environment.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { deliveryStore } from '../../shared/storage/webhooks/deliveries.ts';
import { patient } from '../support/patient-client.ts';

/** A process that fans out its batches: a worker has modules of its own, and shares nothing with others but the table. */
export interface Work {
  readonly endpoint: string;
  readonly table: string;
  readonly subscription: Subscription;
  readonly batches: readonly (readonly DomainEvent[])[];
}
/** The reports of a worker: ready to start, a batch done or abandoned, ended. */
export type Said = 'ready' | 'given' | 'given up' | 'done';

const { endpoint, table, subscription, batches }: Work = workerData;
const { fanOut } = deliveryStore(new Table(patient(tableClient(endpoint)), table));
const say = (word: Said) => parentPort?.postMessage(word);

const work = async (): Promise<void> => {
  for (const batch of batches)
    await fanOut(subscription, batch, Date.now()).then(
      () => say('given'),
      () => say('given up'),
    );
  say('done');
  parentPort?.close();
};
parentPort?.once('message', () => void work());
say('ready');
