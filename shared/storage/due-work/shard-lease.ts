import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { DueShard, ShardLease, ShardProgress } from '../../queues/dispatch-shard.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/**
 * How long a shard stays with a dispatcher that does not renew its lease, in ms: far longer than a page takes, and the delay after a crash.
 */
const LEASE_MS = 15_000;

const progressRow = z.object({
  front: z.object({ dueAt: z.number(), pk: z.string(), sk: z.string() }).optional(),
  repeatTo: z.number().optional(),
  repeatAt: z.number().optional(),
});

const attributesOf = ({ front, repeatTo, repeatAt }: ShardProgress) => ({ front, repeatTo, repeatAt });

/**
 * Leases a shard of due work; undefined while another dispatcher has it. The same write returns the shard's progress. A lease longer than
 * any valid one comes from a clock that runs ahead, and is ignored.
 */
export const leaseShard = async (
  table: Table,
  { kind, shard }: DueShard,
  clock: () => number,
): Promise<ShardLease | undefined> => {
  const key = KEYS.dispatch(kind, shard);
  const owner = randomUUID();
  const now = clock();
  const { ok, row } = await table.write({
    update: key,
    set: { owner, leasedUntil: now + LEASE_MS },
    when: {
      text: 'attribute_not_exists(#leasedUntil) OR #leasedUntil <= :now OR #leasedUntil > :longest',
      values: { now, longest: now + LEASE_MS },
    },
  });
  // The response to an own write may have been lost.
  if (!ok && row?.owner !== owner) return undefined;
  const mine = { text: '#owner = :owner', values: { owner } };
  return {
    progress: progressRow.parse(row ?? {}),
    save: async (progress) => {
      const set = { ...attributesOf(progress), leasedUntil: clock() + LEASE_MS };
      return (await table.write({ update: key, set, when: mine })).ok;
    },
    release: async (progress = {}) => {
      await table.write({ update: key, set: attributesOf(progress), remove: ['leasedUntil'], when: mine });
    },
  };
};
