import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageOf } from '../../shared/domain/message/message.ts';
import type { SmppReceipt } from '../../shared/domain/message/smpp-origin.ts';
import type { Assembly } from '../../shared/domain/smpp/assembly.ts';
import { type DeliverPorts, type Delivery, leaseShard } from '../../shared/domain/smpp/deliver.ts';
import type { ShardLease } from '../../shared/domain/smpp/notice.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { reportWrites } from '../../shared/storage/smpp/notice-writes.ts';
import { noticeQueue } from '../../shared/storage/smpp/notices.ts';
import { SMPP_SHARDS, shardOf } from '../../shared/storage/table-indexes.ts';
import { useContendedTable } from '../support/contended-table.ts';

/** The deliveries of a lease, as text. */
export const reported = ({ deliveries }: { readonly deliveries: readonly Delivery[] }) =>
  deliveries.map(({ report: about, text }) => (about ? `${about.id} ${about.state}` : text));
export const LATER = 1_001;
/** The other fields of a message while its provider is called. */
export const UNDER_WAY = {
  channel: 'sms',
  env: 'test',
  route: 'premium',
  status: 'sending',
  hold: 'open',
  fence: 1,
  coins: 100,
  units: 1,
  recipientHash: 'hash',
  callerKey: 'key',
};

const held = <I extends string, T>(all: ReadonlyMap<string, T>, ids: readonly I[]) =>
  new Map(
    ids.flatMap((id) => {
      const one = all.get(id);
      return one === undefined ? [] : [[id, one] as const];
    }),
  );
export type Account = ReturnType<typeof newId<'smppAccount'>>;
let leases = 0;
export const leaseOf = (accountId: Account, shard = 0): ShardLease => ({
  accountId,
  shard,
  owner: `lease-${++leases}`,
});

/** Notices on a table behind its laws, and what they are about, for the tests of one file. */
export const useNotices = async () => {
  const { ownTable, table } = await useContendedTable();
  /** The clock of all processes (ms). */
  const time = { now: Date.UTC(2026, 10, 26) };
  const organizationId = newId('organization');
  const messages = new Map<string, MessageOf<'sms'> | 'unreadable'>();
  const assemblies = new Map<string, Assembly>();
  const replies = new Map<string, { from: string; body: string } | 'unreadable'>();
  /** The ports of a process of its own. */
  const portsOf = (own: Table = table): DeliverPorts => ({
    clock: () => time.now,
    notices: noticeQueue(own),
    messages: async (ids) => held(messages, ids),
    replies: async (ids) => held(replies, ids),
    parts: async (ids) => held(assemblies, ids),
  });
  const ports = portsOf();
  const { notices } = ports;
  /** A message of an account, whose shard is 0 unless it may be any. */
  const aMessage = (accountId: Account, receipts: readonly SmppReceipt[] = [{ wants: 'always' }], anyShard = false) => {
    let id = newId('message');
    while (!anyShard && shardOf(id, SMPP_SHARDS) !== 0) id = newId('message');
    const content = { text: 'Oi', senderId: 'LOJA', encoding: 'GSM-7', length: 2, segments: 1 };
    const message = {
      id,
      organizationId,
      to: '+5511999990005',
      content,
      createdAt: time.now,
      smpp: { accountId, receipts },
    };
    messages.set(id, message as unknown as MessageOf<'sms'>);
    return message as unknown as MessageOf<'sms'>;
  };
  const report = async (message: MessageOf<'sms'>, status: MessageOf<'sms'>['status'], reason?: string) => {
    for (const write of reportWrites(message, { status, reason, at: time.now })) await table.write(write);
  };
  /** The deliveries of a lease, which is released. */
  const seen = async (accountId: Account, { after, shard = 0 }: { after?: string; shard?: number } = {}) => {
    const lease = leaseOf(accountId, shard);
    const work = await leaseShard(ports, lease, after);
    if (!work) throw new Error('another process has the lease');
    await notices.end(lease);
    return work;
  };
  return {
    ownTable,
    table,
    time,
    organizationId,
    messages,
    assemblies,
    replies,
    portsOf,
    ports,
    notices,
    aMessage,
    report,
    seen,
  };
};
