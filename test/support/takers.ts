import type { Environment } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { EVENT_TYPES } from '../../shared/domain/events/catalogue.ts';
import { DEFAULT_RETRY } from '../../shared/domain/webhooks/schedule.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { subscriptionRows } from '../../shared/storage/webhooks/subscriptions.ts';

type Chosen = Pick<Subscription, 'env' | 'events' | 'createdAt'>;

/** A subscription that is given events and delivers none; `createdAt` in ms. */
export const pausedSubscription = (organizationId: Id<'organization'>, chosen: Chosen): Subscription => ({
  id: newId('webhook'),
  organizationId,
  url: 'https://loja.example/webhooks',
  secrets: [{ version: 1, sealed: 'sealed' }],
  status: 'paused',
  retry: DEFAULT_RETRY,
  createdById: newId('account'),
  unmasked: false,
  consecutiveFailures: 0,
  updatedAt: chosen.createdAt,
  ...chosen,
});

/** Makes an organization take events of every type, without an entry in its audit log. */
export const takeEvents = async (table: Table, env: Environment, organizationId: Id<'organization'>): Promise<void> => {
  const subscription = pausedSubscription(organizationId, { env, events: [...EVENT_TYPES], createdAt: 0 });
  await table.write({ put: subscriptionRows.write(subscription) });
};
