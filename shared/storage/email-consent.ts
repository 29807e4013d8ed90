import * as z from 'zod';
import type { EmailConsentStore } from '../domain/contacts/ports.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { QueryRange, Table } from './table.ts';

/**
 * Forbids what an address opted out of, as a part of a send's own transaction: no contact with the address may have opted out, and the
 * address may not have unsubscribed by itself. Where a contact is `named`, its own word stands in the place of the other contacts', and
 * the unsubscribing of the address holds all the same. An address that nobody wrote down forbids nothing.
 */
export const emailConsent = (organizationId: string, hash: string, named = false): WriteOp => ({
  check: KEYS.emailAddress(organizationId, hash),
  when: named
    ? { text: 'attribute_not_exists(#unsubscribedAt)' }
    : {
        text: 'attribute_not_exists(#unsubscribedAt) AND (attribute_not_exists(#optedOut) OR #optedOut < :one)',
        values: { one: 1 },
      },
});

/**
 * Counts a contact with the address in (1) or out (-1) of those that opted out. Who grants consent has the word over an earlier
 * unsubscribing of the address.
 */
export const countOptOut = (organizationId: string, hash: string, by: number, granted: boolean): WriteOp => ({
  update: KEYS.emailAddress(organizationId, hash),
  set: { org: organizationId },
  add: { optedOut: by },
  ...(granted ? { remove: ['unsubscribedAt'] } : {}),
});

/** Lets an address that was unsubscribed be written to again; nothing where it was not. A repeat changes nothing. */
export const liftUnsubscribing = async (table: Table, organizationId: string, hash: string): Promise<void> => {
  await table.write({
    update: KEYS.emailAddress(organizationId, hash),
    remove: ['unsubscribedAt'],
    when: { text: 'attribute_exists(#unsubscribedAt)' },
  });
};

/** The addresses that a provider holds back, in the table of one stage. */
export const suppressionStore = (table: Table) => ({
  /** Refuses an address until `until` (ms); what was known of it is forgotten. */
  async suppress(organizationId: string, hash: string, until: number): Promise<void> {
    await table.write({
      update: KEYS.emailAddress(organizationId, hash),
      set: { org: organizationId, suppressedUntil: until },
    });
  },
  /** Whether an address is refused now (ms). One eventual read: a report that is as fresh refuses the next send. */
  async isSuppressed(organizationId: string, hash: string, now: number): Promise<boolean> {
    const key = KEYS.emailAddress(organizationId, hash);
    const row = await table.get(key, { eventual: true, only: ['suppressedUntil'] });
    return z.int().default(0).parse(row?.suppressedUntil) > now;
  },
  /** Until when an address is refused, in ms; undefined where it is not refused now (ms). For a person who asks. */
  async suppressedUntil(organizationId: string, hash: string, now: number): Promise<number | undefined> {
    const row = await table.get(KEYS.emailAddress(organizationId, hash), { only: ['suppressedUntil'] });
    const until = z.int().default(0).parse(row?.suppressedUntil);
    return until > now ? until : undefined;
  },
  /** Lets an address be written to again; nothing where it was not refused. A repeat changes nothing. */
  async lift(organizationId: string, hash: string): Promise<void> {
    await table.write({
      update: KEYS.emailAddress(organizationId, hash),
      remove: ['suppressedUntil'],
      when: { text: 'attribute_exists(#suppressedUntil)' },
    });
  },
});

/** Addresses in the table of one stage. */
export const emailConsentStore = (table: Table): EmailConsentStore => ({
  async contactsOf(organizationId, emailHash) {
    const ids: string[] = [];
    let startKey: QueryRange['startKey'];
    do {
      const page = await table.query({
        index: 'gsi4',
        partition: FINDS.contactsOfEmail(organizationId, emailHash, '', '').gsi4pk,
        only: ['pk', 'sk'],
        startKey,
      });
      ids.push(...page.rows.map(({ pk }) => pk.slice(KEYS.contact('').pk.length)));
      startKey = page.nextKey;
    } while (startKey);
    return ids;
  },

  async unsubscribe(organizationId, emailHash, now) {
    await table.write({
      update: KEYS.emailAddress(organizationId, emailHash),
      set: { org: organizationId, unsubscribedAt: isoTime(now) },
      when: { text: 'attribute_not_exists(#unsubscribedAt)' },
    });
  },
});
