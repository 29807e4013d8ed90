import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import { EVENT_TYPES } from '../domain/events/catalogue.ts';
import { isoTime } from '../domain/time.ts';
import type { Health, WebhookStore } from '../domain/webhooks/ports.ts';
import { SUBSCRIPTION_STATUSES, type Subscription } from '../domain/webhooks/subscription.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { QueryRange, Row, Table } from './table.ts';
import { readTogether } from './together.ts';

/** Subscriptions of an organization that are not revoked: all are read for each event, as a rule in one query. */
const MOST = 1_000;
/** A revoked subscription is kept as long as the deliveries that it had. */
const KEEP_REVOKED_SECONDS = 30 * 24 * 3600;

const time = z.iso.datetime().transform((text) => Date.parse(text));
const stored = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  url: z.string(),
  secrets: z.array(z.object({ version: z.int(), sealed: z.string(), endsAt: z.int().optional() })).min(1),
  headers: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
  events: z.array(z.enum(EVENT_TYPES)),
  status: z.enum(SUBSCRIPTION_STATUSES),
  description: z.string().optional(),
  retry: z.object({ maxAttempts: z.int(), backoffSeconds: z.int() }),
  createdById: z.string(),
  unmasked: z.boolean(),
  sequence: z.int(),
  consecutiveFailures: z.int(),
  lastSuccessAt: time.optional(),
  lastFailureAt: time.optional(),
  createdAt: time,
  updatedAt: time,
  dueAt: z.int().optional(),
  slowUntil: z.int().optional(),
});

/** Reads a subscription's row; every field is checked. */
export const parseSubscription = (row: Row): Subscription => {
  const { org, dueAt: lookAt, ...fields } = stored.parse(row);
  return { ...fields, organizationId: org, ...(lookAt === undefined ? {} : { lookAt }) } as unknown as Subscription;
};

/** What makes sure, in the same transaction as deliveries that join a backlog, that somebody looks at it. */
export const parkedWrite = (webhookId: string, now: number, lookAt: number) => ({
  set: { parkedAt: now },
  setOnce: FINDS.due('drain_backlog', webhookId, lookAt),
});

const optional = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));

const rowOf = ({ organizationId: org, ...fields }: Subscription) => ({
  ...KEYS.webhook(org, fields.id),
  ...fields,
  org,
  createdAt: isoTime(fields.createdAt),
  updatedAt: isoTime(fields.updatedAt),
  lastSuccessAt: optional(fields.lastSuccessAt),
  lastFailureAt: optional(fields.lastFailureAt),
});

/** What an operator may change; the sequence and the health are others'. */
const changedBy = (after: Subscription) => {
  const { url, secrets, events, retry, status, unmasked, updatedAt } = after;
  const set = {
    url,
    secrets,
    events,
    retry,
    status,
    unmasked,
    updatedAt: isoTime(updatedAt),
    headers: after.headers,
    description: after.description,
  };
  const remove = (['headers', 'description'] as const).filter((name) => after[name] === undefined);
  return { set, ...(remove.length > 0 ? { remove } : {}) };
};

const revokedWrite = (at: number) => ({
  revokedAt: isoTime(at),
  ttl: Math.ceil(at / 1000) + KEEP_REVOKED_SECONDS,
});

const healthWrite = (health: Health) => ({
  ...(health.status ? { status: health.status } : {}),
  ...(health.failures === 'none' ? { consecutiveFailures: 0 } : {}),
  ...(health.lastSuccessAt === undefined ? {} : { lastSuccessAt: isoTime(health.lastSuccessAt) }),
  ...(health.lastFailureAt === undefined ? {} : { lastFailureAt: isoTime(health.lastFailureAt) }),
  ...(health.revokedAt === undefined ? {} : revokedWrite(health.revokedAt)),
});

/** The subscriptions of a stage over its table. */
export const webhookStore = (table: Table): WebhookStore => {
  const list = async (organizationId: string): Promise<Subscription[]> => {
    const rows: Row[] = [];
    let startKey: QueryRange['startKey'];
    // A page ends at 1 MB: what lies beyond it takes events as well.
    do {
      const page = await table.query({ partition: KEYS.webhook(organizationId, '').pk, consistent: true, startKey });
      rows.push(...page.rows);
      startKey = page.nextKey;
    } while (startKey);
    return rows.map(parseSubscription).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  };
  return {
    list,
    async create(subscription) {
      const standing = await table.count({
        partition: KEYS.webhook(subscription.organizationId, '').pk,
        consistent: true,
        filter: { text: '#status <> :revoked', values: { revoked: 'revoked' } },
      });
      if (standing >= MOST) return 'too_many';
      await table.write({ put: rowOf(subscription), when: { text: 'attribute_not_exists(#pk)' } });
      return 'created';
    },
    async read(organizationId, id) {
      const row = await table.get(KEYS.webhook(organizationId, id));
      return row ? parseSubscription(row) : undefined;
    },
    async readAll(deliveries) {
      const keys = deliveries.map(({ organizationId, webhookId }) => KEYS.webhook(organizationId, webhookId));
      const rows = await readTogether(table, keys);
      return Promise.allSettled(rows.map(async (row) => (row ? parseSubscription(row) : undefined)));
    },
    async change(before, after) {
      const { ok } = await table.write({
        update: KEYS.webhook(before.organizationId, before.id),
        ...changedBy(after),
        when: {
          text: '#updatedAt = :before AND #status <> :revoked',
          values: { before: isoTime(before.updatedAt), revoked: 'revoked' },
        },
      });
      return ok;
    },
    async noteHealth(organizationId, id, health) {
      // A change of status by an operator wins: health moves only between active and failing, or ends at revoked.
      const kept = health.status === 'revoked' ? '#status <> :revoked' : '#status IN (:active, :failing)';
      const { ok, row } = await table.write({
        update: KEYS.webhook(organizationId, id),
        set: healthWrite(health),
        ...(health.failures === 'another' ? { add: { consecutiveFailures: 1 } } : {}),
        when: {
          text: `attribute_exists(#pk) AND ${kept}`,
          values: health.status === 'revoked' ? { revoked: 'revoked' } : { active: 'active', failing: 'failing' },
        },
      });
      return ok && row ? parseSubscription(row) : undefined;
    },
    async noteSlow(organizationId, id, until) {
      await table.write({
        update: KEYS.webhook(organizationId, id),
        set: { slowUntil: until },
        when: { text: 'attribute_exists(#pk)' },
      });
    },
  };
};
