import * as z from 'zod';
import { Unavailable } from '../domain/errors.ts';
import { type Id, newId } from '../domain/ids.ts';
import type { AudienceDevice } from '../domain/push/device.ts';
import { dispatchIdsOf, type PushChunk } from '../domain/push/dispatch.ts';
import { type PushMessage, priceOf } from '../domain/push/message.ts';
import type { Claim, ClaimOutcome, CommitOutcome, PushMaker } from '../domain/push/ports.ts';
import type { DueHint } from '../queues/queues.ts';
import { KEYS } from './access-patterns.ts';
import type { Condition, WriteOp } from './expressions.ts';
import { entryWrite } from './ledger.ts';
import { eventHint, eventWrite } from './outbox.ts';
import { KEEP_SECONDS, parsePushChunk, parsePushMessage, pushChunkRow, pushMessageRow } from './push-rows.ts';
import { IDEMPOTENCY_MS } from './reserve.ts';
import type { Row, Table } from './table.ts';
import { guessWallet, planDebit, rememberWallet } from './wallet.ts';
import { parseWallet } from './wallet-row.ts';

/** Tries against a moving key or wallet. */
const TRIES = 12;
/** What one transaction may carry (DynamoDB, TransactWriteItems). */
const MOST_WRITES = 100;

/**
 * A promise whose message is still being made: it expires with its attempt's time, so that the key is free for whatever comes next,
 * and `building` tells the same request's repeat that there are rows to go on with.
 */
const claimRow = z.object({
  messageId: z.string(),
  requestHash: z.string(),
  expiresAt: z.int(),
  building: z.int().optional(),
});
type ClaimRow = z.output<typeof claimRow>;

const isClaimed = ({ messageId, attempt }: Claim): Condition => ({
  text: '#messageId = :message AND #building = :attempt',
  values: { message: messageId, attempt },
});

/** What a standing promise answers to a request; undefined where it may be taken. */
const standing = (row: ClaimRow, requestHash: string, now: number): ClaimOutcome | undefined => {
  if (row.expiresAt <= now) return undefined;
  if (row.requestHash !== requestHash) return { kind: 'reused' };
  return row.building === undefined
    ? { kind: 'kept', messageId: row.messageId }
    : { kind: 'running', until: row.expiresAt };
};

/** The next attempt: of the same message where the same request was left unfinished, else of a new one. */
const nextAttempt = (wish: Omit<Claim, 'messageId' | 'attempt'>, before: ClaimRow | undefined): Claim =>
  before?.building !== undefined && before.requestHash === wish.requestHash
    ? { ...wish, messageId: before.messageId as Id<'message'>, attempt: before.building + 1 }
    : { ...wish, messageId: newId('message'), attempt: 1 };

const claimWrite = (claim: Claim, before: ClaimRow | undefined, now: number, until: number): WriteOp => ({
  put: {
    ...KEYS.idempotency(claim.organizationId, claim.callerKey),
    messageId: claim.messageId,
    requestHash: claim.requestHash,
    expiresAt: until,
    building: claim.attempt,
    ttl: Math.ceil((now + IDEMPOTENCY_MS) / 1000),
  },
  when: before
    ? {
        text: '#messageId = :message AND #expiresAt = :expires',
        values: { message: before.messageId, expires: before.expiresAt },
      }
    : { text: 'attribute_not_exists(#pk)' },
});

const takeClaim = async (
  table: Table,
  wish: Omit<Claim, 'messageId' | 'attempt'>,
  now: number,
  until: number,
): Promise<ClaimOutcome> => {
  for (let turn = 0; turn < TRIES; turn++) {
    const row = await table.get(KEYS.idempotency(wish.organizationId, wish.callerKey));
    const before = row && claimRow.parse(row);
    const answer = before && standing(before, wish.requestHash, now);
    if (answer) return answer;
    const claim = nextAttempt(wish, before);
    if ((await table.write(claimWrite(claim, before, now, until))).ok) return { kind: 'claimed', claim };
  }
  throw new Unavailable('The key moved too fast to be taken.');
};

type Part = 'promise' | 'wallet' | 'message' | 'rest';

const commitWrites = (message: PushMessage, claim: Claim, plan: ReturnType<typeof planDebit>): [Part, WriteOp][] => {
  const { organizationId, createdAt } = message;
  const coins = priceOf(message);
  const expiresAt = createdAt + IDEMPOTENCY_MS;
  const promise: WriteOp = {
    put: {
      ...KEYS.idempotency(organizationId, claim.callerKey),
      messageId: message.id,
      requestHash: claim.requestHash,
      expiresAt,
      ttl: Math.ceil(expiresAt / 1000),
    },
    when: isClaimed(claim),
  };
  const own: [Part, WriteOp][] = [
    ['promise', promise],
    ['message', { put: pushMessageRow(message), when: { text: 'attribute_not_exists(#pk)' } }],
  ];
  if (coins === 0) return own;
  const wallet: WriteOp = {
    update: KEYS.wallet(organizationId),
    ...(plan.warned === undefined ? {} : { set: { warned: plan.warned } }),
    add: { balance: -coins, held: coins },
    when: plan.when,
  };
  const hold = entryWrite({
    organizationId,
    kind: 'hold',
    coins: -coins,
    held: coins,
    at: createdAt,
    messageId: message.id,
  });
  const events = plan.events.map((event): [Part, WriteOp] => ['rest', eventWrite(event)]);
  return [...own, ['wallet', wallet], ['rest', hold], ...events];
};

