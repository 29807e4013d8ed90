import { operatorEntry } from '../../domain/audit/entry.ts';
import type { EmailConsentStore } from '../../domain/contacts/ports.ts';
import { UNSUBSCRIBED } from '../../domain/contacts/unsubscribe.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { readUnsubscribedAt, recipientRows } from './recipient-opt-outs.ts';

/** Until when an address is suppressed (ms); 0 when it is not. */
export const readSuppression = recipientRows.pick('suppressedUntil');

/** Suppressed addresses, in the table of one stage. */
export const suppressionStore = (table: Table) => ({
  /** Suppresses an address until `until` (ms); an earlier suppression is replaced. */
  async suppress(organizationId: Id<'organization'>, hash: string, until: number): Promise<void> {
    await table.write({
      update: KEYS.emailAddress(organizationId, hash),
      set: {
        ...recipientRows.set({ organizationId, suppressedUntil: until }),
        ...INDEX_KEYS.suppressedEmails(organizationId, isoTime(until), hash),
      },
    });
  },
  /** Whether an address is suppressed now (ms). One eventually consistent read: the latest reports may only affect the next send. */
  async isSuppressed(organizationId: Id<'organization'>, hash: string, now: number): Promise<boolean> {
    const key = KEYS.emailAddress(organizationId, hash);
    const row = await table.get(key, { eventual: true, only: ['suppressedUntil'] });
    return row !== undefined && readSuppression(row).suppressedUntil > now;
  },
  /** Until when an address is suppressed, in ms; undefined when it is not suppressed now (ms). For the operator. */
  async suppressedUntil(organizationId: Id<'organization'>, hash: string, now: number): Promise<number | undefined> {
    const row = await table.get(KEYS.emailAddress(organizationId, hash), { only: ['suppressedUntil'] });
    const until = row ? readSuppression(row).suppressedUntil : 0;
    return until > now ? until : undefined;
  },
  /** Ends an address's suppression, if any, on behalf of the operator, at `now` (ms). Idempotent. */
  async lift(organizationId: Id<'organization'>, hash: string, now: number): Promise<void> {
    const act = { action: 'suppression.lifted', object: organizationId, at: now } as const;
    const entry = operatorEntry(organizationId, { ...act, details: { channel: 'email' } });
    await table.transact([
      {
        update: KEYS.emailAddress(organizationId, hash),
        remove: ['suppressedUntil', 'gsi1pk', 'gsi1sk'],
        when: { text: 'attribute_exists(#suppressedUntil)' },
      },
      ...auditWrites(entry),
    ]);
  },
});

/** The blind index at the end of an index entry's sort key. */
const hashesOf = (index: 'gsi1' | 'gsi3', rows: readonly Row[]): string[] =>
  rows.map((row) => String(row[`${index}sk`]).split('#').at(-1) ?? '');

/**
 * The blind indexes of an organization's addresses that are suppressed at `now` (ms), and of those that unsubscribed. Two queries,
 * eventually consistent; a page per about 5,000.
 */
export const refusedEmails = async (
  table: Table,
  organizationId: Id<'organization'>,
  now: number,
): Promise<{ readonly suppressed: readonly string[]; readonly unsubscribed: readonly string[] }> => {
  const { gsi1pk } = INDEX_KEYS.suppressedEmails(organizationId, '', '');
  const { gsi3pk } = INDEX_KEYS.unsubscribedEmails(organizationId, '', '');
  const sort = { text: '#sk > :now', values: { now: `${isoTime(now)}#~` } };
  const [suppressed, unsubscribed] = await Promise.all([
    table.queryAll({ index: 'gsi1', partition: gsi1pk, sort, only: ['gsi1sk'] }),
    table.queryAll({ index: 'gsi3', partition: gsi3pk, only: ['gsi3sk'] }),
  ]);
  return { suppressed: hashesOf('gsi1', suppressed), unsubscribed: hashesOf('gsi3', unsubscribed) };
};

/** The longest time that a click's own request may take, in ms: due work continues what it left after that. */
const REQUEST_MS = 30_000;

/** The consent of e-mail addresses, in the table of one stage. */
export const emailConsentStore = (table: Table): EmailConsentStore => ({
  async contactsOf(organizationId, emailHash) {
    const partition = INDEX_KEYS.contactsOfEmail(organizationId, emailHash, '', '').gsi4pk;
    const rows = await table.queryAll({ index: 'gsi4', partition, only: ['pk', 'sk'] });
    return rows.map(PARSE_KEY.contact);
  },

  async unsubscribe(organizationId, emailHash, at) {
    const optOut = recipientRows.set({ organizationId, optInStatus: 'denied', unsubscribedAt: at });
    await table.write({
      update: KEYS.emailAddress(organizationId, emailHash),
      set: { ...optOut, ...INDEX_KEYS.due('clean_up', emailHash, at + REQUEST_MS) },
      // A repeat keeps the time of the first click.
      setOnce: {
        ...recipientRows.set({ revokedAt: at, revokedReason: UNSUBSCRIBED }),
        ...INDEX_KEYS.unsubscribedEmails(organizationId, isoTime(at), emailHash),
      },
    });
  },

  unsubscribedAt: (organizationId, emailHash) => readUnsubscribedAt(table, organizationId, emailHash),

  async finishUnsubscribe(organizationId, emailHash, at) {
    await table.write({
      update: KEYS.emailAddress(organizationId, emailHash),
      remove: ['unsubscribedAt', 'duePk', 'dueAt'],
      when: { text: '#unsubscribedAt = :at', values: { at: isoTime(at) } },
    });
  },
});
