import { CHANNELS } from '../../shared/domain/messages/provider.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readLedger, readWallet } from '../../shared/storage/ledger.ts';
import { parseMessage } from '../../shared/storage/message-rows.ts';
import type { Row, Table } from '../../shared/storage/table.ts';

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
export const messagesOf = async (table: Table, organizationId: string) => {
  const found = await Promise.all(
    CHANNELS.map((channel) => allRows(table, `MSGS#${channel}#${organizationId}`, undefined, 'gsi1')),
  );
  return (await table.getMany(found.flat())).filter((row) => row !== undefined).map(parseMessage);
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
export const checkMoney = async (table: Table, organizationId: string, { quiet = true } = {}): Promise<Books> => {
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
  const credits = sum('credit') + sum('adjustment');
  must(
    wallet.balance === credits - captured - open.reduce((total, { coins }) => total + coins, 0),
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
    must(of('hold').length === 1, `a message has ${of('hold').length} holds`);
    must(of('hold')[0]?.coins === -message.coins, 'a hold is not the price of its message');
    must(of('capture').length === (message.hold === 'captured' ? 1 : 0), 'captures do not match the state of the hold');
    must(of('release').length === (message.hold === 'released' ? 1 : 0), 'releases do not match the state of the hold');
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
