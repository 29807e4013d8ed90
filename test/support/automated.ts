import type { Tenant } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { JourneyLabel, MessageRecord } from '../../shared/domain/message/message.ts';
import { type AutomatedSend, campaignKey, journeyKey } from '../../shared/domain/sending/automated.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';

/** A contact's row, as far as sends ask for it. */
export const aContact = async (table: Table, { organizationId }: Pick<Tenant, 'organizationId'>) => {
  const id = newId('contact');
  await table.write({ put: { ...KEYS.contact(id), org: organizationId } });
  return id;
};

/** A step of a run of a new journey. */
export const aStep = (more: Partial<JourneyLabel> = {}): JourneyLabel => ({
  journeyId: newId('journey'),
  stepId: 'boas_vindas',
  runId: newId('run'),
  ...more,
});

/** A send of a journey's step. */
export const ofJourney = (journey: JourneyLabel = aStep(), visit = 1): AutomatedSend => ({
  key: journeyKey(journey.runId, journey.stepId, visit),
  labels: { origin: 'automation', journey },
  frequency: {},
});

/** A campaign's send to a contact. */
export const ofCampaign = (campaign: Id<'campaign'>, contactId: Id<'contact'>): AutomatedSend => ({
  key: campaignKey(campaign, contactId),
  labels: { origin: 'automation', campaign },
  frequency: {},
});

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

/** A recount from the messages: the expected counters of their step or campaign. */
export const recounted = (messages: readonly MessageRecord[]): Record<string, number> => {
  const many = (is: (message: MessageRecord) => boolean) => messages.filter(is).length;
  // Of a push nothing is ever heard but that its push service took it.
  const arrived = ({ status, channel }: MessageRecord) =>
    ['delivered', 'read', 'complained'].includes(status) || (channel === 'push' && status === 'sent');
  const wasSent = (message: MessageRecord) =>
    message.hold === 'captured' || (message.hold === 'released' && arrived(message));
  const counts = {
    accepted: messages.length,
    sent: many(wasSent),
    replaced: many(
      (message) => message.hold === 'released' && message.archivedAt !== undefined && message.status === 'queued',
    ),
    cancelled: many(({ reason, status }) => reason === 'cancelled' && status === 'failed'),
    unsent: many((message) => message.hold === 'released' && !wasSent(message)),
    delivered: many(arrived),
    read: many(({ readAt }) => readAt !== undefined),
    failed: many(({ status }) => ['failed', 'undelivered', 'bounced'].includes(status)),
    coinsHeld: sumOf(messages, ({ hold, coins }) => (hold === 'open' ? coins : 0)),
    coinsCaptured: sumOf(messages, ({ hold, coins, capturedCoins = coins, refunded = 0 }) =>
      hold === 'captured' ? capturedCoins - refunded : 0,
    ),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
};

/** Counts without those that are 0, as an absent one is. */
export const withoutZeros = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
