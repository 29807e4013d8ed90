import * as z from 'zod';
import type { Id } from '../../domain/ids.ts';
import { checkEndpoint } from '../../domain/webhooks/address.ts';
import { deliverAll } from '../../domain/webhooks/deliver.ts';
import { drainBacklog } from '../../domain/webhooks/drain.ts';
import { publishEvents } from '../../domain/webhooks/fan-out.ts';
import { checkHeaders } from '../../domain/webhooks/headers.ts';
import type { WebhookPorts } from '../../domain/webhooks/ports.ts';
import { newSecret, sign } from '../../domain/webhooks/signature.ts';
import { postWebhook } from '../../providers/webhooks/post.ts';
import type { DueHint } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { backlogStore } from '../../storage/backlog.ts';
import { deliveryStore } from '../../storage/deliveries.ts';
import { outbox } from '../../storage/outbox.ts';
import { webhookStore } from '../../storage/webhooks.ts';
import { logger, measure } from '../observe.ts';
import { clock, publishDue, settings, table, vault } from './platform.ts';

const policy = { allowLoopbackHttp: settings.WEBHOOK_LOOPBACK };
const PURPOSE = 'webhook-secret';
const EXCHANGE_PURPOSE = 'webhook-exchange';
const texts = z.record(z.string(), z.string());
const exchangeSchema = z.object({
  requestHeaders: texts,
  requestBody: z.string(),
  responseHeaders: texts.optional(),
  responseBody: z.string().optional(),
});

/** What subscriptions and their deliveries need, over this stage's table and queue. */
export const webhookPorts: WebhookPorts = {
  clock,
  random: Math.random,
  subscriptions: webhookStore(table),
  deliveries: deliveryStore(table),
  backlog: backlogStore(table),
  events: outbox(table),
  post: (request) => postWebhook(request, policy),
  checkEndpoint: (url) => checkEndpoint(url, policy),
  checkHeaders,
  newSecret,
  sign,
  seal: async (organizationId, webhookId, secret) => (await vault()).seal(PURPOSE, organizationId, secret, webhookId),
  open: async (organizationId, webhookId, sealed) => (await vault()).open(PURPOSE, organizationId, sealed, webhookId),
  sealExchange: async (organizationId, deliveryId, exchange) =>
    (await vault()).seal(EXCHANGE_PURPOSE, organizationId, JSON.stringify(exchange), deliveryId),
  openExchange: async (organizationId, deliveryId, sealed) =>
    exchangeSchema.parse(JSON.parse((await vault()).open(EXCHANGE_PURPOSE, organizationId, sealed, deliveryId))),
  recipient: async (messageId) => {
    const row = await table.get(KEYS.message(messageId), { eventual: true, only: ['direction', 'from', 'to'] });
    const address = row?.direction === 'inbound' ? row.from : row?.to;
    return typeof address === 'string' ? address : undefined;
  },
  hint: (ids, delaySeconds) => {
    if (ids.length === 0) return;
    publishDue(
      ids.map((id): DueHint => ({ kind: 'deliver_webhook', ...KEYS.delivery(id) })),
      delaySeconds,
    );
  },
  hintBacklog: ({ organizationId, id }, delaySeconds) =>
    publishDue([{ kind: 'drain_backlog', ...KEYS.webhook(organizationId, id) }], delaySeconds),
  userAgent: 'multichannel-messaging/1.0',
  observe: {
    published(events) {
      for (const [type, all] of Map.groupBy(events, ({ event }) => event.type))
        measure({ type }, { Events: all.length, Deliveries: all.reduce((sum, { deliveries }) => sum + deliveries, 0) });
      for (const { event, deliveries } of events) {
        const { id: eventId, type, organizationId } = event;
        logger.info('event', { eventId, type, organizationId, deliveries });
      }
    },
    attempted(outcome, ms, at) {
      measure({ outcome }, { WebhookAttempts: 1, WebhookLatency: ms });
      if (outcome !== 'delivered') logger.warn('webhook attempt failed', { outcome, ...at });
    },
  },
};

const idOf = (key: string) => key.slice(key.indexOf('#') + 1);

/** Tries deliveries that are due. How each went, in their order. */
export const deliverWebhooks = (hints: readonly DueHint[]) =>
  deliverAll(
    webhookPorts,
    hints.map(({ pk }) => idOf(pk)),
  );

/** Takes committed events over: gives them to their subscriptions, then marks them. How each went; repeats change nothing. */
export const publishCommitted = (hints: readonly DueHint[]) =>
  publishEvents(
    webhookPorts,
    hints.map(({ pk }) => idOf(pk)),
  );

/** Looks at the backlog of one endpoint. */
export const drainBacklogOf = ({ pk, sk }: DueHint): Promise<void> =>
  drainBacklog(webhookPorts, { organizationId: idOf(pk) as Id<'organization'>, id: idOf(sk) as Id<'webhook'> });
