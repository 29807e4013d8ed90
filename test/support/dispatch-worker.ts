import { parentPort, workerData } from 'node:worker_threads';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import './aws-environment.ts';
import { makeDispatcher } from './dispatch.ts';
import { patient } from './patient-client.ts';

/** A dispatcher that shares nothing with the others but the table: a worker has its own modules, as a process has. */
export interface DispatchWork {
  readonly endpoint: string;
  readonly tableName: string;
  readonly kind: WorkItem['kind'];
  readonly now: number;
}
const { endpoint, tableName, kind, now } = workerData as DispatchWork;
const dispatcher = makeDispatcher(new Table(patient(tableClient(endpoint)), tableName), now);

const dispatch = async (): Promise<void> => {
  await dispatcher.run(kind);
  parentPort?.postMessage(dispatcher.queued);
};

parentPort?.once('message', () => void dispatch());
parentPort?.postMessage('ready');
