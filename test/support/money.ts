import { CHANNELS } from '../../shared/domain/channels/registry.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { parseEscrowLane } from '../../shared/domain/message/escrow-lane.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { UNIFIED_STATUSES, unifiedStatus } from '../../shared/domain/tracking/views.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { readLedger, readWallet } from '../../shared/storage/wallet/ledger.ts';

const allRows = async (
  table: Table,
  partition: string,
  sort?: { text: string; values: Record<string, unknown> },
  index?: 'gsi1',
): Promise<Row[]> => {
  const rows: Row[] = [];
  let startKey: Record<string, unknown> | undefined;
  do {
    const page = await table.query({
      partition,
      ...(sort ? { sort: sort as never } : {}),
      ...(index ? { index } : {}),
      startKey: startKey as never,
    });
    rows.push(...page.rows);
    startKey = page.nextKey;
  } while (startKey);
  return rows;
};

/** Every message of an organization, channel by channel, each oldest first. */
export const messagesOf = async (table: Table, organizationId: Id<'organization'>) => {
  const found = await Promise.all(
    CHANNELS.map((channel) => allRows(table, `MSGS#${channel}#${organizationId}`, undefined, 'gsi1')),
  );
  return (await table.getMany(found.flat())).filter((row) => row !== undefined).map(messageRows.read);
};

interface Entry {
  readonly kind: string;
  readonly coins: number;
  readonly held: number;
  readonly messageId?: string;
  readonly batchId?: string;
}
type Must = (holds: boolean, what: string) => void;

const priceOf = (messages: readonly MessageRecord[], hold?: MessageRecord['hold']): number =>
  messages.reduce((sum, message) => sum + (hold === undefined || message.hold === hold ? message.coins : 0), 0);

/** Whether a message of a chunk ended by itself: before anyone took it to send, but not with its whole batch, or forced. Its coins are back at once. */
const endedAlone = ({ attempts, force, lastError, originalError = lastError }: MessageRecord): boolean =>
  force || (attempts === 0 && originalError !== 'The batch was refused as a whole.');

/**
 * What a chunk's messages and its lanes say must be the same; `alone` gave their coins back by themselves. Answers its sums, and of what
 * it released the part that is `back` in the wallet.
 */
const checkChunk = async (
  table: Table,
  name: string,
  messages: readonly MessageRecord[],
  alone: ReadonlySet<string>,
  must: Must,
) => {
  const { batchId, chunk } = parseEscrowLane(name);
  const row = await table.get(KEYS.batchChunk(batchId, chunk));
  must(row !== undefined, 'a message lies in a chunk that does not exist');
  must(row?.coins === priceOf(messages), "a chunk's hold is not the price of its messages");
  const listed = [...((row?.ids ?? []) as string[])].sort();
  must(JSON.stringify(listed) === JSON.stringify(messages.map(({ id }) => id).sort()), 'a chunk has other messages');
  const lanes = await allRows(table, row?.pk ?? '', { text: 'begins_with(#sk, :lanes)', values: { lanes: 'LANE#' } });
  const summed = (field: string) => lanes.reduce((sum, lane) => sum + Number(lane[field] ?? 0), 0);
  const within = messages.filter(({ id }) => !alone.has(id));
  const sums = { captured: priceOf(messages, 'captured'), released: priceOf(within, 'released') };
  must(summed('captured') === sums.captured, 'an escrow captured something else than its messages');
  must(summed('released') === sums.released, 'an escrow released something else than its messages');
  must(
    summed('resolved') === messages.filter(({ hold }) => hold !== 'open').length,
    'an escrow counts other messages as resolved',
  );
  for (const status of UNIFIED_STATUSES) {
    const there = messages.filter((message) => message.hold !== 'open' && unifiedStatus(message) === status).length;
    must(summed(status) === there, `an escrow counts ${summed(status)} messages as ${status}, not ${there}`);
  }
  const closed = row?.state === 'closed';
  if (closed)
    must(row?.captured === sums.captured && row?.released === sums.released, 'an escrow closed with other sums');
  const back = Number(row?.released ?? 0);
  must(back <= sums.released, 'an escrow gave back more than its messages released');
  return { closed, ...sums, back };
};

