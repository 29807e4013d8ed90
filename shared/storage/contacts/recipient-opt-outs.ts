import * as z from 'zod';
import { type Contact, OPT_IN_STATUSES, type OptInStatus } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { RecipientKind } from '../../domain/message/channel.ts';
import type { Reservation } from '../../domain/sending/message-store.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/**
 * Every recipient that can opt out has one row, found by its blind index, with or without a contact. A push device's opt-out is on its own
 * row, which is read when a push message is sent.
 */
interface Recipient {
  readonly organizationId: Id<'organization'>;
  /** The one contact that the recipient belongs to exclusively: a phone's. */
  readonly contactId?: Id<'contact'> | undefined;
  /** That contact's number. */
  readonly contactNumber?: number | undefined;
  /** The consent of the recipient itself, or of that one contact. */
  readonly optInStatus?: OptInStatus | undefined;
  readonly revokedAt?: number | undefined;
  readonly revokedReason?: string | undefined;
  /** The number of its contacts that opted out, for recipients that several contacts may share. */
  readonly optedOut: number;
  /** When an e-mail address last unsubscribed (ms), until its contacts are opted out. An opt-in that lifts the unsubscription leaves it. */
  readonly unsubscribedAt?: number | undefined;
  /** A user id's phone (blind index), once the channel reported both. */
  readonly phoneHash?: string | undefined;
  /** Until when its provider's report suppresses it (ms); 0 when nothing was reported. */
  readonly suppressedUntil: number;
}
export const recipientRows = defineRow<Recipient>()({
  attributes: {
    organizationId: id('organization'),
    contactId: id('contact').optional(),
    contactNumber: z.int().optional(),
    optInStatus: z.enum(OPT_IN_STATUSES).optional(),
    revokedAt: time.optional(),
    revokedReason: z.string().optional(),
    optedOut: z.int().default(0),
    unsubscribedAt: time.optional(),
    phoneHash: z.string().optional(),
    suppressedUntil: z.int().default(0),
  },
  key: (_, key: Key) => key,
});

const ROWS: Readonly<Record<RecipientKind, ((organizationId: Id<'organization'>, hash: string) => Key) | undefined>> = {
  phone: KEYS.phone,
  email: KEYS.emailAddress,
  platform: KEYS.channelUser,
  device: undefined,
};

/** Recipients that several contacts may share: no contact's consent overrides the recipient's own, so its opt-out applies whichever contact a send names. */
const SHARED: ReadonlySet<RecipientKind> = new Set(['email']);

/** The key of a recipient's row; undefined for a kind without rows. */
export const recipientKey = (organizationId: Id<'organization'>, kind: RecipientKind, hash: string): Key | undefined =>
  ROWS[kind]?.(organizationId, hash);

interface ConsentQuery extends Pick<Reservation['consent'], 'requiresConsent'> {
  readonly contactId?: Id<'contact'> | undefined;
}

/** Whether a send reads its recipient's row. A named contact's consent replaces it, except for shared recipients. */
export const readsRecipient = (kind: RecipientKind, { contactId, requiresConsent }: ConsentQuery): boolean =>
  requiresConsent && ROWS[kind] !== undefined && (!contactId || SHARED.has(kind));

const denied = { denied: 'denied' } as const;
/** Condition: neither the recipient nor its one contact opted out. */
export const NOT_OPTED_OUT: Condition = {
  text: '(attribute_not_exists(#optInStatus) OR #optInStatus <> :denied)',
  values: denied,
};
/** Condition: the same, and none of the contacts that share it opted out. */
const NOBODY_OPTED_OUT: Condition = {
  text: `${NOT_OPTED_OUT.text} AND (attribute_not_exists(#optedOut) OR #optedOut < :one)`,
  values: { ...denied, one: 1 },
};

/** Transaction check that fails if the recipient opted out; undefined if the send does not read the recipient's row. */
export const recipientConsent = (
  organizationId: Id<'organization'>,
  { recipient, recipientHash, ...query }: Pick<Reservation['consent'], 'recipient' | 'recipientHash'> & ConsentQuery,
): WriteOp | undefined => {
  const check = readsRecipient(recipient, query) ? recipientKey(organizationId, recipient, recipientHash) : undefined;
  return check && { check, when: query.contactId ? NOT_OPTED_OUT : NOBODY_OPTED_OUT };
};

const readOptOut = recipientRows.pick('optInStatus', 'optedOut');

/** Whether a recipient's row refuses the send, as that check would. */
export const refuses = (row: Row, { contactId }: Pick<ConsentQuery, 'contactId'>): boolean => {
  const { optInStatus, optedOut } = readOptOut(row);
  return optInStatus === 'denied' || (!contactId && optedOut > 0);
};

