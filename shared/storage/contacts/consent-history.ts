import * as z from 'zod';
import type { ConsentChange } from '../../domain/contacts/consent-history.ts';
import { type Contact, OPT_IN_STATUSES } from '../../domain/contacts/contact.ts';
import { contactEventId } from '../../domain/contacts/events.ts';
import type { CursorItems } from '../../domain/core/cursor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import { type CursorRequest, cursorItems } from '../client/cursor-pages.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { digest, newestKey } from '../key-parts.ts';
import { PARSE_KEY } from '../parse-key.ts';

const text = z.string().optional();
const consentRows = defineRow<ConsentChange>()({
  attributes: {
    contactId: id('contact'),
    organizationId: id('organization'),
    at: time,
    status: z.enum(OPT_IN_STATUSES),
    source: text,
    ip: text,
    userAgent: text,
    reason: text,
    eventId: id('event').optional(),
  },
  key: ({ contactId }, version: number) => KEYS.consent(contactId, version),
});

/** The recorded change of consent: of a withdrawal its reason, of an opt-in its proof. */
const changeOf = ({ id: contactId, organizationId, optIn, updatedAt }: Contact): ConsentChange => {
  const { status, source, at = updatedAt, ip, userAgent, revokedAt = updatedAt, revokedReason: reason } = optIn;
  const common = { contactId, organizationId, status };
  return status === 'denied' ? { ...common, at: revokedAt, reason } : { ...common, at, source, ip, userAgent };
};

/**
 * Stores a change of consent permanently, in its transaction: a new status, or a newer proof of the same. `before` is absent for a new
 * contact.
 */
export const consentHistoryWrites = (before: Contact | undefined, after: Contact): WriteOp[] =>
  after.optIn.status === (before?.optIn.status ?? 'unknown') && after.optIn.at === before?.optIn.at
    ? []
    : [{ put: consentRows.write(changeOf(after), after.version) }];

/**
 * The change of consent made by a merge, in its transaction: the duplicate's applies to the contact from the merge on, whatever it was
 * before.
 */
export const mergeConsentWrites = (before: Contact, after: Contact): WriteOp[] =>
  after.optIn.status === before.optIn.status
    ? []
    : [{ put: consentRows.write({ ...changeOf(after), at: after.updatedAt }, after.version) }];

/** The event that a withdrawal raised; undefined for an opt-in. */
export const consentEventId = (row: Row): Id<'event'> | undefined => {
  const { contactId, status, eventId } = consentRows.read(row);
  if (status !== 'denied' || eventId !== undefined) return eventId;
  return contactEventId('contact.opted_out', { id: contactId, version: PARSE_KEY.consent(row) ?? 0 });
};

/** The rows of a contact's changes of consent. */
export const consentRange = (contactId: Id<'contact'>) => {
  const { pk: partition, sk } = KEYS.consent(contactId, 0);
  const prefix = sk.slice(0, sk.indexOf('#') + 1);
  return { partition, sort: { text: 'begins_with(#sk, :prefix)', values: { prefix } }, consistent: true } as const;
};

/** The rows of all changes of a contact's consent, oldest first. */
export const allConsentRows = (table: Table, contactId: Id<'contact'>): Promise<readonly Row[]> =>
  table.queryAll(consentRange(contactId));

/** The version of the last of a contact's own consent changes up to a time (ms); 0 if there is none. */
const versionAt = (known: readonly Row[], at: number): number =>
  known.reduce((last, row) => {
    const version = PARSE_KEY.consent(row);
    return version !== undefined && consentRows.read(row).at <= at ? version : last;
  }, 0);

/** The writes that move a merged contact's consent change to the surviving one, whose rows are `known`: once, ordered by time. */
export const movedConsentWrites = (row: Row, heir: Id<'contact'>, known: readonly Row[]): WriteOp[] => {
  const change = consentRows.read(row);
  const key = { pk: row.pk, sk: row.sk };
  const order = newestKey(isoTime(change.at), digest(`${key.pk} ${key.sk}`));
  const moved = { ...change, contactId: heir, eventId: consentEventId(row) };
  return [
    { delete: key, when: EXISTS },
    { put: { ...consentRows.write(moved, 0), ...KEYS.mergedConsent(heir, versionAt(known, change.at), order) } },
  ];
};

/** All changes of a contact's consent, newest first. */
export const allConsents = async (table: Table, contactId: Id<'contact'>): Promise<readonly ConsentChange[]> =>
  (await table.queryAll({ ...consentRange(contactId), newestFirst: true })).map(consentRows.read);

/** A page of a contact's changes of consent, newest first. 400 for a cursor of another list. */
export const consentPage = async (
  table: Table,
  contactId: Id<'contact'>,
  request: CursorRequest,
): Promise<CursorItems<ConsentChange> | Refusal<'BAD_REQUEST'>> =>
  cursorItems(table, { ...consentRange(contactId), newestFirst: true }, request, (rows) => rows.map(consentRows.read));
