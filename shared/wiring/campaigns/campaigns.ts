import { emailNumberOf } from '../../domain/audience/digest.ts';
import type { AudiencePorts } from '../../domain/campaigns/audience.ts';
import type { CampaignPorts, LifecyclePorts } from '../../domain/campaigns/ports.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { readEmailNumbers } from '../../storage/audience/emails.ts';
import { campaignStore } from '../../storage/campaigns/campaign-store.ts';
import { campaignFigures } from '../../storage/campaigns/figures.ts';
import { snapshotStore } from '../../storage/campaigns/snapshots.ts';
import { refusedEmails } from '../../storage/contacts/email-addresses.ts';
import { findContacts } from '../../storage/lists/find-contacts.ts';
import { readMembers } from '../../storage/lists/stored-lists.ts';
import { clock, publishEvents, publishWorkAt, table, vaults } from '../process/aws.ts';
import { remainingMs } from '../process/scope.ts';
import { segmentPorts } from '../segments/segments.ts';

/** The time limit of the last attempt at reading contacts, in ms. */
const LAST_ATTEMPT_MS = 5_000;

const audience: AudiencePorts = {
  clock,
  index: segmentPorts.index,
  segments: segmentPorts.store,
  membersOf: (organizationId, id) => readMembers(table, organizationId, id),
  async numbersOf(organizationId, contactIds) {
    const mayRetry = () => remainingMs() > LAST_ATTEMPT_MS;
    return (await findContacts(table, organizationId, { contactIds }, vaults.recipients, mayRetry)).numbers;
  },
  emailNumbers: (organizationId, numbers) => readEmailNumbers(table, organizationId, numbers),
  async refusedEmails(organizationId) {
    const { suppressed, unsubscribed } = await refusedEmails(table, organizationId, clock());
    const numbers = (hashes: readonly string[]) => new Set(hashes.map(emailNumberOf));
    return { suppressed: numbers(suppressed), unsubscribed: numbers(unsubscribed) };
  },
  // Loaded by the first selection of an audience, to keep the planners of all channels out of other cold starts.
  needsConsent: async (campaign, variant) =>
    (await import('../../domain/campaigns/needs-consent.ts')).needsConsent(
      (await import('../messages/queue-and-send.ts')).submitPorts,
      campaign,
      variant,
    ),
};

export const campaignPorts: CampaignPorts = {
  clock,
  store: campaignStore(table, publishEvents),
  audience,
  figures: (campaign) => campaignFigures(table, campaign.id),
  enqueue: ({ id, organizationId: owner }, at) =>
    publishWorkAt([{ kind: 'campaign_work', ...KEYS.campaign(id), owner }], at),
};

export const lifecyclePorts: LifecyclePorts = { ...campaignPorts, snapshots: snapshotStore(table, clock) };
