import { isDeepStrictEqual } from 'node:util';
import { CHANNELS } from '../../shared/domain/channels/registry.ts';
import { asId, type Id } from '../../shared/domain/core/ids.ts';
import { parseEscrowShard } from '../../shared/domain/message/escrow-shard.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { sumPositions } from '../../shared/domain/pricing/volume.ts';
import { positionsOf } from '../../shared/domain/sending/positions.ts';
import { UNIFIED_STATUSES, unifiedStatus } from '../../shared/domain/tracking/views.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readChunkRow } from '../../shared/storage/bulk/batch-rows.ts';
import type { Key, Row } from '../../shared/storage/client/row.ts';
import type { QueryPage, QueryRange, Table } from '../../shared/storage/client/table.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { isInbound } from '../../shared/storage/messages/inbound-rows.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { entriesIn } from '../../shared/storage/wallet/entries.ts';
import { readLane, windowName } from '../../shared/storage/wallet/lane-rows.ts';
import { readLedger } from '../../shared/storage/wallet/ledger.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { isPastMonth, monthNames, readVolume } from '../../shared/storage/wallet/volumes.ts';
import { keysIn } from './index-entries.ts';

const allRows = async (table: Table, range: Omit<QueryRange, 'startKey'>): Promise<Row[]> => {
  const rows: Row[] = [];
  let startKey: QueryPage['nextKey'];
  do {
    const page = await table.query({ ...range, startKey });
    rows.push(...page.rows);
    startKey = page.nextKey;
  } while (startKey);
  return rows;
};

/** The chunks of all batches that something was held for: a hold each, numbered from 0. */
const chunksOf = (entries: readonly Entry[]): Key[] => {
  const holds = entries.filter(({ kind, batchId }) => kind === 'hold' && batchId !== undefined);
  return [...Map.groupBy(holds, ({ batchId }) => asId('batch', batchId))].flatMap(([batchId, own]) =>
    batchId ? own.map((_, chunk) => KEYS.batchChunk(batchId, chunk)) : [],
  );
};

/** Every message of an organization, channel by channel, each oldest first. */
export const messagesOf = async (table: Table, organizationId: Id<'organization'>) => {
  const shards = Array.from({ length: 9 }, (_, shard) => shard);
  const partitions = CHANNELS.flatMap((channel) =>
    shards.map((shard) => INDEX_KEYS.messagesOf(organizationId, channel, '', '', shard).gsi1pk),
  );
  const found = await keysIn(table, 'gsi1', partitions, (partition) => allRows(table, { partition, index: 'gsi1' }));
  // A send whose caller waits is in no list yet, and a batch that was refused as a whole in none any more: their holds name them.
  const entries = await entriesOf(table, organizationId);
  const held = entries.flatMap(({ messageId }) => asId('message', messageId) ?? []);
  const inChunks = (await table.getMany(chunksOf(entries))).flatMap((row) => (row ? readChunkRow(row).messageIds : []));
  const keys = new Map([...found, ...[...held, ...inChunks].map(KEYS.message)].map((key) => [key.pk, key]));
  return (await table.getMany([...keys.values()]))
    .filter((row) => row !== undefined && !isInbound(row))
    .flatMap((row) => (row ? [messageRows.read(row)] : []));
};

interface Entry {
  readonly kind: string;
  readonly coins: number;
  readonly held: number;
  readonly messageId?: string;
  readonly batchId?: string;
}
type FailUnless = (holds: boolean, what: string) => void;

const sumOf = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0);
/** The captured and the released share of a message's price: a push that some of its devices accepted has both. */
const shareOf = ({ hold, coins, capturedCoins = coins }: MessageRecord) => {
  const captured = hold === 'captured' ? capturedCoins : 0;
  return { captured, released: hold === 'open' ? 0 : coins - captured };
};
const priceOf = (messages: readonly MessageRecord[], part?: 'captured' | 'released'): number =>
  sumOf(messages, (message) => (part === undefined ? message.coins : shareOf(message)[part]));

