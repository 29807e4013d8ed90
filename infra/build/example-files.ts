import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { QUEUE_NAMES } from '../../shared/queues/queues.ts';
import { authorizerEvent, queueEvent, requestEvent } from './example-events.ts';

const LINE_WIDTH = 120;
/** A list of one text, over three lines. */
const LIST_OF_ONE = /^( *"[^"]*": )\[\n\s+("(?:[^"\\]|\\.)*")\n\s+\](,?)$/gm;

/** JSON as the project's formatter would leave it: a list that fits on its line stands on one. */
const text = (event: unknown): string =>
  `${JSON.stringify(event, null, 2)}\n`.replaceAll(LIST_OF_ONE, (whole, head: string, item: string, comma: string) =>
    head.length + item.length + comma.length + 2 <= LINE_WIDTH ? `${head}[${item}]${comma}` : whole,
  );

/** Every example event: its path under `events/`, and its text. */
export const exampleFiles = (operations: readonly OperationContract[]): ReadonlyMap<string, string> =>
  new Map([
    ...operations.map((contract): [string, string] => [`requests/${contract.id}.json`, text(requestEvent(contract))]),
    ...QUEUE_NAMES.map((queue): [string, string] => [`sqs/${queue}.json`, text(queueEvent(queue))]),
    ['authorizer.json', text(authorizerEvent())],
  ]);
