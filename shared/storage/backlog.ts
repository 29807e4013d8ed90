import * as z from 'zod';
import type { BacklogStore, Look } from '../domain/webhooks/ports.ts';
import type { Subscription } from '../domain/webhooks/subscription.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { isFree } from './deliveries.ts';
import type { WriteOp } from './expressions.ts';
import type { Table } from './table.ts';
import { transactTogether } from './together.ts';
import { parkedWrite, parseSubscription } from './webhooks.ts';

type Place = Pick<Subscription, 'organizationId' | 'id'>;
const keyOf = ({ organizationId, id }: Place) => KEYS.webhook(organizationId, id);
const looked = z.object({ parkedAt: z.int() });
const waiter = z.object({ pk: z.string(), dueAt: z.int() });

/** The worker that took the look still has it: who wakes a backlog makes it due at another moment. */
const stillTaken = ({ until }: Look) => ({ text: '#dueAt = :until', values: { until } });

/** The backlogs of a stage's endpoints over its table. */
export const backlogStore = (table: Table): BacklogStore => {
  const holds = async (operation: WriteOp): Promise<boolean> => (await table.write(operation)).ok;
  return {
    async park(delivery, now, lookAt) {
      const { webhookId: id, organizationId } = delivery;
      await transactTogether(table, [
        {
          update: KEYS.delivery(delivery.id),
          set: FINDS.backlogOf(id, delivery.nextAttemptAt ?? now),
          remove: ['claimedUntil'],
          when: isFree(delivery, now),
        },
        {
          update: KEYS.webhook(organizationId, id),
          ...parkedWrite(id, now, lookAt),
          when: { text: 'attribute_exists(#pk)' },
        },
      ]);
    },
    async take(place, now, until) {
      const { ok, row } = await table.write({
        update: keyOf(place),
        set: { dueAt: until },
        when: { text: 'attribute_exists(#duePk) AND #dueAt <= :now', values: { now } },
      });
      return ok && row
        ? { subscription: parseSubscription(row), until, parkedAt: looked.parse(row).parkedAt }
        : undefined;
    },
    async oldest(webhookId, most) {
      const { rows } = await table.query({
        index: 'due',
        partition: FINDS.backlogOf(webhookId, 0).duePk,
        only: ['pk', 'dueAt'],
        limit: most,
      });
      return rows.map((row) => {
        const { pk, dueAt } = waiter.parse(row);
        return { id: pk.slice(pk.indexOf('#') + 1), since: dueAt };
      });
    },
    lookAgain: (look, at) => holds({ update: keyOf(look.subscription), set: { dueAt: at }, when: stillTaken(look) }),
    close: (look) =>
      holds({
        update: keyOf(look.subscription),
        remove: ['duePk', 'dueAt'],
        when: { text: '#parkedAt = :seen', values: { seen: look.parkedAt } },
      }),
    wake: (place, now) =>
      holds({ update: keyOf(place), set: { dueAt: now }, when: { text: 'attribute_exists(#duePk)' } }),
  };
};
