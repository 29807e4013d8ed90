import * as z from 'zod';
import type { Contact } from '../domain/contacts/contact.ts';
import type { RecipientKind } from '../domain/messages/channels.ts';
import type { Reservation } from '../domain/messages/journal.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Condition, WriteOp } from './expressions.ts';
import type { Key, QueryRange, Row, Table } from './table.ts';

/**
 * Every recipient that can opt out has one row, found by its blind index, whether or not it is a contact's. `optInStatus` is what the
 * recipient said itself, or what the one contact said that has it alone; `optedOut` counts those of its contacts that opted out, where it
 * may have several. A device has its opt-out on its own row, which is read when a push leaves.
 */
const ROWS: Readonly<Record<RecipientKind, ((organizationId: string, hash: string) => Key) | undefined>> = {
  phone: KEYS.phone,
  email: KEYS.emailAddress,
  platform: KEYS.platformUser,
  device: undefined,
};

/** Recipients of several contacts: none speaks for the others, so what the recipient said itself holds whichever of them is named. */
const SHARED: ReadonlySet<RecipientKind> = new Set(['email']);

/** The row of a recipient; undefined for a kind that has none. */
export const recipientRow = (organizationId: string, kind: RecipientKind, hash: string): Key | undefined =>
  ROWS[kind]?.(organizationId, hash);

interface Asked extends Pick<Reservation['consent'], 'mayOptOut'> {
  readonly contactId?: string | undefined;
}

/** Whether a send asks its recipient's row: a named contact's word stands in the place of the row's, but for the recipient of several. */
export const asksRecipient = (kind: RecipientKind, { contactId, mayOptOut }: Asked): boolean =>
  mayOptOut && ROWS[kind] !== undefined && (!contactId || SHARED.has(kind));

const denied = { denied: 'denied' } as const;
/** Neither the recipient nor the one contact that has it said no. */
export const NOT_OUT: Condition = {
  text: '(attribute_not_exists(#optInStatus) OR #optInStatus <> :denied)',
  values: denied,
};
const NOBODY_OUT: Condition = {
  text: `${NOT_OUT.text} AND (attribute_not_exists(#optedOut) OR #optedOut < :one)`,
  values: { ...denied, one: 1 },
};

/** Forbids a send that its recipient's row speaks against, as a part of its transaction; undefined where the row is not asked. */
export const recipientConsent = (
  organizationId: string,
  { recipient, toHash, ...asked }: Pick<Reservation['consent'], 'recipient' | 'toHash'> & Asked,
): WriteOp | undefined => {
  const check = asksRecipient(recipient, asked) ? recipientRow(organizationId, recipient, toHash) : undefined;
  return check && { check, when: asked.contactId ? NOT_OUT : NOBODY_OUT };
};

const standing = z.object({ optInStatus: z.string().optional(), optedOut: z.int().default(0) });

/** The same of a row that was read. */
export const refuses = (row: Row, { contactId }: Pick<Asked, 'contactId'>): boolean => {
  const { optInStatus, optedOut } = standing.parse(row);
  return optInStatus === 'denied' || (!contactId && optedOut > 0);
};

/** What a recipient asked for itself. */
export interface OwnOptOut {
  /** ms. */
  readonly at: number;
  readonly reason: string;
  /** The contact that was known by the recipient then: its opt-in takes this back. */
  readonly contactId?: string | undefined;
}
const OWN = ['optInStatus', 'revokedAt', 'revokedReason', 'gsi2pk', 'gsi2sk'] as const;

/** The opt-out of a recipient that no contact has for itself; of a kind without a row there is none. */
export const optOutWrite = (
  org: string,
  kind: RecipientKind,
  hash: string,
  { at, reason, contactId }: OwnOptOut,
): Extract<WriteOp, { update: Key }> => {
  const update = recipientRow(org, kind, hash);
  if (!update) throw new Error(`No opt-out is kept of a ${kind}.`);
  const revokedAt = isoTime(at);
  const tie = contactId === undefined ? {} : FINDS.optOutsOf(contactId, revokedAt, hash);
  return {
    update,
    set: { org, optInStatus: 'denied', revokedAt, revokedReason: reason, ...tie },
    when: { text: 'attribute_not_exists(#contactId)' },
  };
};

/** Takes such an opt-out of a phone back, where it was asked for before `at` (ms) in words that begin so. */
export const phoneOptInWrite = (org: string, hash: string, at: number, asked: string): WriteOp => ({
  update: KEYS.phone(org, hash),
  remove: OWN,
  when: {
    text: 'attribute_not_exists(#contactId) AND begins_with(#revokedReason, :asked) AND #revokedAt < :at',
    values: { asked, at: isoTime(at) },
  },
});

/**
 * Counts a contact with an e-mail address in (1) or out (-1) of those that opted out. Who grants consent has the word over an earlier
 * unsubscribing of the address.
 */
export const countOptOut = (organizationId: string, hash: string, by: number, granted: boolean): WriteOp => ({
  update: KEYS.emailAddress(organizationId, hash),
  set: { org: organizationId },
  add: { optedOut: by },
  ...(granted ? { remove: OWN } : {}),
});

const tiedTo = async (table: Table, contactId: string): Promise<readonly Key[]> => {
  const keys: Key[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const partition = FINDS.optOutsOf(contactId, '', '').gsi2pk;
    const page = await table.query({ index: 'gsi2', partition, only: ['pk', 'sk'], startKey });
    keys.push(...page.rows.map(({ pk, sk }) => ({ pk, sk })));
    startKey = page.nextKey;
  } while (startKey);
  return keys;
};

/**
 * Takes back what a contact's recipients asked for themselves until a moment (ms): its e-mail address, and whoever it was known by when
 * they did. One query, which lags behind an opt-out of the last moment, and one write each; a repeat changes nothing.
 */
export const liftOptOuts = async (
  table: Table,
  { id, organizationId, emailHash }: Pick<Contact, 'id' | 'organizationId' | 'emailHash'>,
  at: number,
): Promise<void> => {
  const until = { text: 'attribute_not_exists(#contactId) AND #revokedAt <= :at', values: { at: isoTime(at) } };
  const tied = {
    text: `${until.text} AND #gsi2pk = :tie`,
    values: { ...until.values, tie: FINDS.optOutsOf(id, '', '').gsi2pk },
  };
  const lifts = (await tiedTo(table, id)).map((update): WriteOp => ({ update, remove: OWN, when: tied }));
  if (emailHash !== undefined)
    lifts.push({ update: KEYS.emailAddress(organizationId, emailHash), remove: OWN, when: until });
  await Promise.all(lifts.map((lift) => table.write(lift)));
};
