import { Unavailable } from '../../domain/core/errors.ts';
import { newId } from '../../domain/core/ids.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import type { Claim, ClaimOutcome, PushCreationStore } from '../../domain/push-messages/ports.ts';
import { IDEMPOTENCY_MS } from '../../domain/sending/idempotency.ts';
import { KEYS } from '../access-patterns.ts';
import { claimMark } from '../client/claim-mark.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { idempotencyRows, type StoredRecord } from '../messages/idempotency.ts';

/**
 * An idempotency record whose message is still being created. It expires with its attempt, which frees the key; `building` shows a repeat
 * of the same request that there are rows to continue from.
 */

/** Attempts on conflicts over a key. */
const MAX_ATTEMPTS = 12;

/** Condition: the attempt still holds its claim. */
const isClaimed = ({ messageId, attempt }: Claim): Condition => ({
  text: '#messageId = :message AND #building = :attempt',
  values: { message: messageId, attempt },
});

/** The outcome of a request for a key with this record; undefined when the key may be claimed. */
const answerOf = (record: StoredRecord, requestHash: string, now: number): ClaimOutcome | undefined => {
  if (record.expiresAt <= now) return undefined;
  const { messageId } = record;
  if (record.requestHash !== requestHash || messageId === undefined) return { kind: 'reused' };
  return record.building === undefined ? { kind: 'created', messageId } : { kind: 'running', until: record.expiresAt };
};

/** The next attempt: for the same message if the same request was left unfinished, else for a new one. */
const nextAttempt = (key: Omit<Claim, 'messageId' | 'attempt'>, before: StoredRecord | undefined): Claim =>
  before?.building !== undefined && before.messageId && before.requestHash === key.requestHash
    ? { ...key, messageId: before.messageId, attempt: before.building + 1 }
    : { ...key, messageId: newId('message'), attempt: 1 };

const claimWrite = (
  claim: Claim,
  before: StoredRecord | undefined,
  now: number,
  until: number,
): WriteOp & { readonly put: { readonly claim: string } } => {
  const { messageId, requestHash, attempt, organizationId, callerKey } = claim;
  const record = { messageId, requestHash, expiresAt: until, building: attempt };
  return {
    put: {
      ...idempotencyRows.write(record, organizationId, callerKey),
      claim: claimMark(),
      ttl: Math.ceil((now + IDEMPOTENCY_MS) / 1000),
    },
    when: before
      ? {
          text: '#requestHash = :before AND #expiresAt = :expires',
          values: { before: before.requestHash, expires: before.expiresAt },
        }
      : ABSENT,
  };
};

/**
 * Claims a caller's key for an attempt to create its message until a time (ms), or returns what holds the key. If the write's answer is lost,
 * its repeat fails its own condition, and knows by the mark that the claim is its own.
 */
export const takeClaim = async (
  table: Table,
  key: Omit<Claim, 'messageId' | 'attempt'>,
  now: number,
  until: number,
): Promise<ClaimOutcome> => {
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const row = await table.get(KEYS.idempotency(key.organizationId, key.callerKey));
    const before = row && idempotencyRows.read(row);
    const answer = before && answerOf(before, key.requestHash, now);
    if (answer) return answer;
    const claim = nextAttempt(key, before);
    const write = claimWrite(claim, before, now, until);
    const { ok, row: found } = await table.write(write);
    if (ok || found?.claim === write.put.claim) return { kind: 'claimed', claim };
  }
  throw new Unavailable('The idempotency key changes too often to be claimed.');
};

/** Frees a claimed key, or ends its claim now, so that a repeat of the same request continues. */
export const releaseClaim = async (
  table: Table,
  claim: Claim,
  now: number,
  how: Parameters<PushCreationStore['releaseClaim']>[2],
): Promise<void> => {
  const key = KEYS.idempotency(claim.organizationId, claim.callerKey);
  const when = isClaimed(claim);
  await table.write(
    how === 'free' ? { delete: key, when } : { update: key, set: idempotencyRows.set({ expiresAt: now }), when },
  );
};

/** Replaces the claim by the record of the created message. */
export const recordWrite = ({ id, createdAt }: Pick<MessageRecord, 'id' | 'createdAt'>, claim: Claim): WriteOp => {
  const { requestHash, organizationId, callerKey } = claim;
  const expiresAt = createdAt + IDEMPOTENCY_MS;
  const row = idempotencyRows.write({ messageId: id, requestHash, expiresAt }, organizationId, callerKey);
  return { put: { ...row, ttl: Math.ceil(expiresAt / 1000) }, when: isClaimed(claim) };
};
