import { createHash } from 'node:crypto';
import type { Tenant } from '../core/actor.ts';
import { canonical } from '../core/canonical.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { MessageRecord } from '../message/message.ts';
import type { IdempotencyRecord } from './message-store.ts';
import type { SendPorts } from './ports.ts';
import type { SendQuote } from './quote.ts';
import { KEY_IN_PROGRESS, REUSED_KEY, sentBefore } from './refusals.ts';

/** A stored message, and whether an earlier call created it; `quote` only for a new one. */
export interface Sent {
  readonly message: MessageRecord;
  readonly replayed: boolean;
  readonly quote?: SendQuote;
}

/** How long an idempotency key is kept, in ms, unless its request specifies otherwise. */
export const IDEMPOTENCY_MS = 24 * 3600 * 1000;

/** Identifies a request: the caller's key, and the SHA-256 of operation and body. */
export interface RequestKey {
  readonly callerKey: string;
  readonly requestHash: string;
  /** How long the key is kept, in ms; 24 hours when absent. */
  readonly keepMs?: number | undefined;
  /** The key is unique to this request, so no record of it is stored. */
  readonly unrepeatable?: true;
}

/** Builds the key of a request; the order of the body's fields does not matter. */
export const requestKey = (callerKey: string, operation: string, body: unknown): RequestKey => ({
  callerKey,
  requestHash: createHash('sha256')
    .update(operation)
    .update('\n')
    .update(JSON.stringify(canonical(body)))
    .digest('base64url'),
});

type KeyConflict = typeof REUSED_KEY | typeof KEY_IN_PROGRESS | ReturnType<typeof sentBefore>;
type Replay = Sent | KeyConflict | undefined;

/**
 * The message of an idempotency record. 409 if another request used the key, if the message's batch may still withdraw
 * it, or if the message of a long-lived key has left the table; undefined if the message is gone.
 */
export const findReplay = async (
  { messageStore, mayBeWithdrawn }: Pick<SendPorts, 'messageStore' | 'mayBeWithdrawn'>,
  idempotencyRecord: IdempotencyRecord,
  { requestHash, keepMs }: Pick<RequestKey, 'requestHash' | 'keepMs'>,
): Promise<Replay> => {
  const { messageId } = idempotencyRecord;
  if (idempotencyRecord.requestHash !== requestHash || messageId === undefined) return REUSED_KEY;
  const message = await messageStore.read(messageId);
  if (!message) return keepMs === undefined ? undefined : sentBefore(messageId);
  return (await mayBeWithdrawn(message)) ? KEY_IN_PROGRESS : { message, replayed: true };
};

/** Errors in the body (they carry field paths) are answered before a conflict of the key (docs/spec/sends.md#order-of-checks). */
const isBodyError = ({ details }: Refusal): boolean => details.errors !== undefined;

/**
 * The result of a send; a refused one returns an earlier send under the same key, if any
 * (docs/spec/sends.md#order-of-checks). A replay returns the first response even if price, sender, template, window or
 * contact have changed since; 409 if the key was used with another body. Only refusals read the record: an accepted
 * send checks its key in its own transaction.
 */
export const replayOr = async <R extends Refusal>(
  ports: Pick<SendPorts, 'idempotencyRecord' | 'clock' | 'messageStore' | 'mayBeWithdrawn'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  key: RequestKey,
  outcome: Sent | R,
): Promise<Sent | R | KeyConflict> => {
  if (!isRefusal(outcome) || key.unrepeatable) return outcome;
  const idempotencyRecord = await ports.idempotencyRecord(organizationId, key.callerKey, ports.clock());
  const replay = idempotencyRecord && (await findReplay(ports, idempotencyRecord, key));
  return replay === undefined || (replay === REUSED_KEY && isBodyError(outcome)) ? outcome : replay;
};
