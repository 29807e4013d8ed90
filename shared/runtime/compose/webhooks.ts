import { checkEndpoint } from '../../domain/webhooks/address.ts';
import { deliver, fanOut } from '../../domain/webhooks/deliver.ts';
import { checkHeaders } from '../../domain/webhooks/headers.ts';
import type { WebhookPorts } from '../../domain/webhooks/ports.ts';
import { newSecret, sign } from '../../domain/webhooks/signature.ts';
import { postWebhook } from '../../providers/webhooks/post.ts';
import type { DueHint } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { deliveryStore } from '../../storage/deliveries.ts';
import { outbox } from '../../storage/outbox.ts';
import { webhookStore } from '../../storage/webhooks.ts';
import { logger, measure } from '../observe.ts';
import { clock, publishDue, settings, table, vault } from './platform.ts';

const events = outbox(table);
const policy = { allowLoopbackHttp: settings.WEBHOOK_LOOPBACK };
const PURPOSE = 'webhook-secret';
const BODY_PURPOSE = 'webhook-body';

/** What subscriptions and their deliveries need, over this stage's table and queue. */
export const webhookPorts: WebhookPorts = {
  clock,
  random: Math.random,
  subscriptions: webhookStore(table),
  deliveries: deliveryStore(table),
  events: {
    read: async (id) => (await events.read(id))?.event,
    keep: events.keep,
  },
  post: (request) => postWebhook(request, policy),
  checkEndpoint: (url) => checkEndpoint(url, policy),
  checkHeaders,
  newSecret,
  sign,
  seal: async (organizationId, webhookId, secret) => (await vault()).seal(PURPOSE, organizationId, secret, webhookId),
  open: async (organizationId, webhookId, sealed) => (await vault()).open(PURPOSE, organizationId, sealed, webhookId),
  sealBody: async (organizationId, deliveryId, body) =>
    (await vault()).seal(BODY_PURPOSE, organizationId, body, deliveryId),
  openBody: async (organizationId, deliveryId, sealed) =>
    (await vault()).open(BODY_PURPOSE, organizationId, sealed, deliveryId),
  recipient: async (messageId) => {
    const row = await table.get(KEYS.message(messageId), { eventual: true, only: ['to'] });
    return typeof row?.to === 'string' ? row.to : undefined;
  },
  hint: (ids, delaySeconds) => {
    if (ids.length === 0) return;
    publishDue(
      ids.map((id): DueHint => ({ kind: 'deliver_webhook', ...KEYS.delivery(id) })),
      delaySeconds,
    );
  },
  userAgent: 'multichannel-messaging/1.0',
  observe: {
    attempted(outcome, ms, at) {
      measure({ outcome }, { WebhookAttempts: 1, WebhookLatency: ms });
      if (outcome !== 'delivered') logger.warn('webhook attempt failed', { outcome, ...at });
    },
  },
};

const idOf = (key: string) => key.slice(key.indexOf('#') + 1);

/** Tries a delivery that is due. */
export const deliverWebhook = ({ pk }: DueHint): Promise<void> => deliver(webhookPorts, idOf(pk));

/** Takes a committed event over: gives it to its subscriptions, then marks it. Repeats change nothing. */
export const publishEvent = async ({ pk }: DueHint): Promise<void> => {
  const id = idOf(pk);
  const found = await events.read(id);
  if (!found || found.published) return;
  const deliveries = await fanOut(webhookPorts, found.event);
  if (!(await events.markPublished(id, clock()))) return;
  const { type, organizationId } = found.event;
  measure({ type }, { Events: 1, Deliveries: deliveries });
  logger.info('event', { eventId: id, type, organizationId, deliveries });
};
