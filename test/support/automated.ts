import type { Tenant } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { JourneyLabel } from '../../shared/domain/message/message.ts';
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
