import * as z from 'zod';
import { MESSAGE_STATUSES } from '../../domain/message/message.ts';
import { dueAt, type Notice, type NoticeKey, type NoticeQueue, type ShardLease } from '../../domain/smpp/notice.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time, ttlAfter } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { SMPP_SHARDS } from '../table-indexes.ts';
import { isFreeAt } from './slots.ts';

/** Notices per lease: as many as a bind acknowledges within it, at a round trip of half a second each. */
const PAGE = 50;

export const noticeRows = defineRow<Notice>()({
  attributes: {
    organizationId: id('organization'),
    accountId: id('smppAccount'),
    about: z.union([id('message'), id('smppParts')]),
    position: z.string(),
    status: z.enum(MESSAGE_STATUSES).optional(),
    reason: z.string().optional(),
    at: time.optional(),
    replyId: id('reply').optional(),
    createdAt: time,
    reportedCount: z.int(),
    attempts: z.int(),
    notBefore: time.optional(),
  },
  rename: { reportedCount: 'told', attempts: 'tries' },
  key: ({ accountId, about, position }) => KEYS.smppNotice(accountId, about, position),
});
const keyOf = ({ accountId, about, position }: NoticeKey) => KEYS.smppNotice(accountId, about, position);

const leaseRow = z.object({ owner: z.string(), until: time });

const isOf = ({ owner }: ShardLease): Condition => ({ text: '#owner = :owner', values: { owner } });

/** The notices of a stage's accounts. */
export const noticeQueue = (table: Table): NoticeQueue => ({
  async waiting(accountId, now) {
    const shards = Array.from({ length: SMPP_SHARDS }, (_, shard) => shard);
    const waits = await Promise.all(
      shards.map(async (shard) => {
        const { pk: partition, sk: lease } = KEYS.smppShardLease(accountId, shard);
        const { rows } = await table.query({ partition, limit: 2 });
        const taken = rows.find(({ sk }) => sk === lease);
        return rows.length > (taken ? 1 : 0) && !(taken && leaseRow.parse(taken).until > now);
      }),
    );
    return shards.filter((shard) => waits[shard]);
  },
  async waitsSince(accountId) {
    const first = async (shard: number): Promise<number[]> => {
      const { pk: partition, sk: lease } = KEYS.smppShardLease(accountId, shard);
      const { rows } = await table.query({ partition, sort: { text: '#sk > :lease', values: { lease } }, limit: 1 });
      return rows.map(noticeRows.pick('createdAt', 'notBefore')).map(dueAt);
    };
    const since = (await Promise.all(Array.from({ length: SMPP_SHARDS }, (_, shard) => first(shard)))).flat();
    return since.length > 0 ? Math.min(...since) : undefined;
  },
  async begin(lease, now, until) {
    const { accountId, shard, owner } = lease;
    const row = {
      ...KEYS.smppShardLease(accountId, shard),
      ...z.encode(leaseRow, { owner, until }),
      ttl: ttlAfter(until),
    };
    const { ok, row: other } = await table.write({ put: row, when: isFreeAt(now) });
    // A repeated write whose response was lost finds its own row.
    return ok || other?.owner === owner;
  },
  async end(lease) {
    await table.write({ delete: KEYS.smppShardLease(lease.accountId, lease.shard), when: isOf(lease) });
  },
  async page({ accountId, shard }, after) {
    const { pk: partition, sk: lease } = KEYS.smppShardLease(accountId, shard);
    const sk = after === undefined ? lease : KEYS.smppNotice(accountId, '', after).sk;
    // Without rows that an earlier lease removed: a stale copy would deliver them again.
    const { rows, nextKey } = await table.query({
      partition,
      sort: { text: '#sk > :after', values: { after: sk } },
      limit: PAGE,
      consistent: true,
    });
    return { notices: rows.map(noticeRows.read), more: nextKey !== undefined };
  },
  async advance(notice, reportedCount) {
    const set = noticeRows.set({ reportedCount, attempts: 0 });
    await table.write({ update: keyOf(notice), set, remove: ['notBefore'], when: EXISTS });
  },
  async remove(notice) {
    await table.write({ delete: keyOf(notice) });
  },
  async postpone(notice, attempts, notBefore) {
    await table.write({ update: keyOf(notice), set: noticeRows.set({ attempts, notBefore }), when: EXISTS });
  },
});
