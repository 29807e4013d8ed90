import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { saoPauloMonth } from '../core/time.ts';
import { exceedsMaxCoins, NO_FUNDS } from '../sending/refusals.ts';
import { type Item, priceChunk, splitIntoChunks } from './chunk.ts';
import { withdrawChunk } from './escrow.ts';
import type { Batch, BulkEntry, BulkPorts } from './ports.ts';
import { type Prepared, prepare, type Refused, refusedView } from './prepare.ts';
import { type ChunkResult, reserveItems, volumeFor } from './reserve.ts';

/** `permissive`: valid and affordable messages are accepted. `strict`: all or none. */
export const BULK_MODES = ['permissive', 'strict'] as const;
export type BulkMode = (typeof BULK_MODES)[number];

/** The answer of a bulk request: totals, and why each refused message was. */
export interface BulkAnswer {
  readonly batchId: Id<'batch'>;
  readonly total: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly ReturnType<typeof refusedView>[];
}
/** Refusals of a strict batch as a whole. */
export type StrictRefusal = Refusal<
  'VALIDATION_ERROR' | 'PAYMENT_REQUIRED' | 'CONFLICT' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE'
>;

/** How long a strict batch may stay undecided, in ms; after that, whoever finds it rejects it. */
export const DECISION_TIMEOUT_MS = 60_000;
/** How long a request accepts messages, in ms. The rest is refused message by message, so that the caller learns what was accepted. */
const MAX_ACCEPT_MS = 18_000;
/** Errors listed in the refusal of a strict batch. */
const MAX_ERRORS = 100;

/** A batch with its replays and refusals. */
interface BatchResult {
  readonly batch: Batch;
  readonly replays: readonly { readonly index: number; readonly messageId: Id<'message'> }[];
  readonly refused: readonly Refused[];
}

/** Duplicates within a request are refused when their first message is. */
const refusedDuplicates = ({ duplicates }: Prepared, refused: readonly Refused[]): Refused[] => {
  const byIndex = new Map(refused.map((one) => [one.index, one]));
  return duplicates.flatMap(({ index, of }) => {
    const first = byIndex.get(of);
    return first ? [{ index, refusal: first.refusal }] : [];
  });
};

const batchResult = (
  batch: Batch,
  prepared: Prepared,
  results: readonly ChunkResult[],
  chunks: number,
): BatchResult => {
  const firsts = [...prepared.refused, ...results.flatMap(({ refused }) => refused)];
  const refused = [...firsts, ...refusedDuplicates(prepared, firsts)].sort((a, b) => a.index - b.index);
  const replays = [...prepared.replays, ...results.flatMap(({ replays }) => replays)];
  const accepted = batch.total - refused.length;
  return { batch: { ...batch, accepted, rejected: refused.length, chunks }, replays, refused };
};

const answerOf = ({ batch, refused }: BatchResult): BulkAnswer => ({
  batchId: batch.id,
  total: batch.total,
  accepted: batch.accepted,
  rejected: batch.rejected,
  errors: refused.map(refusedView),
});

const TOO_LATE = refuse('SERVICE_UNAVAILABLE', {
  detail: 'The batch took too long: this message was not taken in. Send it again.',
  retryAfterSeconds: 1,
});

/** Reserves a chunk while there is time. The first chunk always is, so that every call makes progress. */
const reserveInTime = async (
  ports: BulkPorts,
  actor: Tenant,
  { id: batchId, createdAt }: Batch,
  position: { readonly chunk: number; readonly decidedBy?: number },
  items: readonly Item[],
): Promise<ChunkResult> =>
  position.chunk > 0 && ports.clock() - createdAt > MAX_ACCEPT_MS
    ? { accepted: [], replays: [], refused: items.map(({ index }) => ({ index, refusal: TOO_LATE })) }
    : reserveItems(ports, actor, { batchId, ...position }, items);

const replayedIds = ({ replays }: BatchResult): Id<'message'>[] => replays.map(({ messageId }) => messageId);

const BATCH_UNFUNDED = refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the batch.');

const lacksFunds = (refused: readonly Refused[]): boolean => refused.some(({ refusal }) => refusal === NO_FUNDS);

const sendPermissive = async (ports: BulkPorts, actor: Tenant, batch: Batch, prepared: Prepared) => {
  const results: ChunkResult[] = [];
  const chunks = splitIntoChunks(prepared.items);
  for (const [chunk, items] of chunks.entries()) {
    const result = await reserveInTime(ports, actor, batch, { chunk }, items);
    results.push(result);
    if (result.accepted.length > 0) ports.enqueueChunk(batch.id, chunk, ports.clock());
  }
  const result = batchResult({ ...batch, state: 'accepted' }, prepared, results, chunks.length);
  await ports.store.putBatch(result.batch, replayedIds(result));
  if (lacksFunds(result.refused)) await ports.noteDepleted(actor.organizationId, actor.env);
  return answerOf(result);
};

/** The refusal of a strict batch for its messages' errors. */
const batchRefusal = (refused: readonly Refused[]): StrictRefusal => {
  const errors = refused.slice(0, MAX_ERRORS).map((one) => {
    const { code, message } = refusedView(one);
    return { path: `messages.${one.index}`, message: `${code}: ${message}` };
  });
  return refuse('VALIDATION_ERROR', {
    detail: `${refused.length} of the messages cannot be sent, so none is.`,
    errors,
  });
};

