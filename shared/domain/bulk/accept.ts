import { type Refusal, refuse } from '../errors.ts';
import { newId } from '../ids.ts';
import { NO_FUNDS, tooDear } from '../messages/refusals.ts';
import { saoPauloMonth } from '../time.ts';
import { cut, type Item, priceChunk } from './chunk.ts';
import { withdrawChunk } from './escrow.ts';
import type { Batch, BulkActor, BulkEntry, BulkPorts } from './ports.ts';
import { type Prepared, prepare, type Refused, refusedView } from './prepare.ts';
import { type ChunkResult, reserveItems, volumeFor } from './reserve.ts';

/** `permissive`: what is right and affordable is accepted. `strict`: all or nothing. */
export const BULK_MODES = ['permissive', 'strict'] as const;
export type BulkMode = (typeof BULK_MODES)[number];

export interface BulkAnswer {
  readonly batchId: string;
  readonly total: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly ReturnType<typeof refusedView>[];
}
export type StrictRefusal = Refusal<
  'VALIDATION_ERROR' | 'PAYMENT_REQUIRED' | 'CONFLICT' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE'
>;

/** How long a strict batch may take to be decided, in ms: after it, whoever finds it undecided refuses it. */
export const DECIDE_MS = 60_000;
/** How long a request takes messages in, in ms: what is left then is refused by itself, so that its caller always learns what was accepted. */
const TAKE_IN_MS = 18_000;
/** Errors of a refused strict batch that its answer names. */
const MOST_ERRORS = 100;

/** What stands of a batch so far. */
interface Tally {
  readonly batch: Batch;
  readonly replays: readonly { readonly index: number; readonly messageId: string }[];
  readonly refused: readonly Refused[];
}

/** What repeats a message of the same request fares as that one. */
const refusedTwins = ({ twins }: Prepared, refused: readonly Refused[]): Refused[] => {
  const known = new Map(refused.map((one) => [one.index, one]));
  return twins.flatMap(({ index, of }) => {
    const first = known.get(of);
    return first ? [{ index, refusal: first.refusal }] : [];
  });
};

const tallied = (batch: Batch, prepared: Prepared, results: readonly ChunkResult[], chunks: number): Tally => {
  const firsts = [...prepared.refused, ...results.flatMap(({ refused }) => refused)];
  const refused = [...firsts, ...refusedTwins(prepared, firsts)].sort((a, b) => a.index - b.index);
  const replays = [...prepared.replays, ...results.flatMap(({ replays }) => replays)];
  const accepted = batch.total - refused.length;
  return { batch: { ...batch, accepted, rejected: refused.length, chunks }, replays, refused };
};

