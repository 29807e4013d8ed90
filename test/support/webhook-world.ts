import { createHmac } from 'node:crypto';
import { beforeEach } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { EventType } from '../../shared/domain/events/catalogue.ts';
import { type DomainEvent, newEvent } from '../../shared/domain/events/event.ts';
import type { NewSubscription } from '../../shared/domain/webhooks/change.ts';
import { checkHeaders } from '../../shared/domain/webhooks/headers.ts';
import { createSubscription } from '../../shared/domain/webhooks/manage.ts';
import type { PostOutcome, WebhookPorts } from '../../shared/domain/webhooks/ports.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { eventWrite, outbox } from '../../shared/storage/due-work/outbox.ts';
import { backlogStore } from '../../shared/storage/webhooks/backlog.ts';
import { deliveryStore } from '../../shared/storage/webhooks/deliveries.ts';
import { webhookStore } from '../../shared/storage/webhooks/subscriptions.ts';
import { accepted } from './accepted.ts';
import { use } from './use.ts';
import { startWorld, type World } from './world.ts';

export interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly slow?: { readonly afterMs: number; readonly call: () => void };
}

/** The rules of webhooks over the real storage and engine; clock, chance and the endpoints are the test's. */
export interface WebhookWorld {
  readonly world: World;
  readonly ports: WebhookPorts;
  readonly posted: Posted[];
  /** How addresses answer; 200 where there is none. */
  readonly answers: Map<string, (post: Posted) => PostOutcome | Promise<PostOutcome>>;
  /** Enqueued deliveries, with their delays in seconds. */
  readonly workItems: { id: Id<'delivery'>; delay: number }[];
  /** Enqueued drains of subscriptions, with their delays in seconds. */
  readonly drains: { id: Id<'webhook'>; delay: number }[];
  random: number;
  subscribe(
    fields?: Partial<NewSubscription>,
    actor?: Actor,
  ): Promise<{ actor: Actor; subscription: Subscription; secret: string }>;
  event(actor: Actor, type?: EventType, data?: Record<string, unknown>): Promise<DomainEvent>;
}

export const ok = (status = 200, headers: Record<string, string> = {}): PostOutcome => ({
  kind: 'answered',
  status,
  headers,
  body: '',
  durationMs: 5,
});
export const hung = (): PostOutcome => ({
  kind: 'failed',
  error: 'timeout',
  detail: 'no answer within 15 s',
  durationMs: 15_000,
});

const webhookWorld = (world: World): WebhookWorld => {
  const posted: Posted[] = [];
  const answers: WebhookWorld['answers'] = new Map();
  const workItems: WebhookWorld['workItems'] = [];
  const drains: WebhookWorld['drains'] = [];
  let secrets = 0;
  const self: WebhookWorld = {
    world,
    posted,
    answers,
    workItems,
    drains,
    random: 0.5,
    ports: {
      clock: () => world.now,
      random: () => self.random,
      subscriptions: webhookStore(world.table),
      deliveries: deliveryStore(world.table),
      backlog: backlogStore(world.table),
      events: outbox(world.table),
      post: async (post) => {
        const { url } = post;
        posted.push(post);
        return (await answers.get(url)?.(post)) ?? ok();
      },
      checkEndpoint: () => undefined,
      checkHeaders,
      drawValidation: async () => undefined,
      newSecret: () => `whsec_${Buffer.from(`secret-${++secrets}`).toString('base64')}`,
      sign: (secretsNow, id, seconds, body) => {
        const keys = secretsNow.map((secret) => Buffer.from(secret.slice(6), 'base64'));
        const signatureOf = (key: Buffer) =>
          createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
        return keys.map((key) => `v1,${signatureOf(key)}`).join(' ');
      },
      seal: async (_, __, secret) => `sealed:${secret}`,
      open: async (_, __, sealed) => sealed.slice(7),
      sealHeader: async (_, id, name, value) => Buffer.from(`${id} ${name} ${value}`).toString('base64'),
      openHeader: async (_, id, name, sealed) => {
        const text = Buffer.from(sealed, 'base64').toString();
        if (!text.startsWith(`${id} ${name} `)) throw new Error('sealed for another place');
        return text.slice(`${id} ${name} `.length);
      },
      sealExchange: async (_, __, exchange) => JSON.stringify(exchange),
      openExchange: async (_, __, sealed) => JSON.parse(sealed),
      recipient: async () => '+5511987654321',
      contactPhone: async () => '+5511987654321',
      enqueue: (deliveries, delay = 0) => void workItems.push(...deliveries.map(({ id }) => ({ id, delay }))),
      enqueueDrain: ({ id }, delay = 0) => void drains.push({ id, delay }),
      userAgent: 'test/1.0',
      observe: { published() {}, attempted() {} },
    },
    async subscribe(fields = {}, actor = world.actor()) {
      const url = `https://${Math.random()}.example/hook`;
      const made = accepted(await createSubscription(self.ports, actor, { url, events: ['sms.delivered'], ...fields }));
      posted.length = 0;
      return { actor, ...made };
    },
    async event(actor, type = 'sms.delivered', data = { id: newId('message'), to: '+55119****4321' }) {
      const event = newEvent({ type, organizationId: actor.organizationId, env: 'live', createdAt: world.now, data });
      await world.table.write(eventWrite(event));
      return event;
    },
  };
  return self;
};

/** A world of webhooks for the tests of a file, each of which begins with empty lists. */
export const useWebhooks = async (): Promise<WebhookWorld> => {
  const hooks = webhookWorld(await use(startWorld('live')));
  beforeEach(() => {
    for (const list of [hooks.posted, hooks.workItems, hooks.drains]) list.length = 0;
    hooks.random = 0.5;
    hooks.world.proxy.plan(undefined);
  });
  return hooks;
};
