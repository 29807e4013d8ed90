import * as z from 'zod';
import type { BacklogStore, DrainLease } from '../../domain/webhooks/ports.ts';
import type { Subscription } from '../../domain/webhooks/subscription.ts';
import { KEYS } from '../access-patterns.ts';
import { updateOnce } from '../client/claim-mark.ts';
import { coalescedTransact } from '../client/coalescer.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { backlogPartitions } from '../partitions.ts';
import { CLAIM, isFree } from './deliveries.ts';
import { backlogWrite, subscriptionRows } from './subscriptions.ts';

const keyOf = ({ organizationId, id }: Pick<Subscription, 'organizationId' | 'id'>) => KEYS.webhook(organizationId, id);

/** Condition: this worker still holds the drain's lease; triggering a drain changes the due time. */
const isLeased = ({ until }: DrainLease): Condition => ({ text: '#dueAt = :until', values: { until } });

/** The backlogs of a stage's endpoints. */
export const backlogStore = (table: Table): BacklogStore => {
  const succeeds = async (operation: WriteOp): Promise<boolean> => (await table.write(operation)).ok;
  return {
    async add(delivery, now, drainAt) {
      const { webhookId, organizationId } = delivery;
      await coalescedTransact(table, [
        {
          update: KEYS.delivery(delivery.id),
          set: INDEX_KEYS.backlogOf(webhookId, delivery.id, delivery.nextAttemptAt ?? now),
          remove: CLAIM,
          when: isFree(delivery, now),
        },
        { update: KEYS.webhook(organizationId, webhookId), ...backlogWrite(webhookId, now, drainAt), when: EXISTS },
      ]);
    },
    async lease(subscription, now, until) {
      const row = await updateOnce(table, {
        update: keyOf(subscription),
        set: { dueAt: until },
        when: { text: 'attribute_exists(#duePk) AND #dueAt <= :now', values: { now } },
      });
      if (!row) return undefined;
      return { subscription: subscriptionRows.read(row), until, parkedAt: z.int().parse(row.parkedAt) };
    },
    async oldest(webhookId, max) {
      const pages = await Promise.all(
        backlogPartitions(webhookId).map((partition) =>
          table.query({ index: 'due', partition, only: ['pk', 'dueAt'], limit: max }),
        ),
      );
      const waiters = pages.flatMap(({ rows }) =>
        rows.map((row) => ({ id: PARSE_KEY.delivery(row), since: z.int().parse(row.dueAt) })),
      );
      return waiters.sort((a, b) => a.since - b.since).slice(0, max);
    },
    async rescheduleDrain(lease, at) {
      const own = { update: keyOf(lease.subscription), set: { dueAt: at }, when: isLeased(lease) };
      return (await updateOnce(table, own)) !== undefined;
    },
    close: (lease) =>
      succeeds({
        update: keyOf(lease.subscription),
        remove: ['duePk', 'dueAt'],
        when: { text: '#parkedAt = :seen', values: { seen: lease.parkedAt } },
      }),
    hastenDrain: (subscription, at) =>
      succeeds({
        update: keyOf(subscription),
        set: { dueAt: at },
        when: { text: 'attribute_exists(#duePk) AND #dueAt > :at', values: { at } },
      }),
    triggerDrain: (subscription, now) =>
      succeeds({ update: keyOf(subscription), set: { dueAt: now }, when: { text: 'attribute_exists(#duePk)' } }),
  };
};
