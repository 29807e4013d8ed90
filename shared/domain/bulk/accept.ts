import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse, Unavailable } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { saoPauloMonth } from '../core/time.ts';
import { exceedsMaxCoins, NO_FUNDS, RECIPIENT_REASONS } from '../sending/refusals.ts';
import { type Item, priceChunk, splitIntoChunks } from './chunk.ts';
import { withdrawChunk } from './escrow.ts';
import { type Batch, type BulkPorts, DECISION_TIMEOUT_MS, rejected } from './ports.ts';
import { isKeyOfRequest, type Prepared, type Refused, refusedView } from './prepare.ts';
import { type ChunkResult, reserveItems, volumeFor } from './reserve.ts';

/** `permissive`: valid and affordable messages are accepted, the others are listed. `strict`: all or none. */
export const BULK_MODES = ['permissive', 'strict'] as const;
export type BulkMode = (typeof BULK_MODES)[number];

/** The response to a bulk request: totals, and the reason for each refused message. */
export interface BulkAnswer {
  readonly batchId: Id<'batch'>;
  readonly total: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly ReturnType<typeof refusedView>[];
}
/** The response to a bulk send; `replayed`: an earlier call with the request's key accepted all of it. */
export interface BulkSent extends BulkAnswer {
  readonly replayed: boolean;
}
/** Refusals of a batch as a whole; of a permissive one only for time, the store or the request's key. */
export type BatchRefusal = Refusal<
  'VALIDATION_ERROR' | 'PAYMENT_REQUIRED' | 'CONFLICT' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE'
>;

/** How long a request may reserve messages, in ms from its arrival. A batch that is not complete by then is refused as a whole. */
const MAX_ACCEPT_MS = 18_000;
/** How long a request may roll back a refused batch, in ms from its arrival: its function times out after 28 s. The queue does the rest. */
const MAX_UNDO_MS = 24_000;
/** Errors listed in the refusal of a strict batch. */
const MAX_ERRORS = 100;

/** A batch with its replays and refusals. */
interface BatchResult {
  readonly batch: Batch;
  readonly replays: readonly { readonly index: number; readonly messageId: Id<'message'> }[];
  readonly refused: readonly Refused[];
}

/** Duplicates within a request are refused if their first message is. */
const refusedDuplicates = ({ duplicates }: Prepared, refused: readonly Refused[]): Refused[] => {
  const byIndex = new Map(refused.map((one) => [one.index, one]));
  return duplicates.flatMap(({ index, of }) => {
    const first = byIndex.get(of);
    return first ? [{ index, refusal: first.refusal }] : [];
  });
};

const batchResult = (batch: Batch, prepared: Prepared, results: readonly ChunkResult[]): BatchResult => {
  const firsts = [...prepared.refused, ...results.flatMap(({ refused }) => refused)];
  const refused = [...firsts, ...refusedDuplicates(prepared, firsts)].sort((a, b) => a.index - b.index);
  const replays = [...prepared.replays, ...results.flatMap(({ replays }) => replays)];
  const accepted = batch.total - refused.length;
  return { batch: { ...batch, accepted, rejected: refused.length }, replays, refused };
};

/** The response to an accepted batch. */
export const answerOf = ({ batch, refused }: BatchResult): BulkAnswer => ({
  batchId: batch.id,
  total: batch.total,
  accepted: batch.accepted,
  rejected: batch.rejected,
  errors: refused.map(refusedView),
});

const TOO_LATE = refuse('SERVICE_UNAVAILABLE', {
  detail: 'The batch took too long, so none of it is sent. Send it again later, or in smaller batches.',
  retryAfterSeconds: 5,
});
const STORE_UNAVAILABLE = refuse('SERVICE_UNAVAILABLE', {
  detail: 'The service could not accept the whole batch, so none of it is sent. Send it again.',
  retryAfterSeconds: 5,
});

/**
 * The refusals that refuse the whole batch. In a strict one all do. In a permissive one only those that are not the message's own: which
 * messages they affect depends only on load.
 */
const REFUSES_BATCH: Readonly<Record<BulkMode, (refused: Refused) => boolean>> = {
  strict: () => true,
  permissive: (refused) => refused.refusal.name === 'SERVICE_UNAVAILABLE' || isKeyOfRequest(refused),
};

