import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { QUEUE_NAMES } from '../../shared/queues/queues.ts';
import { authorizerEvent, queueEvent, requestEvent } from './example-events.ts';

const text = (event: unknown): string => `${JSON.stringify(event, null, 2)}\n`;

/** Every example event: its path under `events/`, and its text. */
export const exampleFiles = (operations: readonly OperationContract[]): ReadonlyMap<string, string> =>
  new Map([
    ...operations.map((contract): [string, string] => [`requests/${contract.id}.json`, text(requestEvent(contract))]),
    ...QUEUE_NAMES.map((queue): [string, string] => [`sqs/${queue}.json`, text(queueEvent(queue))]),
    ['authorizer.json', text(authorizerEvent())],
  ]);
