import * as z from 'zod';
import { type RecipientKind, rulesOf } from '../domain/messages/channels.ts';
import type { SendPlan } from '../domain/messages/plan.ts';
import type { Channel } from '../domain/messages/provider.ts';
import type { QuietHours } from '../domain/messages/quiet-hours.ts';
import type { ConsentFault } from '../domain/messages/refusals.ts';
import { KEYS } from './access-patterns.ts';
import { asksRecipient, recipientRow, refuses } from './consent-rows.ts';
import { quietHoursOf } from './organization-settings.ts';
import type { Key, Row, Table } from './table.ts';
import { parseWallet } from './wallet-row.ts';

const addressRow = z.object({ suppressedUntil: z.int().default(0) });

/** What is on file of a plan's recipient. */
export interface RecipientStanding {
  /** Why its consent would refuse the plan. */
  readonly consent?: ConsentFault | undefined;
  /** Until when its address is held back, in ms: what its provider reported last; 0 where nothing was, and on channels without addresses. */
  readonly suppressedUntil: number;
}

type HashTo = (kind: RecipientKind, to: string) => Promise<string>;

/** The row of the recipient itself, where it is asked; an address's always, since its provider may hold it back. */
const recipientKey = async (organizationId: string, plan: SendPlan, hashTo: HashTo) => {
  const { recipient } = rulesOf(plan.channel);
  if (recipient !== 'email' && !asksRecipient(recipient, plan)) return undefined;
  return recipientRow(organizationId, recipient, await hashTo(recipient, plan.to));
};

const contactFault = (organizationId: string, { mayOptOut }: SendPlan, row: Row | undefined) => {
  if (row?.org !== organizationId) return 'unknown_contact';
  return mayOptOut && row.optInStatus === 'denied' ? 'opted_out' : undefined;
};

/** As the recipient's part of a reservation. */
const recipientFault = (plan: SendPlan, row: Row | undefined) =>
  row && asksRecipient(rulesOf(plan.channel).recipient, plan) && refuses(row, plan) ? 'opted_out' : undefined;

/** The rows that tell of a plan's recipient: the named contact's, and its own. */
const keysOf = async (organizationId: string, plan: SendPlan, hashTo: HashTo) => ({
  contact: plan.contactId ? KEYS.contact(plan.contactId) : undefined,
  own: await recipientKey(organizationId, plan, hashTo),
});

const standingOf = (
  organizationId: string,
  plan: SendPlan,
  { contact, own }: Awaited<ReturnType<typeof keysOf>>,
  found: ReadonlyMap<Key, Row | undefined>,
): RecipientStanding => {
  const row = own && found.get(own);
  const named = contact && contactFault(organizationId, plan, found.get(contact));
  const isEmail = rulesOf(plan.channel).recipient === 'email';
  return {
    consent: named ?? recipientFault(plan, row),
    suppressedUntil: isEmail && row ? addressRow.parse(row).suppressedUntil : 0,
  };
};

/** What is on file of the plans' recipients, in the plans' order, and the rows `beside` them: one round trip per 100 rows. */
export const readRecipients = async (
  table: Table,
  organizationId: string,
  plans: readonly SendPlan[],
  hashTo: HashTo,
  beside: readonly Key[] = [],
) => {
  const asked = await Promise.all(plans.map((plan) => keysOf(organizationId, plan, hashTo)));
  const keys = [...beside, ...asked.flatMap(({ contact, own }) => [contact, own])].filter((key) => key !== undefined);
  const rows = await table.getMany(keys, { consistent: true });
  const found = new Map(keys.map((key, place) => [key, rows[place]]));
  const standings = asked.map((of, place) => standingOf(organizationId, plans[place] as SendPlan, of, found));
  return { rows, standings };
};

/** Why the consent on file would refuse a plan. At most one round trip. */
export const consentFault = async (
  table: Table,
  organizationId: string,
  plan: SendPlan,
  hashTo: HashTo,
): Promise<ConsentFault | undefined> => {
  const { standings } = await readRecipients(table, organizationId, [plan], hashTo);
  return standings[0]?.consent;
};

/**
 * What can be spent, in coins, the quiet hours, and what is on file of the plans' recipients, in the plans' order, as their reservations
 * and departures would meet it: the named contact's word, else the recipient's. For previews; a send asks in its own transaction. One round trip.
 */
export const readStanding = async (
  table: Table,
  organizationId: string,
  plans: readonly SendPlan[],
  hashTo: HashTo,
): Promise<{
  readonly balance: number;
  readonly quietHours: QuietHours | undefined;
  readonly recipients: readonly RecipientStanding[];
}> => {
  const beside = [KEYS.wallet(organizationId), KEYS.organization(organizationId)];
  const { rows, standings } = await readRecipients(table, organizationId, plans, hashTo, beside);
  const [wallet, organization] = rows;
  return {
    balance: wallet ? parseWallet(wallet).balance : 0,
    quietHours: quietHoursOf(organization),
    recipients: standings,
  };
};

/** A contact's own recipient on a channel: its phone or its e-mail address; undefined when it has none, or is another's. One read. */
export const contactRecipient = async (
  table: Table,
  organizationId: string,
  contactId: string,
  channel: Channel,
): Promise<string | undefined> => {
  const { recipient } = rulesOf(channel);
  if (recipient !== 'phone' && recipient !== 'email') return undefined;
  const row = await table.get(KEYS.contact(contactId), { eventual: true, only: ['org', recipient] });
  return row?.org === organizationId ? z.string().optional().parse(row[recipient]) : undefined;
};
