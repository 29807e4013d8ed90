import * as z from 'zod';
import { type Contact, OPT_IN_STATUSES, type OptInStatus } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { RecipientKind } from '../../domain/message/channel.ts';
import type { Reservation } from '../../domain/sending/message-store.ts';
import { INDEX_KEYS, KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

/**
 * Every recipient that can opt out has one row, found by its blind index, whether or not it is a contact's. A device has its opt-out on
 * its own row, which is read when a push leaves.
 */
interface Recipient {
  readonly organizationId: Id<'organization'>;
  /** The one contact that has it alone: a phone's. */
  readonly contactId?: Id<'contact'> | undefined;
  /** What the recipient said itself, or what that one contact said. */
  readonly optInStatus?: OptInStatus | undefined;
  readonly revokedAt?: number | undefined;
  readonly revokedReason?: string | undefined;
  /** How many of its contacts opted out, where it may have several. */
  readonly optedOut: number;
  /** Until when its provider holds it back (ms); 0 where nothing was reported. */
  readonly suppressedUntil: number;
}
export const recipientRows = defineRow<Recipient>()({
  attributes: {
    organizationId: id('organization'),
    contactId: id('contact').optional(),
    optInStatus: z.enum(OPT_IN_STATUSES).optional(),
    revokedAt: time.optional(),
    revokedReason: z.string().optional(),
    optedOut: z.int().default(0),
    suppressedUntil: z.int().default(0),
  },
  rename: { organizationId: 'org' },
  key: (_, key: Key) => key,
});

const ROWS: Readonly<Record<RecipientKind, ((organizationId: Id<'organization'>, hash: string) => Key) | undefined>> = {
  phone: KEYS.phone,
  email: KEYS.emailAddress,
  platform: KEYS.channelUser,
  device: undefined,
};

/** Recipients of several contacts: none speaks for the others, so what the recipient said itself holds whichever of them is named. */
const SHARED: ReadonlySet<RecipientKind> = new Set(['email']);

/** The row of a recipient; undefined for a kind that has none. */
export const recipientKey = (organizationId: Id<'organization'>, kind: RecipientKind, hash: string): Key | undefined =>
  ROWS[kind]?.(organizationId, hash);

interface Asked extends Pick<Reservation['consent'], 'requiresConsent'> {
  readonly contactId?: Id<'contact'> | undefined;
}

/** Whether a send asks its recipient's row: a named contact's word stands in the place of the row's, but for the recipient of several. */
export const asksRecipient = (kind: RecipientKind, { contactId, requiresConsent }: Asked): boolean =>
  requiresConsent && ROWS[kind] !== undefined && (!contactId || SHARED.has(kind));

const denied = { denied: 'denied' } as const;
/** Condition: neither the recipient nor the one contact that has it opted out. */
export const NOT_OPTED_OUT: Condition = {
  text: '(attribute_not_exists(#optInStatus) OR #optInStatus <> :denied)',
  values: denied,
};
/** Condition: nor did any of the contacts that share it. */
const NOBODY_OPTED_OUT: Condition = {
  text: `${NOT_OPTED_OUT.text} AND (attribute_not_exists(#optedOut) OR #optedOut < :one)`,
  values: { ...denied, one: 1 },
};

/** Transaction check that fails if the recipient opted out; undefined where its row is not asked. */
export const recipientConsent = (
  organizationId: Id<'organization'>,
  { recipient, recipientHash, ...asked }: Pick<Reservation['consent'], 'recipient' | 'recipientHash'> & Asked,
): WriteOp | undefined => {
  const check = asksRecipient(recipient, asked) ? recipientKey(organizationId, recipient, recipientHash) : undefined;
  return check && { check, when: asked.contactId ? NOT_OPTED_OUT : NOBODY_OPTED_OUT };
};

const readOptOut = recipientRows.pick('optInStatus', 'optedOut');

/** Whether the row of a recipient that is asked refuses the send, as that check would. */
export const refuses = (row: Row, { contactId }: Pick<Asked, 'contactId'>): boolean => {
  const { optInStatus, optedOut } = readOptOut(row);
  return optInStatus === 'denied' || (!contactId && optedOut > 0);
};

/** What a recipient asked for itself. */
export interface OwnOptOut {
  /** ms. */
  readonly at: number;
  readonly reason: string;
  /** The contact that was known by the recipient then: its opt-in takes this back. */
  readonly contactId?: Id<'contact'> | undefined;
}
const OPT_OUT_ATTRIBUTES = ['optInStatus', 'revokedAt', 'revokedReason', 'gsi2pk', 'gsi2sk'] as const;

/** The opt-out of a recipient that no contact has for itself; of a kind without a row there is none. */
export const optOutWrite = (
  organizationId: Id<'organization'>,
  kind: RecipientKind,
  hash: string,
  { at, reason, contactId }: OwnOptOut,
): Extract<WriteOp, { update: Key }> => {
  const update = recipientKey(organizationId, kind, hash);
  if (!update) throw new Error(`No opt-out is kept of a ${kind}.`);
  const optOut = { organizationId, optInStatus: 'denied', revokedAt: at, revokedReason: reason } as const;
  const entry = contactId === undefined ? {} : INDEX_KEYS.optOutsOf(contactId, isoTime(at), hash);
  return {
    update,
    set: { ...recipientRows.set(optOut), ...entry },
    when: { text: 'attribute_not_exists(#contactId)' },
  };
};

/** Takes such an opt-out of a phone back, where it was asked for before `at` (ms) in words that begin so. */
export const phoneOptInWrite = (
  organizationId: Id<'organization'>,
  hash: string,
  at: number,
  asked: string,
): WriteOp => ({
  update: KEYS.phone(organizationId, hash),
  remove: OPT_OUT_ATTRIBUTES,
  when: {
    text: 'attribute_not_exists(#contactId) AND begins_with(#revokedReason, :asked) AND #revokedAt < :at',
    values: { asked, at: isoTime(at) },
  },
});

/**
 * Counts a contact with an e-mail address in (1) or out (-1) of those that opted out. Who grants consent has the word over an earlier
 * unsubscribing of the address.
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

/**
 * Takes back what a contact's recipients asked for themselves until a moment (ms): its e-mail address, and whoever it was known by when
 * they did. One query, which lags behind an opt-out of the last moment, and one write each; a repeat changes nothing.
 */
export const clearOptOuts = async (
  table: Table,
  { id, organizationId, emailHash }: Pick<Contact, 'id' | 'organizationId' | 'emailHash'>,
  at: number,
): Promise<void> => {
  const until = { text: 'attribute_not_exists(#contactId) AND #revokedAt <= :at', values: { at: isoTime(at) } };
  const partition = INDEX_KEYS.optOutsOf(id, '', '').gsi2pk;
  const isStillIts = { text: `${until.text} AND #gsi2pk = :contact`, values: { ...until.values, contact: partition } };
  const clear = (update: Key, when: Condition) => table.write({ update, remove: OPT_OUT_ATTRIBUTES, when });
  const known = await table.queryAll({ index: 'gsi2', partition, only: ['pk', 'sk'] });
  await Promise.all([
    ...known.map((key) => clear(key, isStillIts)),
    ...(emailHash === undefined ? [] : [clear(KEYS.emailAddress(organizationId, emailHash), until)]),
  ]);
};