/** Checks the escrows of an organization; answers what they released and have not given back yet. */
const checkEscrows = async (
  table: Table,
  messages: readonly MessageRecord[],
  entries: readonly Entry[],
  quiet: boolean,
  must: Must,
): Promise<number> => {
  const chunks = Map.groupBy(
    messages.filter(({ escrow }) => escrow !== undefined),
    ({ escrow = '' }) => escrow.slice(0, escrow.lastIndexOf('#')),
  );
  const alone = new Set(entries.flatMap(({ kind, messageId }) => (kind === 'release' && messageId ? [messageId] : [])));
  const batches = new Map<string, { chunks: number; held: number; captured: number; released: number }>();
  let unreturned = 0;
  for (const [name, own] of chunks) {
    const { closed, captured, released, back } = await checkChunk(table, name, own, alone, must);
    if (quiet) must(closed, 'an escrow is not closed');
    unreturned += released - back;
    const [batchId = ''] = name.split('#');
    const sums = batches.get(batchId) ?? { chunks: 0, held: 0, captured: 0, released: 0 };
    batches.set(batchId, {
      chunks: sums.chunks + 1,
      held: sums.held + priceOf(own),
      captured: sums.captured + (closed ? captured : 0),
      released: sums.released + priceOf(own.filter(({ id }) => alone.has(id))) + back,
    });
  }
  for (const [batchId, sums] of batches) {
    const of = (kind: string) => entries.filter((entry) => entry.batchId === batchId && entry.kind === kind);
    const held = (kind: string) => of(kind).reduce((sum, entry) => sum + entry.held, 0);
    must(of('hold').length === sums.chunks, 'a batch has not one hold a chunk');
    must(held('hold') === sums.held, "a batch's holds are not the price of its messages");
    must(held('capture') === -sums.captured, 'a batch captured something else than its closed chunks');
    must(
      held('release') === -sums.released,
      'a batch released something else than its chunks gave back and what ended alone',
    );
  }
  must(
    entries.every(({ batchId }) => batchId === undefined || batches.has(batchId)),
    'an entry belongs to a batch without messages',
  );
  return unreturned;
};

interface Books {
  readonly balance: number;
  readonly held: number;
  readonly entries: readonly { kind: string; coins: number; messageId?: string }[];
  readonly messages: Awaited<ReturnType<typeof messagesOf>>;
}

/**
 * Checks the invariants of money of one organization and answers the books; throws with the first that is broken. `quiet`: nothing is
 * under way, so no hold may be open.
 */
export const checkMoney = async (
  table: Table,
  organizationId: Id<'organization'>,
  { quiet = true } = {},
): Promise<Books> => {
  const wallet = await readWallet(table, organizationId);
  if (!wallet) throw new Error('there is no wallet');
  const entryRows = await allRows(table, KEYS.wallet(organizationId).pk, {
    text: 'begins_with(#sk, :entries)',
    values: { entries: 'E#' },
  });
  const entries = entryRows.map((row) => ({
    kind: String(row.kind),
    coins: Number(row.coins),
    held: Number(row.held),
    ...(row.messageId ? { messageId: String(row.messageId) } : {}),
    ...(row.batchId ? { batchId: String(row.batchId) } : {}),
  }));
  const messages = await messagesOf(table, organizationId);
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`money: ${what} (organization ${organizationId})`);
  };
  const sum = (kind?: string) =>
    entries.filter((entry) => !kind || entry.kind === kind).reduce((total, { coins }) => total + coins, 0);
  must(wallet.balance === sum(), `the balance ${wallet.balance} is not the sum ${sum()} of the entries`);
  must(wallet.balance >= 0, 'the balance is negative');
  const held = entries.reduce((total, entry) => total + entry.held, 0);
  must(wallet.held === held, `held ${wallet.held} is not the sum ${held} of the entries`);
  const captured = messages.filter(({ hold }) => hold === 'captured').reduce((total, { coins }) => total + coins, 0);
  const open = messages.filter(({ hold }) => hold === 'open');
  const unreturned = await checkEscrows(table, messages, entries, quiet, must);
  const credits = sum('credit') + sum('adjustment');
  must(
    wallet.balance === credits - captured - unreturned - open.reduce((total, { coins }) => total + coins, 0),
    'the balance is not credits less captured less held',
  );
  if (quiet) must(open.length === 0, `${open.length} holds are open`);
  for (const channel of CHANNELS) {
    const [kept, stored] = [
      wallet.wallet[channel] ?? 0,
      messages.filter((message) => message.channel === channel).length,
    ];
    must(kept === stored, `the kept total ${kept} of ${channel} is not ${stored}`);
  }
  for (const message of messages) {
    const of = (kind: string) => entries.filter((entry) => entry.messageId === message.id && entry.kind === kind);
    const alone = message.escrow === undefined;
    const one = (is: boolean) => (alone && is ? 1 : 0);
    must(of('hold').length === one(true), `a message has ${of('hold').length} holds`);
    must(!alone || of('hold')[0]?.coins === -message.coins, 'a hold is not the price of its message');
    must(of('capture').length === one(message.hold === 'captured'), 'captures do not match the state of the hold');
    const back = message.hold === 'released' && (alone || endedAlone(message));
    must(of('release').length === (back ? 1 : 0), 'releases do not match the state of the hold');
    must(!back || of('release')[0]?.coins === message.coins, 'a release is not the price of its message');
    must(
      message.hold !== 'released' || message.status === 'failed' || message.archivedAt !== undefined,
      'a released message neither failed nor was replaced',
    );
    must(
      message.hold !== 'captured' || !['queued', 'sending'].includes(message.status),
      'a captured message was never sent',
    );
  }
  const { lines } = await readLedger(table, organizationId, 200);
  lines.slice(1).forEach((line, at) => {
    const newer = lines[at];
    must(
      newer !== undefined && line.balanceCoins + newer.coins === newer.balanceCoins,
      'a balance does not follow from the one before it',
    );
  });
  must(lines.length === 0 || lines[0]?.balanceCoins === wallet.balance, 'the newest balance is not the wallet’s');
  return { balance: wallet.balance, held: wallet.held, entries, messages };
};