/** The refusal of a strict batch whose chunk failed at its reservation: funds, a key, the rate or the table changed meanwhile. */
const lateRefusal = (refused: readonly Refused[]): StrictRefusal => {
  for (const { refusal } of refused)
    switch (refusal.name) {
      case 'PAYMENT_REQUIRED':
      case 'CONFLICT':
      case 'RATE_LIMITED':
      case 'SERVICE_UNAVAILABLE':
        return refusal as StrictRefusal;
    }
  return batchRefusal(refused);
};

/** The refusal of a strict batch at its current price, before anything is stored; undefined when it is affordable. */
const affordabilityRefusal = async (ports: BulkPorts, actor: Tenant, batch: Batch, items: readonly Item[]) => {
  const month = saoPauloMonth(ports.clock());
  const volume = await volumeFor(ports, actor, month, items);
  const budget = await ports.balance(actor.organizationId);
  const priced = priceChunk(items, { batchId: batch.id, chunk: 0, env: actor.env, month, volume, budget });
  if (priced.exceedsMaxCoins.length > 0) {
    return batchRefusal(
      priced.exceedsMaxCoins.map(({ index, plan }) => ({ index, refusal: exceedsMaxCoins(plan.maxCoins ?? 0) })),
    );
  }
  if (priced.unaffordable.length === 0) return undefined;
  await ports.noteDepleted(actor.organizationId, actor.env);
  return BATCH_UNFUNDED;
};

/** The refusal of a strict batch for what its checks found: 402 when only the balance is missing. */
const preparedRefusal = async (ports: BulkPorts, actor: Tenant, refused: readonly Refused[]) => {
  if (!refused.every(({ refusal }) => refusal === NO_FUNDS))
    return batchRefusal(refused.toSorted((a, b) => a.index - b.index));
  await ports.noteDepleted(actor.organizationId, actor.env);
  return BATCH_UNFUNDED;
};

/**
 * Reserves all chunks, then decides (docs/spec/bulk.md#strict-batches). Nothing is sent before the decision, and a batch that is not decided
 * in time is rejected by whoever finds it. The decision is one conditional write, so that either all chunks are sent or all are released.
 */
const sendStrict = async (
  ports: BulkPorts,
  actor: Tenant,
  pending: Batch,
  prepared: Prepared,
): Promise<BulkAnswer | StrictRefusal> => {
  const refused = [...prepared.refused, ...refusedDuplicates(prepared, prepared.refused)];
  if (refused.length > 0) return preparedRefusal(ports, actor, refused);
  const refusal = await affordabilityRefusal(ports, actor, pending, prepared.items);
  if (refusal) return refusal;
  const chunks = splitIntoChunks(prepared.items);
  const batch = { ...pending, accepted: pending.total, chunks: chunks.length };
  await ports.store.putBatch(batch, []);
  const decidedBy = batch.createdAt + DECISION_TIMEOUT_MS;
  const results: ChunkResult[] = [];
  for (const [chunk, items] of chunks.entries()) {
    const result = await reserveInTime(ports, actor, batch, { chunk, decidedBy }, items);
    results.push(result);
    if (result.refused.length > 0) break;
  }
  const late = results.flatMap((result) => result.refused);
  const result = batchResult(
    { ...batch, state: late.length > 0 ? 'rejected' : 'accepted' },
    prepared,
    results,
    chunks.length,
  );
  const decided = await ports.store.decideBatch(result.batch, replayedIds(result));
  if (late.length === 0 && decided) {
    for (const chunk of chunks.keys()) ports.enqueueChunk(batch.id, chunk, ports.clock());
    return answerOf(result);
  }
  for (const chunk of results.keys()) await withdrawChunk(ports, batch.id, chunk);
  if (lacksFunds(late)) await ports.noteDepleted(actor.organizationId, actor.env);
  if (late.length > 0) return lateRefusal(late);
  return refuse('SERVICE_UNAVAILABLE', { detail: 'The batch took too long to be decided.', retryAfterSeconds: 1 });
};

/** Accepts up to 5,000 messages (docs/spec/bulk.md#bulk-send), each of which is then sent as if it had been sent alone. */
export const sendBulk = async (
  ports: BulkPorts,
  actor: Tenant,
  { messages, mode }: { readonly messages: readonly BulkEntry[]; readonly mode: BulkMode },
): Promise<BulkAnswer | StrictRefusal> => {
  const now = ports.clock();
  const batch: Batch = {
    id: newId('batch'),
    organizationId: actor.organizationId,
    state: 'pending',
    total: messages.length,
    accepted: 0,
    rejected: 0,
    chunks: 0,
    others: 0,
    createdAt: now,
  };
  const prepared = await prepare(ports, actor, { batchId: batch.id, now }, messages);
  return mode === 'strict' ? sendStrict(ports, actor, batch, prepared) : sendPermissive(ports, actor, batch, prepared);
};

/** A batch with its message counts per status; 404 when the organization has none with this id. */
export const readBatch = async (
  ports: Pick<BulkPorts, 'store'>,
  { organizationId }: Tenant,
  id: Id<'batch'>,
): Promise<
  | (Omit<Batch, 'organizationId' | 'state' | 'chunks' | 'others'> & {
      counts: Awaited<ReturnType<BulkPorts['store']['countBatch']>>;
    })
  | Refusal<'NOT_FOUND'>
> => {
  const batch = await ports.store.readBatch(id);
  if (batch?.organizationId !== organizationId) return refuse('NOT_FOUND', 'There is no such batch.');
  const { total, accepted, rejected, createdAt } = batch;
  return { id: batch.id, total, accepted, rejected, createdAt, counts: await ports.store.countBatch(batch) };
};
