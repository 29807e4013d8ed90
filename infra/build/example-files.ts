import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { QUEUE_NAMES } from '../../shared/queues/queues.ts';
import { authorizerEvent, queueEvent, requestEvent } from './example-events.ts';

const LINE_WIDTH = 120;
/** An array with one string, over three lines. */
const ARRAY_OF_ONE = /^( *"[^"]*": )\[\n\s+("(?:[^"\\]|\\.)*")\n\s+\](,?)$/gm;

/** JSON as the project's formatter writes it: an array of one string on one line, if it fits. */
const text = (event: unknown): string =>
  `${JSON.stringify(event, null, 2)}\n`.replaceAll(ARRAY_OF_ONE, (whole, head: string, item: string, comma: string) =>
    head.length + item.length + comma.length + 2 <= LINE_WIDTH ? `${head}[${item}]${comma}` : whole,
  );

/** Every example event: its path under `events/`, to its text. */
export const exampleFiles = (operations: readonly OperationContract[]): ReadonlyMap<string, string> =>
  new Map([
    ...operations.map((contract): [string, string] => [`requests/${contract.id}.json`, text(requestEvent(contract))]),
    ...QUEUE_NAMES.map((queue): [string, string] => [`sqs/${queue}.json`, text(queueEvent(queue))]),
    ['authorizer.json', text(authorizerEvent())],
  ]);
