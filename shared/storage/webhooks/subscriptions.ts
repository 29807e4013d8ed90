import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { EVENT_TYPES } from '../../domain/events/catalogue.ts';
import type { Health, WebhookStore } from '../../domain/webhooks/ports.ts';
import { SUBSCRIPTION_STATUSES, type Subscription } from '../../domain/webhooks/subscription.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { transactOnce, updateOnce } from '../client/claim-mark.ts';
import { coalescedRead } from '../client/coalescer.ts';
import { ABSENT, EXISTS } from '../client/conditions.ts';
import type { Update, WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { expireLog } from './feed-log.ts';

/** Subscriptions per organization that are not revoked: each event reads all of them, usually in one query. */
const MAX_SUBSCRIPTIONS = 1_000;
/** A revoked subscription is kept as long as its deliveries. */
const KEEP_REVOKED_SECONDS = 30 * 24 * 3600;

/** Subscriptions. While its backlog is not empty, a row's due time is the next drain. */
export const subscriptionRows = defineRow<Subscription>()({
  attributes: {
    id: id('webhook'),
    ...tenant,
    url: z.string(),
    secrets: z.array(z.object({ version: z.int(), sealed: z.string(), endsAt: z.int().optional() })).min(1),
    headers: z
      .array(
        z.union([
          z.object({ key: z.string(), sealed: z.string(), shown: z.string() }),
          z.object({ key: z.string(), value: z.string() }),
        ]),
      )
      .optional(),
    events: z.array(z.enum(EVENT_TYPES)),
    status: z.enum(SUBSCRIPTION_STATUSES),
    description: z.string().optional(),
    retry: z.object({ maxAttempts: z.int(), backoffSeconds: z.int() }),
    createdById: id('account'),
    unmasked: z.boolean(),
    consecutiveFailures: z.int(),
    lastSuccessAt: time.optional(),
    lastFailureAt: time.optional(),
    createdAt: time,
    updatedAt: time,
    slowUntil: z.int().optional(),
    drainAt: z.int().optional(),
  },
  rename: { drainAt: 'dueAt' },
  key: (subscription) => KEYS.webhook(subscription.organizationId, subscription.id),
});

/** The write to a subscription when deliveries enter its backlog: the backlog is drained at `drainAt` (ms) at the latest. */
export const backlogWrite = (webhookId: Id<'webhook'>, now: number, drainAt: number) => ({
  set: { parkedAt: now },
  setOnce: INDEX_KEYS.due('drain_backlog', webhookId, drainAt),
});

/** The attributes that an operator may change; health is written by others. */
const changedBy = (after: Subscription) => {
  const { url, secrets, events, retry, status, unmasked, updatedAt, headers, description } = after;
  const remove = (['headers', 'description'] as const).filter((name) => after[name] === undefined);
  return {
    set: subscriptionRows.set({ url, secrets, events, retry, status, unmasked, updatedAt, headers, description }),
    ...(remove.length > 0 ? { remove } : {}),
  };
};

const revokedTtl = (at: number): number => Math.ceil(at / 1000) + KEEP_REVOKED_SECONDS;
const revokedWrite = (at: number) => ({ revokedAt: isoTime(at), ttl: revokedTtl(at) });

const healthWrite = ({ status, failures, lastSuccessAt, lastFailureAt, revokedAt }: Health) => ({
  ...subscriptionRows.set({
    status,
    consecutiveFailures: failures === 'none' ? 0 : undefined,
    lastSuccessAt,
    lastFailureAt,
  }),
  ...(revokedAt === undefined ? {} : revokedWrite(revokedAt)),
});

/** The subscriptions of a stage. */
export const webhookStore = (table: Table): WebhookStore => {
  const list = async (organizationId: Id<'organization'>): Promise<Subscription[]> => {
    const rows = await table.queryAll({ partition: KEYS.webhook(organizationId, '').pk, consistent: true });
    return rows.map(subscriptionRows.read).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  };
  return {
    list,
    async create(subscription, entry) {
      const count = await table.count({
        partition: KEYS.webhook(subscription.organizationId, '').pk,
        consistent: true,
        filter: { text: '#status <> :revoked', values: { revoked: 'revoked' } },
      });
      if (count >= MAX_SUBSCRIPTIONS) return 'too_many';
      await table.transact([{ put: subscriptionRows.write(subscription), when: ABSENT }, ...auditWrites(entry)]);
      return 'created';
    },
    async read(organizationId, id) {
      const row = await table.get(KEYS.webhook(organizationId, id));
      return row ? subscriptionRows.read(row) : undefined;
    },
    async readAll(deliveries) {
      const keys = deliveries.map(({ organizationId, webhookId }) => KEYS.webhook(organizationId, webhookId));
      const rows = await coalescedRead(table, keys);
      return Promise.allSettled(rows.map(async (row) => (row ? subscriptionRows.read(row) : undefined)));
    },
    async change(before, after, entry) {
      const changed: Update = {
        update: KEYS.webhook(before.organizationId, before.id),
        ...changedBy(after),
        when: {
          text: '#updatedAt = :before AND #status <> :revoked',
          values: { before: isoTime(before.updatedAt), revoked: 'revoked' },
        },
      };
      return (await transactOnce(table, changed, auditWrites(entry), 'mark')).ok;
    },
    async revoke({ organizationId, id }, at, entry) {
      const revoked: WriteOp = {
        update: KEYS.webhook(organizationId, id),
        set: healthWrite({ status: 'revoked', revokedAt: at }),
        when: { text: 'attribute_exists(#pk) AND #status <> :revoked', values: { revoked: 'revoked' } },
      };
      await table.transact([revoked, ...auditWrites(entry)]);
      // Also if it was revoked before: whoever revoked it may have ended here.
      await expireLog(table, id, revokedTtl(at));
    },
    async noteHealth(organizationId, id, health) {
      // An operator's change of status wins: health only switches between active and failing, or revokes.
      const kept = health.status === 'revoked' ? '#status <> :revoked' : '#status IN (:active, :failing)';
      const noted: Update = {
        update: KEYS.webhook(organizationId, id),
        set: healthWrite(health),
        ...(health.failures === 'another' ? { add: { consecutiveFailures: 1 } } : {}),
        when: {
          text: `attribute_exists(#pk) AND ${kept}`,
          values: health.status === 'revoked' ? { revoked: 'revoked' } : { active: 'active', failing: 'failing' },
        },
      };
      const row = await updateOnce(table, noted, 'healthMark');
      if (health.revokedAt !== undefined) await expireLog(table, id, revokedTtl(health.revokedAt));
      return row && subscriptionRows.read(row);
    },
    async noteSlow(organizationId, id, until) {
      await table.write({
        update: KEYS.webhook(organizationId, id),
        set: { slowUntil: until },
        when: EXISTS,
      });
    },
  };
};
