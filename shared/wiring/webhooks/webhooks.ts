import * as z from 'zod';
import { WEBHOOK_VALIDATIONS } from '../../domain/access/rate-limits.ts';
import { checkEndpoint } from '../../domain/core/public-address.ts';
import { deliverAll } from '../../domain/webhooks/deliver.ts';
import { drainBacklog } from '../../domain/webhooks/drain.ts';
import { publishEvents } from '../../domain/webhooks/fan-out.ts';
import { checkHeaders } from '../../domain/webhooks/headers.ts';
import type { QueuedDelivery, WebhookPorts } from '../../domain/webhooks/ports.ts';
import { newSecret, sign } from '../../domain/webhooks/signature.ts';
import { postWebhook } from '../../providers/webhooks/post.ts';
import type { Publishable, WorkItem } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { outbox } from '../../storage/due-work/outbox.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { backlogStore } from '../../storage/webhooks/backlog.ts';
import { deliveryStore } from '../../storage/webhooks/deliveries.ts';
import { webhookStore } from '../../storage/webhooks/subscriptions.ts';
import { drawOf } from '../access/rates.ts';
import { clock, publishWork, settings, table, vaults } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';

const policy = { allowLoopbackHttp: settings.WEBHOOK_LOOPBACK };
const PURPOSE = 'webhook-secret';
const HEADER_PURPOSE = 'webhook-header';
const EXCHANGE_PURPOSE = 'webhook-exchange';
const texts = z.record(z.string(), z.string());
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const exchangeSchema = z.object({
  requestHeaders: texts,
  requestBody: z.string(),
  responseHeaders: texts.optional(),
  responseBody: z.string().optional(),
});

const deliveryWorkItem = ({ id, organizationId: owner, priority }: QueuedDelivery): Publishable => ({
  kind: 'deliver_webhook',
  ...KEYS.delivery(id),
  owner,
  priority,
});

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
  seal: async (organizationId, webhookId, secret) =>
    (await vaults.webhooks()).seal(PURPOSE, organizationId, secret, webhookId),
  open: async (organizationId, webhookId, sealed) =>
    (await vaults.webhooks()).open(PURPOSE, organizationId, sealed, webhookId),
  sealHeader: async (organizationId, webhookId, name, value) =>
    (await vaults.webhooks()).seal(HEADER_PURPOSE, organizationId, value, `${webhookId} ${name}`),
  openHeader: async (organizationId, webhookId, name, sealed) =>
    (await vaults.webhooks()).open(HEADER_PURPOSE, organizationId, sealed, `${webhookId} ${name}`),
  drawValidation: (organizationId) => drawOf(organizationId, WEBHOOK_VALIDATIONS),
  sealExchange: async (organizationId, deliveryId, exchange) =>
    (await vaults.webhooks()).seal(EXCHANGE_PURPOSE, organizationId, JSON.stringify(exchange), deliveryId),
  openExchange: async (organizationId, deliveryId, sealed) =>
    exchangeSchema.parse(
      JSON.parse((await vaults.webhooks()).open(EXCHANGE_PURPOSE, organizationId, sealed, deliveryId)),
    ),
  recipient: async (organizationId, messageId) => {
    const row = await table.get(KEYS.message(messageId), { eventual: true, only: ['org', 'direction', 'from', 'to'] });
    return row?.org === organizationId ? text(row.direction === 'inbound' ? row.from : row.to) : undefined;
  },
  contactPhone: async (organizationId, contactId) => {
    const row = await table.get(KEYS.contact(contactId), { only: ['org', 'phone'] });
    return row?.org === organizationId ? text(row.phone) : undefined;
  },
  enqueue: (deliveries, delaySeconds) => {
    if (deliveries.length > 0) publishWork(deliveries.map(deliveryWorkItem), delaySeconds);
  },
  enqueueDrain: ({ organizationId: owner, id }, delaySeconds) =>
    publishWork([{ kind: 'drain_backlog', ...KEYS.webhook(owner, id), owner }], delaySeconds),
  userAgent: 'multichannel-messaging/1.0',
  observe: {
    published(events) {
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

/** Processes a batch of work items by their parsed row keys; an item with a key of another kind fails on its own. */
const processByKey = async <I, O>(
  items: readonly WorkItem[],
  parse: (item: WorkItem) => I,
  work: (keys: readonly I[]) => Promise<readonly PromiseSettledResult<O>[]>,
): Promise<readonly PromiseSettledResult<O>[]> => {
  const parsed = await Promise.allSettled(items.map(async (item) => parse(item)));
  const outcomes = [...(await work(parsed.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))))];
  return parsed.flatMap((result) => (result.status === 'rejected' ? [result] : outcomes.splice(0, 1)));
};

/** Attempts due deliveries. Results are in order. */
export const deliverWebhooks = (workItems: readonly WorkItem[]) =>
  processByKey(workItems, PARSE_KEY.delivery, (ids) => deliverAll(webhookPorts, ids));

/** Fans committed events out to their subscriptions. Results are in order; idempotent. */
export const publishCommitted = (workItems: readonly WorkItem[]) =>
  processByKey(workItems, PARSE_KEY.event, (ids) => publishEvents(webhookPorts, ids));

/** Drains the backlog of one endpoint. */
export const drainBacklogOf = async (item: WorkItem): Promise<void> =>
  drainBacklog(webhookPorts, PARSE_KEY.webhook(item));