/** Whether a message of a chunk was released by itself, at once: forced, or ended before it was attempted, but not with its batch. */
const releasedAlone = ({ attempts, force, lastError, originalError = lastError }: MessageRecord): boolean =>
  force || (attempts === 0 && originalError !== 'The batch was refused as a whole.');

/** Checks a chunk against its messages and its shards; its sums, and the part `back` of what it released that is in the wallet. */
const checkChunk = async (
  table: Table,
  name: string,
  messages: readonly MessageRecord[],
  alone: Readonly<Record<'captured' | 'released', ReadonlySet<string>>>,
  failUnless: FailUnless,
) => {
  const { batchId, chunk } = parseEscrowShard(name);
  const row = await table.get(KEYS.batchChunk(batchId, chunk));
  failUnless(row !== undefined, 'a message is in a chunk that does not exist');
  failUnless(row?.coins === priceOf(messages), "a chunk's hold is not the price of its messages");
  const listed = [...((row?.ids ?? []) as string[])].sort();
  failUnless(isDeepStrictEqual(listed, messages.map(({ id }) => id).sort()), 'a chunk has other messages');
  const shards = await allRows(table, {
    partition: row?.pk ?? '',
    sort: { text: 'begins_with(#sk, :shards)', values: { shards: 'LANE#' } },
  });
  const counted = (field: string) => sumOf(shards, (shard) => Number(shard[field] ?? 0));
  const within = (part: 'captured' | 'released') =>
    priceOf(
      messages.filter(({ id }) => !alone[part].has(id)),
      part,
    );
  const ended = messages.filter(({ hold }) => hold !== 'open');
  const sums = { captured: within('captured'), released: within('released') };
  failUnless(counted('captured') === sums.captured, 'an escrow captured something else than its messages');
  failUnless(counted('released') === sums.released, 'an escrow released something else than its messages');
  failUnless(counted('resolved') === ended.length, 'an escrow counts other messages as resolved');
  for (const status of UNIFIED_STATUSES) {
    const expected = ended.filter((message) => unifiedStatus(message) === status).length;
    failUnless(counted(status) === expected, `an escrow counts ${counted(status)} as ${status}, not ${expected}`);
  }
  const closed = row?.state === 'closed';
  const closedRight = row?.captured === sums.captured && row?.released === sums.released;
  failUnless(!closed || closedRight, 'an escrow closed with other sums');
  const back = Number(row?.released ?? 0);
  failUnless(back <= sums.released, 'an escrow gave back more than its messages released');
  return { closed, released: sums.released, back, spent: closed ? sums.captured : 0 };
};

/** Checks the escrows of an organization; the coins that they released and have not given back yet. */
const checkEscrows = async (
  table: Table,
  messages: readonly MessageRecord[],
  entries: readonly Entry[],
  quiet: boolean,
  failUnless: FailUnless,
): Promise<number> => {
  const chunks = Map.groupBy(
    messages.filter(({ escrow }) => escrow !== undefined),
    ({ escrow = '' }) => escrow.slice(0, escrow.lastIndexOf('#')),
  );
  const entered = (as: string) =>
    new Set(
      entries.flatMap(({ kind, messageId, held }) => (kind === as && messageId && held !== 0 ? [messageId] : [])),
    );
  const alone = { captured: entered('capture'), released: entered('release') };
  const batches = new Map<string, { chunks: number; held: number; captured: number; released: number }>();
  let unreturned = 0;
  for (const [name, own] of chunks) {
    const { closed, released, back, spent } = await checkChunk(table, name, own, alone, failUnless);
    if (quiet) failUnless(closed, 'an escrow is not closed');
    unreturned += released - back;
    const [batchId = ''] = name.split('#');
    const sums = batches.get(batchId) ?? { chunks: 0, held: 0, captured: 0, released: 0 };
    const pricesOf = (part: 'captured' | 'released') =>
      priceOf(
        own.filter(({ id }) => alone[part].has(id)),
        part,
      );
    batches.set(batchId, {
      chunks: sums.chunks + 1,
      held: sums.held + priceOf(own),
      captured: sums.captured + pricesOf('captured') + spent,
      released: sums.released + pricesOf('released') + back,
    });
  }
  for (const [batchId, sums] of batches) {
    const of = (kind: string) => entries.filter((entry) => entry.batchId === batchId && entry.kind === kind);
    const held = (kind: string) => sumOf(of(kind), (entry) => entry.held);
    failUnless(of('hold').length === sums.chunks, 'a batch has not one hold per chunk');
    failUnless(held('hold') === sums.held, "a batch's holds are not the price of its messages");
    failUnless(
      held('capture') === -sums.captured,
      'a batch captured something else than its closed chunks and single messages',
    );
    failUnless(
      held('release') === -sums.released,
      'a batch released something else than its chunks and single messages',
    );
  }
  const known = entries.every(({ batchId }) => batchId === undefined || batches.has(batchId));
  failUnless(known, 'an entry belongs to a batch without messages');
  return unreturned;
};

