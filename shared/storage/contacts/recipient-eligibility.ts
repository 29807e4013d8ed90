import { channelOf } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel, RecipientKind } from '../../domain/message/channel.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import type { SendPlan } from '../../domain/sending/plan.ts';
import type { QuietHours } from '../../domain/sending/quiet-hours.ts';
import type { ConsentFault } from '../../domain/sending/refusals.ts';
import { quietHoursOf } from '../access/organization-settings.ts';
import { KEYS } from '../access-patterns.ts';
import type { Key, Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { readWallet } from '../wallet/read-wallet.ts';
import { walletRows } from '../wallet/wallet-row.ts';
import { contactRows } from './contacts.ts';
import { readSuppression } from './email-addresses.ts';
import { heirOf } from './heirs.ts';
import { readsRecipient, recipientKey, refuses } from './recipient-opt-outs.ts';

/** The fields of a plan or message that determine its consent. */
type Addressed = Pick<SendPlan, 'channel' | 'contactId' | 'requiresConsent' | 'to'>;

/** The stored facts about a plan's recipient. */
export interface RecipientEligibility {
  /** Why its consent would refuse the plan, if it would. */
  readonly consent?: ConsentFault | undefined;
  /** Until when its address is suppressed, in ms, by its provider's last report; 0 when it is not, and on channels without addresses. */
  readonly suppressedUntil: number;
}

type HashTo = (kind: RecipientKind, to: string) => Promise<string>;

/** The key of the recipient's own row, if the send reads it; always for an e-mail address, which may be suppressed. */
const ownKey = async (organizationId: Id<'organization'>, plan: Addressed, recipientHashOf: HashTo) => {
  const { recipient } = channelOf(plan.channel);
  if (recipient !== 'email' && !readsRecipient(recipient, plan)) return undefined;
  return recipientKey(organizationId, recipient, await recipientHashOf(recipient, plan.to));
};

const contactFault = (organizationId: Id<'organization'>, { requiresConsent }: Addressed, row: Row | undefined) => {
  if (row?.org !== organizationId) return 'unknown_contact';
  return requiresConsent && row.optInStatus === 'denied' ? 'opted_out' : undefined;
};

/** The fault that the recipient's part of a reservation would report. */
const recipientFault = (plan: Addressed, row: Row | undefined) =>
  row && readsRecipient(channelOf(plan.channel).recipient, plan) && refuses(row, plan) ? 'opted_out' : undefined;

/** The keys of a recipient's rows: the named contact's, and the recipient's own. */
const keysOf = async (organizationId: Id<'organization'>, plan: Addressed, recipientHashOf: HashTo) => ({
  contact: plan.contactId ? KEYS.contact(plan.contactId) : undefined,
  own: await ownKey(organizationId, plan, recipientHashOf),
});

const eligibilityOf = (
  organizationId: Id<'organization'>,
  plan: Addressed,
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

/** The stored facts about the plans' recipients, in the plans' order, and the rows of `otherKeys`: one round trip per 100 rows. */
export const readRecipients = async (
  table: Table,
  organizationId: Id<'organization'>,
  plans: readonly Addressed[],
  recipientHashOf: HashTo,
  otherKeys: readonly Key[] = [],
) => {
  const targets = await Promise.all(plans.map((plan) => keysOf(organizationId, plan, recipientHashOf)));
  const keys = [...otherKeys, ...targets.flatMap(({ contact, own }) => [contact, own])].filter(
    (key) => key !== undefined,
  );
  const rows = await table.getMany(keys, { consistent: true });
  const found = new Map(keys.map((key, place) => [key, rows[place]]));
  const eligibilities = targets.map((of, place) => eligibilityOf(organizationId, plans[place] as Addressed, of, found));
  return { rows, eligibilities };
};

/** Why the consent on file would refuse a plan. At most one round trip. */
export const consentFault = async (
  table: Table,
  organizationId: Id<'organization'>,
  plan: Addressed,
  recipientHashOf: HashTo,
): Promise<ConsentFault | undefined> => {
  const { eligibilities } = await readRecipients(table, organizationId, [plan], recipientHashOf);
  return eligibilities[0]?.consent;
};

/**
 * Why the consent on file forbids a message that is about to be sent; if its contact was merged, the surviving one's applies. One round
 * trip, and one more read per merge.
 */
export const consentFaultOf = async (
  table: Table,
  { organizationId, recipientHash, channel, to, contactId }: MessageRecord,
  requiresConsent: boolean,
): Promise<ConsentFault | undefined> => {
  const faultOf = (named: Id<'contact'> | undefined) =>
    consentFault(table, organizationId, { channel, to, contactId: named, requiresConsent }, async () => recipientHash);
  const fault = await faultOf(contactId);
  if (fault !== 'unknown_contact' || contactId === undefined) return fault;
  const heir = await heirOf(table, contactId);
  return heir ? faultOf(heir.id) : fault;
};

/** The balance from a wallet's row; a wallet with lanes needs another read. */
const balanceOf = async (table: Table, organizationId: Id<'organization'>, row: Row): Promise<number> => {
  const { opened, balance } = walletRows.read(row);
  return opened === 0 ? balance : ((await readWallet(table, organizationId))?.balance ?? 0);
};

/**
 * The spendable coins, the quiet hours, and the facts about the plans' recipients, in the plans' order, as their reservations and
 * dispatches would find them. For previews; a send checks in its own transaction. One round trip.
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
  const otherKeys = [KEYS.wallet(organizationId), KEYS.organization(organizationId)];
  const { rows, eligibilities } = await readRecipients(table, organizationId, plans, recipientHashOf, otherKeys);
  const [wallet, organization] = rows;
  return {
    balance: wallet ? await balanceOf(table, organizationId, wallet) : 0,
    quietHours: quietHoursOf(organization),
    recipients: eligibilities,
  };
};

const readPhone = contactRows.pick('phone');
const readEmail = contactRows.pick('email');

/**
 * A contact's recipient on a channel: its phone or e-mail address, or on push the contact itself; undefined if it has none, or belongs to
 * another organization. One consistent read, so that a send after a change uses the new address.
 */
export const contactRecipient = async (
  table: Table,
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
  channel: Channel,
): Promise<string | undefined> => {
  const { recipient } = channelOf(channel);
  // A contact's devices are found by its id, when the message is planned.
  if (recipient === 'device') return contactId;
  if (recipient !== 'phone' && recipient !== 'email') return undefined;
  const row = await table.get(KEYS.contact(contactId), { only: ['org', recipient] });
  if (row?.org !== organizationId) return undefined;
  return recipient === 'phone' ? readPhone(row).phone : readEmail(row).email;
};