/** The reason that is kept for an opt-out whose contact was erased: an organization's free text may contain personal data. */
export const KEPT_REASON = 'opted out as an earlier contact';

/** An opt-out by the recipient itself. */
export interface OwnOptOut {
  /** ms. */
  readonly at: number;
  readonly reason: string;
  /** The contact that the recipient belonged to at that time: that contact's opt-in lifts this opt-out. */
  readonly contactId?: Id<'contact'> | undefined;
}
/** The attributes of an opt-out by the recipient itself. */
export const OPT_OUT_ATTRIBUTES = [
  'optInStatus',
  'revokedAt',
  'revokedReason',
  'gsi2pk',
  'gsi2sk',
  'gsi3pk',
  'gsi3sk',
] as const;

/** The key of a recipient that can opt out. */
const optOutKey = (organizationId: Id<'organization'>, kind: RecipientKind, hash: string): Key => {
  const key = recipientKey(organizationId, kind, hash);
  if (!key) throw new Error(`No opt-out is stored for a ${kind}.`);
  return key;
};

/** The opt-out of a recipient that belongs to no contact exclusively; throws for a kind without rows. */
export const optOutWrite = (
  organizationId: Id<'organization'>,
  kind: RecipientKind,
  hash: string,
  { at, reason, contactId }: OwnOptOut,
): Extract<WriteOp, { update: Key }> => {
  const optOut = { organizationId, optInStatus: 'denied', revokedAt: at, revokedReason: reason } as const;
  const entry = contactId === undefined ? {} : INDEX_KEYS.optOutsOf(contactId, isoTime(at), hash);
  return {
    update: optOutKey(organizationId, kind, hash),
    set: { ...recipientRows.set(optOut), ...entry },
    when: { text: 'attribute_not_exists(#contactId)' },
  };
};

/** Lifts such an opt-out of a phone or user id, if it was made before `at` (ms) and its reason begins with `reasonPrefix`. */
export const ownOptInWrite = (
  organizationId: Id<'organization'>,
  { kind, hash }: { readonly kind: RecipientKind; readonly hash: string },
  at: number,
  reasonPrefix: string,
): WriteOp => ({
  update: optOutKey(organizationId, kind, hash),
  remove: OPT_OUT_ATTRIBUTES,
  when: {
    text: 'attribute_not_exists(#contactId) AND begins_with(#revokedReason, :prefix) AND #revokedAt < :at',
    values: { prefix: reasonPrefix, at: isoTime(at) },
  },
});

/**
 * Adds a contact with an e-mail address to the opted-out count (1), or removes it (-1). A new opt-in overrides an earlier unsubscription of
 * the address.
 */
export const countOptOut = (
  organizationId: Id<'organization'>,
  hash: string,
  by: number,
  granted: boolean,
): WriteOp => ({
  update: KEYS.emailAddress(organizationId, hash),
  set: recipientRows.set({ organizationId }),
  add: { optedOut: by },
  ...(granted ? { remove: OPT_OUT_ATTRIBUTES } : {}),
});

const readPending = recipientRows.pick('unsubscribedAt');

/** When an address unsubscribed (ms), if its contacts remain to be opted out. One strongly consistent read. */
export const readUnsubscribedAt = async (
  table: Table,
  organizationId: Id<'organization'>,
  emailHash: string,
): Promise<number | undefined> => {
  const row = await table.get(KEYS.emailAddress(organizationId, emailHash), { only: ['unsubscribedAt'] });
  return row && readPending(row).unsubscribedAt;
};

/**
 * Clears the opt-outs that a contact's recipients made themselves before a time (ms): of its e-mail address, and of user ids that belonged
 * to it then. One query of an index, which may miss a very recent opt-out, and one write each. Idempotent.
 */
export const clearOptOuts = async (
  table: Table,
  { id, organizationId, emailHash }: Pick<Contact, 'id' | 'organizationId' | 'emailHash'>,
  at: number,
): Promise<void> => {
  const until = { text: 'attribute_not_exists(#contactId) AND #revokedAt <= :at', values: { at: isoTime(at) } };
  const partition = INDEX_KEYS.optOutsOf(id, '', '').gsi2pk;
  const isStillOfContact = {
    text: `${until.text} AND #gsi2pk = :contact`,
    values: { ...until.values, contact: partition },
  };
  const clear = (update: Key, when: Condition) => table.write({ update, remove: OPT_OUT_ATTRIBUTES, when });
  const known = await table.queryAll({ index: 'gsi2', partition, only: ['pk', 'sk'] });
  await Promise.all([
    ...known.map((key) => clear(key, isStillOfContact)),
    ...(emailHash === undefined ? [] : [clear(KEYS.emailAddress(organizationId, emailHash), until)]),
  ]);
};