/** A message has the entries of its state: one hold, and one capture or release; of a chunk's message the hold is never its own. */
const checkMessage = (message: MessageRecord, entries: readonly Entry[], failUnless: FailUnless): void => {
  const { hold, coins, status, force = false } = message;
  // A push without devices costs nothing.
  if (message.units === 0) return;
  const of = (kind: string) => entries.filter((entry) => entry.messageId === message.id && entry.kind === kind);
  const single = message.escrow === undefined;
  const countIf = (is: boolean) => (is ? 1 : 0);
  failUnless(of('hold').length === countIf(single), `a message has ${of('hold').length} holds`);
  failUnless(!single || of('hold')[0]?.coins === -coins, 'a hold is not the price of its message');
  failUnless(
    of('capture').length === countIf((single || force) && hold === 'captured'),
    'captures do not match the hold',
  );
  const share = shareOf(message).released;
  const released = (hold === 'released' || share > 0) && (single || releasedAlone(message));
  const [refunds, releases] = [true, false].map((is) => of('release').filter(({ held }) => (held === 0) === is));
  failUnless(sumOf(refunds ?? [], (entry) => entry.coins) === (message.refunded ?? 0), 'a refund is not its message’s');
  failUnless(releases?.length === countIf(released), 'releases do not match the hold');
  failUnless(!released || releases?.[0]?.coins === share, 'a release is not what its message released');
  const over = status === 'failed' || message.archivedAt !== undefined;
  failUnless(hold !== 'released' || over, 'a released message neither failed nor was replaced');
  failUnless(hold !== 'captured' || !['queued', 'sending'].includes(status), 'a captured message was never sent');
};

const entriesOf = async (table: Table, organizationId: Id<'organization'>): Promise<Entry[]> => {
  const wallet = await table.get(KEYS.wallet(organizationId));
  const lanes = Array.from({ length: 1 + Number(wallet?.ledgers ?? 0) }, (_, lane) => lane);
  const sort = { text: 'begins_with(#sk, :entries)', values: { entries: 'E#' } };
  const rows = await Promise.all(
    lanes.map((lane) => allRows(table, { partition: KEYS.walletLane(organizationId, lane).pk, sort })),
  );
  return rows
    .flat()
    .flatMap(entriesIn)
    .map(({ id: _id, createdAt: _createdAt, ...entry }) => entry);
};

interface Ledger {
  readonly balance: number;
  readonly held: number;
  readonly entries: readonly Entry[];
  readonly messages: readonly MessageRecord[];
}

/** The units of a month that lanes have and no message uses. */
const unitsInLanes = async (table: Table, organizationId: Id<'organization'>, month: string): Promise<number> => {
  const wallet = await table.get(KEYS.wallet(organizationId));
  const lanes = Array.from({ length: Number(wallet?.opened ?? 0) }, (_, at) => KEYS.walletLane(organizationId, at + 1));
  const states = (await table.getMany(lanes, { consistent: true })).flatMap((row) => (row ? [readLane(row)] : []));
  return sumOf(states, ({ window, segments, end, free, freed }) => {
    const isOfMonth = window === windowName('sms', month);
    const own = isOfMonth ? end - segments + sumOf(free, ({ units }) => units) : 0;
    const back = Object.entries(freed).filter(([name]) => name.startsWith(`freed_sms_${month}_`));
    return own + sumOf(back, ([, units]) => units);
  });
};