/** What a cancelled commit means; undefined where it may succeed against the wallet as it is now known. */
const verdictOf = (
  message: PushMessage,
  failed: (part: Part) => { readonly row?: Row | undefined } | undefined,
): CommitOutcome | undefined => {
  // The message's row is written by a commit alone: an answer that was lost meets its own, a late attempt that of another.
  const found = failed('message')?.row;
  if (found) return parsePushMessage(found).createdAt === message.createdAt ? 'committed' : 'overtaken';
  if (failed('promise')) return 'overtaken';
  const wallet = failed('wallet');
  if (!wallet) return undefined;
  if (!wallet.row) return 'insufficient';
  rememberWallet(message.organizationId, wallet.row);
  return parseWallet(wallet.row).balance < priceOf(message) ? 'insufficient' : undefined;
};

const commit = async (
  table: Table,
  message: PushMessage,
  claim: Claim,
  raised: (eventIds: readonly string[]) => void,
): Promise<CommitOutcome> => {
  const { organizationId, env, createdAt: now } = message;
  for (let turn = 0; turn < TRIES; turn++) {
    const plan = planDebit(guessWallet(organizationId), priceOf(message), { organizationId, env, now });
    const parts = commitWrites(message, claim, plan);
    const outcome = await table.transact(parts.map(([, write]) => write));
    if (outcome.ok) {
      raised(plan.events.map(({ id }) => id));
      return 'committed';
    }
    const { reasons } = outcome;
    const verdict = verdictOf(
      message,
      (part) =>
        parts.flatMap(([name], at) =>
          name === part && reasons[at]?.conditionFailed ? [{ row: reasons[at].row }] : [],
        )[0],
    );
    if (verdict) return verdict;
  }
  throw new Unavailable('The wallet moved too fast to be debited.');
};

const dispatchRows = (
  chunk: PushChunk,
  { organizationId, createdAt }: Pick<PushMessage, 'organizationId' | 'createdAt'>,
  devices: readonly AudienceDevice[],
): Row[] => {
  const idAt = dispatchIdsOf(chunk);
  return devices.map(({ id: tokenId, platform }, place) => {
    const id = idAt(place);
    return {
      ...KEYS.pushDispatch(id),
      id,
      org: organizationId,
      messageId: chunk.messageId,
      tokenId,
      platform,
      status: 'queued',
      attempts: 0,
      ttl: Math.ceil(createdAt / 1000) + KEEP_SECONDS,
    };
  });
};

/**
 * Writes the rows of a chunk's devices and the chunk, whose own row goes with the last of them: where it stands, all of them do.
 * In transactions for their size alone, 100 rows a call: they take a quarter of the calls that BatchWriteItem's 25 take, for one more
 * write unit a device. False when another attempt made the chunk.
 */
const putChunk = async (
  table: Table,
  chunk: PushChunk,
  tenant: Pick<PushMessage, 'organizationId' | 'createdAt'>,
  devices: readonly AudienceDevice[],
): Promise<boolean> => {
  const puts = dispatchRows(chunk, tenant, devices).map((put): WriteOp => ({ put }));
  const expiresAt = Math.ceil(tenant.createdAt / 1000) + KEEP_SECONDS;
  const own: WriteOp = { put: pushChunkRow(chunk, expiresAt), when: { text: 'attribute_not_exists(#pk)' } };
  const rest = puts.splice(MOST_WRITES * Math.floor(puts.length / MOST_WRITES));
  for (let from = 0; from < puts.length; from += MOST_WRITES)
    await table.transact(puts.slice(from, from + MOST_WRITES));
  const outcome = await table.transact([...rest, own]);
  const found = outcome.ok ? undefined : outcome.reasons.at(-1)?.row;
  // Its own, whose answer was lost, or another attempt's.
  return outcome.ok || (found !== undefined && parsePushChunk(found).attempt === chunk.attempt);
};

/** The chunks of a push message in the order of shards and numbers. */
export const readPushChunks = async (table: Table, messageId: string): Promise<PushChunk[]> => {
  const { pk: partition } = KEYS.pushMessage(messageId);
  const chunks: PushChunk[] = [];
  let startKey: Parameters<Table['query']>[0]['startKey'];
  do {
    const sort = { text: 'begins_with(#sk, :chunk)', values: { chunk: 'CHUNK#' } };
    const page = await table.query({ partition, sort, consistent: true, startKey });
    chunks.push(...page.rows.map(parsePushChunk));
    startKey = page.nextKey;
  } while (startKey);
  return chunks;
};

/** A push message by its id, whoever's it is. */
export const readPushMessage = async (table: Table, id: string): Promise<PushMessage | undefined> => {
  const row = await table.get(KEYS.pushMessage(id));
  return row && parsePushMessage(row);
};

/** Making push messages in the table of one stage. */
export const pushMaker = (table: Table, publish: (hints: readonly DueHint[]) => void): PushMaker => ({
  claim: (wish, now, until) => takeClaim(table, wish, now, until),
  async giveBack(claim, now, how) {
    const key = KEYS.idempotency(claim.organizationId, claim.callerKey);
    const when = isClaimed(claim);
    await table.write(how === 'free' ? { delete: key, when } : { update: key, set: { expiresAt: now }, when });
  },
  chunks: (messageId) => readPushChunks(table, messageId),
  putChunk: (chunk, tenant, devices) => putChunk(table, chunk, tenant, devices),
  commit: (message, claim) => commit(table, message, claim, (ids) => ids.length > 0 && publish(ids.map(eventHint))),
  async read(organizationId, id) {
    const message = await readPushMessage(table, id);
    return message?.organizationId === organizationId ? message : undefined;
  },
});