const refuseAll = (items: readonly Item[], refusal: Refusal): ChunkResult => ({
  accepted: [],
  coins: 0,
  isWalletShort: false,
  replays: [],
  refused: items.map(({ index }) => ({ index, refusal })),
});

/** Reserves a chunk if there is time left. The only chunk of a batch is always reserved, so that small batches never time out. */
const reserveInTime = async (
  ports: BulkPorts,
  actor: Tenant,
  { id: batchId, createdAt, chunks }: Batch,
  chunk: number,
  items: readonly Item[],
  budget: number | undefined,
): Promise<ChunkResult> => {
  if (chunks > 1 && ports.clock() - createdAt > MAX_ACCEPT_MS) return refuseAll(items, TOO_LATE);
  try {
    const position = { batchId, chunk, decidedBy: createdAt + DECISION_TIMEOUT_MS, budget };
    return await reserveItems(ports, actor, position, items);
  } catch (error) {
    if (error instanceof Unavailable) return refuseAll(items, STORE_UNAVAILABLE);
    throw error;
  }
};

const replayedIds = ({ replays }: BatchResult): Id<'message'>[] => replays.map(({ messageId }) => messageId);

const BATCH_UNFUNDED = refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the batch.');

const lacksFunds = (refused: readonly Refused[]): boolean => refused.some(({ refusal }) => refusal === NO_FUNDS);

const peopleNamed = new WeakMap<object, number>();
/** People whom a response reveals as opted out or suppressed: a refused strict batch is free, so it could be used to look them up. */
export const peopleRevealedBy = (answer: BulkSent | BatchRefusal): number => peopleNamed.get(answer) ?? 0;

/** The refusal of a strict batch for its messages' errors. */
const batchRefusal = (refused: readonly Refused[]): BatchRefusal => {
  const reported = refused.slice(0, MAX_ERRORS);
  const people = reported.filter((one) => RECIPIENT_REASONS.includes(one.refusal.details.meta?.motivo)).length;
  const refusal = refuse('VALIDATION_ERROR', {
    detail: `${refused.length} of the messages cannot be sent, so none is.`,
    errors: reported.map((one) => {
      const { code, message } = refusedView(one);
      return { path: `messages.${one.index}`, message: `${code}: ${message}` };
    }),
  });
  peopleNamed.set(refusal, people);
  return refusal;
};

/** The refusal of a batch whose chunk failed at its reservation: funds, a key, the rate or a row changed meanwhile. */
const lateRefusal = (refused: readonly Refused[]): BatchRefusal => {
  for (const { refusal } of refused)
    switch (refusal.name) {
      case 'PAYMENT_REQUIRED':
      case 'CONFLICT':
      case 'RATE_LIMITED':
      case 'SERVICE_UNAVAILABLE':
        return refusal as BatchRefusal;
    }
  return batchRefusal(refused);
};

/** The refusal of a strict batch at its current price, before anything is stored; undefined if it is affordable. */
const affordabilityRefusal = async (ports: BulkPorts, actor: Tenant, batch: Batch, items: readonly Item[]) => {
  const month = saoPauloMonth(ports.clock());
  const volume = await volumeFor(ports, actor, month, items);
  const budget = await ports.balance(actor.organizationId);
  const priced = priceChunk(items, { batchId: batch.id, chunk: 0, env: actor.env, month, volume, lane: 0, budget });
  if (priced.exceedsMaxCoins.length > 0) {
    return batchRefusal(
      priced.exceedsMaxCoins.map(({ index, plan }) => ({ index, refusal: exceedsMaxCoins(plan.maxCoins ?? 0) })),
    );
  }
  if (priced.unaffordable.length === 0) return undefined;
  await ports.noteDepleted(actor.organizationId, actor.env);
  return BATCH_UNFUNDED;
};

/** The refusal of a strict batch for the errors that its checks found: 402 if only the balance is insufficient. */
const preparedRefusal = async (ports: BulkPorts, actor: Tenant, refused: readonly Refused[]) => {
  if (!refused.every(({ refusal }) => refusal === NO_FUNDS))
    return batchRefusal(refused.toSorted((a, b) => a.index - b.index));
  await ports.noteDepleted(actor.organizationId, actor.env);
  return BATCH_UNFUNDED;
};

