import type { Environment } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { EVENT_TYPES } from '../../shared/domain/events/catalogue.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { subscriptionRows } from '../../shared/storage/webhooks/subscriptions.ts';

/** Makes an organization take events of every type: by a paused subscription, which is given them and delivers none. */
export const takeEvents = async (table: Table, env: Environment, organizationId: Id<'organization'>): Promise<void> => {
  await table.write({
    put: subscriptionRows.write({
      id: newId('webhook'),
      organizationId,
      env,
      url: 'https://example.com/events',
      secrets: [{ version: 1, sealed: 'none' }],
      events: [...EVENT_TYPES],
      status: 'paused',
      retry: { maxAttempts: 1, backoffSeconds: 30 },
      createdById: newId('account'),
      unmasked: false,
      consecutiveFailures: 0,
      createdAt: 0,
      updatedAt: 0,
    }),
  });
};