/** Every position of a month that was given out belongs to a message that was sent, or is free again. */
const checkVolumes = async (
  table: Table,
  organizationId: Id<'organization'>,
  messages: readonly MessageRecord[],
  failUnless: FailUnless,
): Promise<void> => {
  const kept = messages.filter(({ hold }) => hold !== 'released').flatMap((message) => positionsOf(message) ?? []);
  const months = [...new Set(messages.flatMap((message) => positionsOf(message)?.month ?? []))].sort();
  const latest = months.at(-1) ?? '';
  // The wallet's row forgets a month two months later.
  const row = await table.get(KEYS.wallet(organizationId));
  for (const month of months.filter((one) => !isPastMonth(one, latest) || row?.[monthNames('sms', one).taken])) {
    const { taken, free } = await readVolume(table, organizationId, 'sms', month);
    const own = kept.filter((one) => one.month === month).flatMap(({ positions }) => positions);
    const inMessages = sumOf(sumPositions([...own, ...free]), ({ units }) => units);
    const held = inMessages + (await unitsInLanes(table, organizationId, month));
    failUnless(held === taken, `${held} positions of ${month} are held or free, and ${taken} were given out`);
  }
};

/**
 * Checks the money invariants of one organization and returns its ledger; throws the first that is broken. `quiet`: nothing is under way,
 * so no hold may be open.
 */
export const checkMoney = async (
  table: Table,
  organizationId: Id<'organization'>,
  { quiet = true } = {},
): Promise<Ledger> => {
  const failUnless: FailUnless = (holds, what) => {
    if (!holds) throw new Error(`money: ${what} (organization ${organizationId})`);
  };
  const wallet = await readWallet(table, organizationId);
  if (!wallet) throw new Error('there is no wallet');
  const entries = await entriesOf(table, organizationId);
  const messages = await messagesOf(table, organizationId);
  const { balance, held } = wallet;
  const sum = sumOf(entries, ({ coins }) => coins);
  failUnless(balance === sum, `the balance ${balance} is not the sum ${sum} of the entries`);
  failUnless(balance >= 0, 'the balance is negative');
  const heldSum = sumOf(entries, (entry) => entry.held);
  failUnless(held === heldSum, `held ${held} is not the sum ${heldSum} of the entries`);
  const open = messages.filter(({ hold }) => hold === 'open');
  const unreturned = await checkEscrows(table, messages, entries, quiet, failUnless);
  const credits = sumOf(entries, ({ kind, coins }) => (kind === 'credit' || kind === 'adjustment' ? coins : 0));
  const refunds = sumOf(messages, ({ refunded = 0 }) => refunded);
  const expected = credits + refunds - priceOf(messages, 'captured') - unreturned - priceOf(open);
  failUnless(balance === expected, 'the balance is not credits less captured less held');
  if (quiet) failUnless(open.length === 0, `${open.length} holds are open`);
  if (quiet) await checkVolumes(table, organizationId, messages, failUnless);
  for (const channel of CHANNELS) {
    const own = messages.filter((each) => each.channel === channel);
    const listed = own.filter(({ withdrawn }) => !withdrawn).length;
    const counted = wallet.wallet[channel] ?? 0;
    // A withdrawn message counts until the escrow of its chunk is closed.
    const holds = counted === listed || (!quiet && counted > listed && counted <= own.length);
    failUnless(holds, `the wallet counts ${counted} messages of ${channel}, not ${listed}`);
  }
  for (const message of messages) checkMessage(message, entries, failUnless);
  const { lines } = await readLedger(table, organizationId, 200);
  for (const [at, { balanceCoins }] of lines.slice(1).entries()) {
    const follows = balanceCoins + (lines[at]?.coins ?? Number.NaN) === lines[at]?.balanceCoins;
    failUnless(follows, 'a balance does not follow from the one before it');
  }
  failUnless(lines.length === 0 || lines[0]?.balanceCoins === balance, "the newest line's balance is not the wallet's");
  return { balance, held, entries, messages };
};