const answerOf = ({ batch, refused }: Tally): BulkAnswer => ({
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

/** Takes a chunk in, while there is time; the first one always, so that every call gets on. */
const takeIn = async (
  ports: BulkPorts,
  actor: BulkActor,
  { id: batchId, createdAt }: Batch,
  place: { readonly chunk: number; readonly decidedBy?: number },
  items: readonly Item[],
): Promise<ChunkResult> =>
  place.chunk > 0 && ports.clock() - createdAt > TAKE_IN_MS
    ? { accepted: [], replays: [], refused: items.map(({ index }) => ({ index, refusal: TOO_LATE })) }
    : reserveItems(ports, actor, { batchId, ...place }, items);

const ids = ({ replays }: Tally): string[] => replays.map(({ messageId }) => messageId);

const lacksFunds = (refused: readonly Refused[]): boolean => refused.some(({ refusal }) => refusal === NO_FUNDS);

const sendPermissive = async (ports: BulkPorts, actor: BulkActor, batch: Batch, prepared: Prepared) => {
  const results: ChunkResult[] = [];
  const chunks = cut(prepared.items);
  for (const [chunk, items] of chunks.entries()) {
    const result = await takeIn(ports, actor, batch, { chunk }, items);
    results.push(result);
    if (result.accepted.length > 0) ports.hintChunk(batch.id, chunk, ports.clock());
  }
  const tally = tallied({ ...batch, state: 'accepted' }, prepared, results, chunks.length);
  await ports.store.putBatch(tally.batch, ids(tally));
  if (lacksFunds(tally.refused)) await ports.noteDepleted(actor.organizationId, actor.env);
  return answerOf(tally);
};

/** What refuses a batch as a whole, of what was learned of its messages. */
const wholeRefusal = (refused: readonly Refused[]): StrictRefusal => {
  const errors = refused.slice(0, MOST_ERRORS).map((one) => {
    const { code, message } = refusedView(one);
    return { path: `messages.${one.index}`, message: `${code}: ${message}` };
  });
  return refuse('VALIDATION_ERROR', {
    detail: `${refused.length} of the messages cannot be sent, so none is.`,
    errors,
  });
};

/** How a chunk that failed at the last moment refuses its batch: funds, a key, the rate or the table moved meanwhile. */
const lateRefusal = (refused: readonly Refused[]): StrictRefusal => {
  for (const { refusal } of refused)
    switch (refusal.name) {
      case 'PAYMENT_REQUIRED':
      case 'CONFLICT':
      case 'RATE_LIMITED':
      case 'SERVICE_UNAVAILABLE':
        return refusal as StrictRefusal;
    }
  return wholeRefusal(refused);
};

/** Why a batch cannot be taken as a whole, before anything is stored: its price as of now. */
const unaffordable = async (ports: BulkPorts, actor: BulkActor, batch: Batch, items: readonly Item[]) => {
  const month = saoPauloMonth(ports.clock());
  const volume = await volumeFor(ports, actor, month, items);
  const budget = await ports.balance(actor.organizationId);
  const priced = priceChunk(items, { batchId: batch.id, chunk: 0, env: actor.env, month, volume, budget });
  if (priced.tooDear.length > 0) {
    return wholeRefusal(priced.tooDear.map(({ index, plan }) => ({ index, refusal: tooDear(plan.maxCoins ?? 0) })));
  }
  if (priced.unaffordable.length === 0) return undefined;
  await ports.noteDepleted(actor.organizationId, actor.env);
  return refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the batch.');
};

/**
 * Takes all chunks in, then decides: until then nothing of the batch leaves, and a batch that is not decided in time is refused by
 * whoever finds it. The decision is one conditional write, so that chunks are either all sent or all released.
 */
const sendStrict = async (
  ports: BulkPorts,
  actor: BulkActor,
  pending: Batch,
  prepared: Prepared,
): Promise<BulkAnswer | StrictRefusal> => {
  const refused = [...prepared.refused, ...refusedTwins(prepared, prepared.refused)];
  if (refused.length > 0) return wholeRefusal(refused.sort((a, b) => a.index - b.index));
  const dear = await unaffordable(ports, actor, pending, prepared.items);
  if (dear) return dear;
  const chunks = cut(prepared.items);
  const batch = { ...pending, accepted: pending.total, chunks: chunks.length };
  await ports.store.putBatch(batch, []);
  const decidedBy = batch.createdAt + DECIDE_MS;
  const results: ChunkResult[] = [];
  for (const [chunk, items] of chunks.entries()) {
    const result = await takeIn(ports, actor, batch, { chunk, decidedBy }, items);
    results.push(result);
    if (result.refused.length > 0) break;
  }
  const late = results.flatMap((result) => result.refused);
  const tally = tallied(
    { ...batch, state: late.length > 0 ? 'rejected' : 'accepted' },
    prepared,
    results,
    chunks.length,
  );
  const decided = await ports.store.decideBatch(tally.batch, ids(tally));
  if (late.length === 0 && decided) {
    for (const chunk of chunks.keys()) ports.hintChunk(batch.id, chunk, ports.clock());
    return answerOf(tally);
  }
  for (const chunk of results.keys()) await withdrawChunk(ports, batch.id, chunk);
  if (lacksFunds(late)) await ports.noteDepleted(actor.organizationId, actor.env);
  if (late.length > 0) return lateRefusal(late);
  return refuse('SERVICE_UNAVAILABLE', { detail: 'The batch took too long to be decided.', retryAfterSeconds: 1 });
};

/** Sends up to 5,000 messages (decisions, part 4, bulk): each leaves by itself, as if it had been sent alone. */
export const sendBulk = async (
  ports: BulkPorts,
  actor: BulkActor,
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

/** How far a batch is; undefined when the organization has none by this id. */
export const readBatch = async (
  ports: Pick<BulkPorts, 'store'>,
  { organizationId }: BulkActor,
  id: string,
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
