import { channelOf } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel, RecipientKind } from '../../domain/message/channel.ts';
import type { SendPlan } from '../../domain/sending/plan.ts';
import type { QuietHours } from '../../domain/sending/quiet-hours.ts';
import type { ConsentFault } from '../../domain/sending/refusals.ts';
import { quietHoursOf } from '../access/organization-settings.ts';
import { KEYS } from '../access-patterns.ts';
import type { Key, Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { walletRows } from '../wallet/wallet-row.ts';
import { contactRows } from './contacts.ts';
import { readSuppression } from './email-addresses.ts';
import { asksRecipient, recipientKey, refuses } from './recipient-opt-outs.ts';

/** What is on file of a plan's recipient. */
export interface RecipientEligibility {
  /** Why its consent would refuse the plan. */
  readonly consent?: ConsentFault | undefined;
  /** Until when its address is held back, in ms: what its provider reported last; 0 where nothing was, and on channels without addresses. */
  readonly suppressedUntil: number;
}

type HashTo = (kind: RecipientKind, to: string) => Promise<string>;

/** The row of the recipient itself, where it is asked; an address's always, since its provider may hold it back. */
const ownKey = async (organizationId: Id<'organization'>, plan: SendPlan, recipientHashOf: HashTo) => {
  const { recipient } = channelOf(plan.channel);
  if (recipient !== 'email' && !asksRecipient(recipient, plan)) return undefined;
  return recipientKey(organizationId, recipient, await recipientHashOf(recipient, plan.to));
};

const contactFault = (organizationId: Id<'organization'>, { requiresConsent }: SendPlan, row: Row | undefined) => {
  if (row?.org !== organizationId) return 'unknown_contact';
  return requiresConsent && row.optInStatus === 'denied' ? 'opted_out' : undefined;
};

/** As the recipient's part of a reservation. */
const recipientFault = (plan: SendPlan, row: Row | undefined) =>
  row && asksRecipient(channelOf(plan.channel).recipient, plan) && refuses(row, plan) ? 'opted_out' : undefined;

/** The rows that tell of a plan's recipient: the named contact's, and its own. */
const keysOf = async (organizationId: Id<'organization'>, plan: SendPlan, recipientHashOf: HashTo) => ({
  contact: plan.contactId ? KEYS.contact(plan.contactId) : undefined,
  own: await ownKey(organizationId, plan, recipientHashOf),
});

const eligibilityOf = (
  organizationId: Id<'organization'>,
  plan: SendPlan,
  { contact, own }: Awaited<ReturnType<typeof keysOf>>,
  found: ReadonlyMap<Key, Row | undefined>,
): RecipientEligibility => {
  const row = own && found.get(own);
  const named = contact && contactFault(organizationId, plan, found.get(contact));
  const isEmail = channelOf(plan.channel).recipient === 'email';
  return {
    consent: named ?? recipientFault(plan, row),
    suppressedUntil: isEmail && row ? readSuppression(row).suppressedUntil : 0,
  };
};

/** What is on file of the plans' recipients, in the plans' order, and the rows `beside` them: one round trip per 100 rows. */
export const readRecipients = async (
  table: Table,
  organizationId: Id<'organization'>,
  plans: readonly SendPlan[],
  recipientHashOf: HashTo,
  beside: readonly Key[] = [],
) => {
  const asked = await Promise.all(plans.map((plan) => keysOf(organizationId, plan, recipientHashOf)));
  const keys = [...beside, ...asked.flatMap(({ contact, own }) => [contact, own])].filter((key) => key !== undefined);
  const rows = await table.getMany(keys, { consistent: true });
  const found = new Map(keys.map((key, place) => [key, rows[place]]));
  const eligibilities = asked.map((of, place) => eligibilityOf(organizationId, plans[place] as SendPlan, of, found));
  return { rows, eligibilities };
};

/** Why the consent on file would refuse a plan. At most one round trip. */
export const consentFault = async (
  table: Table,
  organizationId: Id<'organization'>,
  plan: SendPlan,
  recipientHashOf: HashTo,
): Promise<ConsentFault | undefined> => {
  const { eligibilities } = await readRecipients(table, organizationId, [plan], recipientHashOf);
  return eligibilities[0]?.consent;
};

/**
 * What can be spent, in coins, the quiet hours, and what is on file of the plans' recipients, in the plans' order, as their reservations
 * and departures would meet it: the named contact's word, else the recipient's. For previews; a send asks in its own transaction. One round trip.
 */
export const readEligibility = async (
  table: Table,
  organizationId: Id<'organization'>,
  plans: readonly SendPlan[],
  recipientHashOf: HashTo,
): Promise<{
  readonly balance: number;
  readonly quietHours: QuietHours | undefined;
  readonly recipients: readonly RecipientEligibility[];
}> => {
  const beside = [KEYS.wallet(organizationId), KEYS.organization(organizationId)];
  const { rows, eligibilities } = await readRecipients(table, organizationId, plans, recipientHashOf, beside);
  const [wallet, organization] = rows;
  return {
    balance: wallet ? walletRows.read(wallet).balance : 0,
    quietHours: quietHoursOf(organization),
    recipients: eligibilities,
  };
};

const readPhone = contactRows.pick('phone');
const readEmail = contactRows.pick('email');

/** A contact's own recipient on a channel: its phone or its e-mail address; undefined when it has none, or is another's. One read. */
export const contactRecipient = async (
  table: Table,
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
  channel: Channel,
): Promise<string | undefined> => {
  const { recipient } = channelOf(channel);
  if (recipient !== 'phone' && recipient !== 'email') return undefined;
  const row = await table.get(KEYS.contact(contactId), { eventual: true, only: ['org', recipient] });
  if (row?.org !== organizationId) return undefined;
  return recipient === 'phone' ? readPhone(row).phone : readEmail(row).email;
};
