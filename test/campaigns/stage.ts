import { createHash } from 'node:crypto';
import { cancel } from '../../shared/domain/api/cancel-and-force.ts';
import { NumberSet } from '../../shared/domain/audience/number-set.ts';
import type { CampaignInput, CampaignStatus } from '../../shared/domain/campaigns/campaign.ts';
import { createCampaign } from '../../shared/domain/campaigns/campaigns.ts';
import { driveCampaign } from '../../shared/domain/campaigns/drive.ts';
import type { Figures, PortionPorts } from '../../shared/domain/campaigns/ports.ts';
import type { PreviewPorts } from '../../shared/domain/campaigns/preview.ts';
import { sendPortion } from '../../shared/domain/campaigns/send-portion.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readEmailNumbers } from '../../shared/storage/audience/emails.ts';
import { audienceIndex } from '../../shared/storage/audience/index-reader.ts';
import { campaignStore } from '../../shared/storage/campaigns/campaign-store.ts';
import { campaignFigures } from '../../shared/storage/campaigns/figures.ts';
import { readMessagesById } from '../../shared/storage/campaigns/messages.ts';
import { portionStore } from '../../shared/storage/campaigns/portions.ts';
import { snapshotStore } from '../../shared/storage/campaigns/snapshots.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { takeContactNumbers } from '../../shared/storage/contacts/contact-numbers.ts';
import { dropFallback } from '../../shared/storage/messages/fallbacks.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { isCampaignPortion, PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { segmentStore } from '../../shared/storage/segments/segments.ts';
import { writeContact } from '../audience/member-changes.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { overdue } from '../support/index-entries.ts';
import { PLAIN, type World } from '../support/world.ts';
import { cancelAndForcePortsOf } from '../support/world-queued.ts';

/** The same world over another table: of a process that crashes, or of another process. */
const over = (world: World, table: Table): World => {
  const publish = (published: readonly WorkItem[]) => void world.workItems.push(...published);
  const ports = { ...world.ports, messageStore: messageStore(table, publish, PLAIN) };
  return Object.create(world, { table: { value: table }, ports: { value: ports } });
};

/** The ports of campaigns over a table, with SMS alone as their channel. `raised` receives their events; work is found by its due time alone. */
export const campaignPortsOver = (
  world: World,
  table: Table,
  raised: (events: readonly DomainEvent[]) => void = () => {},
): PreviewPorts => {
  const own = over(world, table);
  const clock = () => world.now;
  const index = audienceIndex(table, { clock, chance: () => 1 });
  return {
    clock,
    store: campaignStore(table, raised),
    snapshots: snapshotStore(table, clock),
    portions: portionStore(table),
    figures: ({ id }) => campaignFigures(table, id),
    audience: {
      clock,
      index,
      segments: segmentStore(table),
      membersOf: async () => NumberSet.EMPTY,
      async numbersOf(_, ids) {
        const rows = await table.getMany(ids.map(KEYS.contact), { consistent: true });
        return NumberSet.of(rows.flatMap((row) => (row ? [Number(row.number)] : [])));
      },
      emailNumbers: (organizationId, numbers) => readEmailNumbers(table, organizationId, numbers),
      refusedEmails: async () => ({ suppressed: new Set<number>(), unsubscribed: new Set<number>() }),
      needsConsent: async () => true,
    },
    bulk: bulkWorld(own).ports,
    async contactsOf(organizationId, numbers) {
      const contacts = await index.contacts(organizationId, numbers);
      return new Map(contacts.map((contact): [number, Contact] => [contact.number, contact]));
    },
    recipientOf: async () => undefined,
    endFallback: (id) => dropFallback(table, id),
    cancelMessage: async (tenant, id) => !isRefusal(await cancel(cancelAndForcePortsOf(own), tenant, id)),
    readMessages: (ids) => readMessagesById(table, ids),
    templateTexts: async () => ({}),
    enqueue: () => {},
    enqueuePortions: () => {},
  };
};

/** Works on an item as the consumer does. */
export const workOnCampaign = (ports: PortionPorts, item: Pick<WorkItem, 'pk' | 'sk'>): Promise<void> => {
  if (!isCampaignPortion(item)) return driveCampaign(ports, PARSE_KEY.campaign(item));
  const { campaignId, portion } = PARSE_KEY.campaignPortion(item);
  return sendPortion(ports, campaignId, portion);
};

/** The campaign's own work, as the consumer gets it. */
export const driveItem = (id: Id<'campaign'>) => ({ pk: `CMP#${id}`, sk: 'CMP' });

/** The status of a campaign of one portion, which is done, after its work has found these counts. */
export const statusAfter = async (
  ports: PortionPorts,
  id: Id<'campaign'>,
  counts: Partial<Figures>,
): Promise<CampaignStatus | undefined> => {
  const figures: PortionPorts['figures'] = async (campaign) => ({
    ...(await ports.figures(campaign)),
    portionsDone: 1,
    ...counts,
  });
  await workOnCampaign({ ...ports, figures }, driveItem(id));
  return (await ports.store.readById(id))?.status;
};

/** Stores contacts with phones of their own; `denied`: opted out. */
export const writePeople = async (
  world: World,
  { organizationId, env }: Actor,
  people: readonly { readonly denied?: boolean; readonly email?: string; readonly phone?: string }[],
): Promise<Contact[]> => {
  const contacts: Contact[] = [];
  for (const { denied = false, email, phone } of people) {
    const number = await takeContactNumbers(world.table, organizationId, 1);
    const own = phone ?? `+55119${String(80_000_000 + number)}`;
    const hashed = (text: string) => createHash('sha256').update(`${organizationId} ${text}`).digest('base64url');
    const contact: Contact = {
      id: newId('contact'),
      number,
      organizationId,
      env,
      phone: own,
      phoneHash: hashed(own),
      name: `Pessoa ${number}`,
      ...(email === undefined ? {} : { email, emailHash: hashed(email) }),
      attributes: {},
      tags: [],
      optIn: { status: denied ? 'denied' : 'unknown' },
      source: 'api',
      createdAt: world.now,
      updatedAt: world.now,
      version: 1,
    };
    await writeContact(world.table, contact, true);
    contacts.push(contact);
  }
  return contacts;
};

/** A draft to some contacts. */
export const draftTo = async (
  ports: PortionPorts,
  actor: Actor,
  contacts: readonly Contact[],
  fields: Partial<CampaignInput> = {},
): Promise<Id<'campaign'>> => {
  const message = { channel: 'sms' as const, text: 'Oi {{contact.name}}' };
  const audience = { contactIds: contacts.map(({ id }) => id) };
  return accepted(await createCampaign(ports, actor, { name: 'Campanha', message, audience, ...fields })).id;
};

/** The due rows of a campaign at the world's time. */
export const dueOf = async (world: World, id: Id<'campaign'>) =>
  (await overdue(world.table, 'campaign_work', world.now, 1_000)).filter(({ pk }) => pk.includes(id));

/** Works on what is due of a campaign, until nothing is due at the world's time. */
export const workOff = async (world: World, ports: PortionPorts, id: Id<'campaign'>): Promise<void> => {
  for (let round = 0; round < 50; round++) {
    const items = await dueOf(world, id);
    if (items.length === 0) return;
    for (const item of items) await workOnCampaign(ports, item);
  }
  throw new Error('the campaign is due for ever');
};