/** The refusal of a strict batch before anything is stored; undefined if all of it may be accepted. */
export const strictRefusal = async (ports: BulkPorts, actor: Tenant, batch: Batch, prepared: Prepared) => {
  const refused = [...prepared.refused, ...refusedDuplicates(prepared, prepared.refused)];
  return refused.length > 0
    ? preparedRefusal(ports, actor, refused)
    : affordabilityRefusal(ports, actor, batch, prepared.items);
};

/** Withdraws the chunks of a rejected batch. The queue withdraws those that time or store errors leave over. */
const undo = async (ports: BulkPorts, batch: Batch, chunks: number): Promise<void> => {
  const { id, organizationId, createdAt } = batch;
  for (let chunk = 0; chunk < chunks; chunk++) {
    const withdrawn =
      ports.clock() - createdAt <= MAX_UNDO_MS &&
      (await withdrawChunk(ports, id, chunk).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Unavailable) return false;
          throw error;
        },
      ));
    if (!withdrawn) ports.enqueueChunk({ organizationId, batchId: id, chunk }, ports.clock());
  }
};

/** Reserves the chunks in order, up to the first refusal that refuses the batch. `budget`: the maximum total price in coins. */
const reserveAll = async (
  ports: BulkPorts,
  actor: Tenant,
  batch: Batch,
  chunks: readonly (readonly Item[])[],
  refusesBatch: (refused: Refused) => boolean,
  budget: number | undefined,
): Promise<ChunkResult[]> => {
  const results: ChunkResult[] = [];
  let left = budget;
  for (const [chunk, items] of chunks.entries()) {
    const result = await reserveInTime(ports, actor, batch, chunk, items, left);
    results.push(result);
    left = left === undefined ? undefined : left - result.coins;
    if (result.refused.some(refusesBatch)) break;
  }
  return results;
};

/** An accepted batch, and whether this call accepted any of it. */
export interface Decided {
  readonly result: BatchResult;
  readonly isNew: boolean;
  /** The new messages by index, and their total price. */
  readonly messages: ReadonlyMap<number, Id<'message'>>;
  readonly coins: number;
}

/**
 * Reserves all chunks, then decides (docs/spec/bulk.md#accepted-or-refused-as-a-whole). Nothing is sent before the decision, and a batch
 * that is not decided in time is rejected by whoever finds it. The decision is one conditional write, so that either all chunks are sent or
 * all are released.
 */
export const reserveAndDecide = async (
  ports: BulkPorts,
  actor: Tenant,
  pending: Batch,
  prepared: Prepared,
  mode: BulkMode,
  budget?: number,
): Promise<Decided | BatchRefusal> => {
  const chunks = splitIntoChunks(prepared.items);
  const batch = { ...pending, chunks: chunks.length };
  await ports.store.putBatch(batch);
  const results = await reserveAll(ports, actor, batch, chunks, REFUSES_BATCH[mode], budget);
  const late = results.flatMap(({ refused }) => refused).filter(REFUSES_BATCH[mode]);
  const result = batchResult({ ...batch, state: 'accepted' }, prepared, results);
  const decided = await ports.store.decideBatch(
    late.length > 0 ? rejected(batch) : result.batch,
    late.length > 0 ? [] : replayedIds(result),
  );
  if (lacksFunds(prepared.refused) || results.some(({ isWalletShort }) => isWalletShort))
    await ports.noteDepleted(actor.organizationId, actor.env);
  if (late.length === 0 && decided) {
    for (const [chunk, { accepted }] of results.entries())
      if (accepted.length > 0) ports.enqueueChunk({ ...actor, batchId: batch.id, chunk }, ports.clock());
    const accepted = results.flatMap((each) => each.accepted);
    const messages = new Map(accepted.map(({ index, drafted }) => [index, drafted.id]));
    return { result, isNew: accepted.length > 0, messages, coins: results.reduce((sum, each) => sum + each.coins, 0) };
  }
  await undo(ports, batch, results.length);
  return late.length > 0 ? lateRefusal(late) : TOO_LATE;
};

/** A batch before its acceptance. */
export const newBatch = ({ organizationId }: Tenant, total: number, createdAt: number): Batch => ({
  id: newId('batch'),
  organizationId,
  state: 'pending',
  total,
  accepted: 0,
  rejected: 0,
  chunks: 0,
  others: 0,
  createdAt,
});
