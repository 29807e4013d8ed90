import * as z from 'zod';
import { type RecipientKind, rulesOf } from '../domain/messages/channels.ts';
import type { SendPlan } from '../domain/messages/plan.ts';
import type { Channel } from '../domain/messages/provider.ts';
import type { ConsentFault } from '../domain/messages/refusals.ts';
import { KEYS } from './access-patterns.ts';
import type { Key, Row, Table } from './table.ts';
import { parseWallet } from './wallet-row.ts';

const addressRow = z.object({
  unsubscribedAt: z.string().optional(),
  optedOut: z.int().default(0),
  suppressedUntil: z.int().default(0),
});

/** What is on file of a plan's recipient. */
export interface RecipientStanding {
  /** Why its consent would refuse the plan. */
  readonly consent?: ConsentFault | undefined;
  /** Until when its address is held back, in ms: what its provider reported last; 0 where nothing was, and on channels without addresses. */
  readonly suppressedUntil: number;
}

type HashTo = (kind: RecipientKind, to: string) => Promise<string>;

/** The row of the recipient itself, where it says anything of the plan: a named contact's word stands in the place of its phone's. */
const recipientKey = async (
  organizationId: string,
  { channel, contactId, mayOptOut, to }: SendPlan,
  hashTo: HashTo,
) => {
  const { recipient } = rulesOf(channel);
  if (recipient === 'email') return KEYS.emailAddress(organizationId, await hashTo(recipient, to));
  if (recipient === 'platform' || contactId || !mayOptOut) return undefined;
  return KEYS.phone(organizationId, await hashTo(recipient, to));
};

const contactFault = (organizationId: string, { mayOptOut }: SendPlan, row: Row | undefined) => {
  if (row?.org !== organizationId) return 'unknown_contact';
  return mayOptOut && row.optInStatus === 'denied' ? 'opted_out' : undefined;
};

/** As emailConsent of a send: where a contact is named, only the unsubscribing of the address itself is asked besides it. */
const recipientFault = ({ channel, contactId, mayOptOut }: SendPlan, row: Row | undefined) => {
  if (!mayOptOut || !row) return undefined;
  if (rulesOf(channel).recipient === 'phone') return row.optInStatus === 'denied' ? 'opted_out' : undefined;
  const { unsubscribedAt, optedOut } = addressRow.parse(row);
  return unsubscribedAt !== undefined || (!contactId && optedOut > 0) ? 'opted_out' : undefined;
};

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
 * What can be spent, in coins, and what is on file of the plans' recipients, in the plans' order, as their reservations and departures
 * would meet it: the named contact's word, else the recipient's. For previews; a send asks in its own transaction. One round trip.
 */
export const readStanding = async (
  table: Table,
  organizationId: string,
  plans: readonly SendPlan[],
  hashTo: HashTo,
): Promise<{ readonly balance: number; readonly recipients: readonly RecipientStanding[] }> => {
  const beside = [KEYS.wallet(organizationId)];
  const { rows, standings } = await readRecipients(table, organizationId, plans, hashTo, beside);
  const [wallet] = rows;
  return { balance: wallet ? parseWallet(wallet).balance : 0, recipients: standings };
};

/** A contact's own recipient on a channel: its phone or its e-mail address; undefined when it has none, or is another's. One read. */
export const contactRecipient = async (
  table: Table,
  organizationId: string,
  contactId: string,
  channel: Channel,
): Promise<string | undefined> => {
  const { recipient } = rulesOf(channel);
  if (recipient === 'platform') return undefined;
  const row = await table.get(KEYS.contact(contactId), { eventual: true, only: ['org', recipient] });
  return row?.org === organizationId ? z.string().optional().parse(row[recipient]) : undefined;
};
