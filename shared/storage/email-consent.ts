import * as z from 'zod';
import type { EmailConsentStore } from '../domain/contacts/ports.ts';
import { UNSUBSCRIBED } from '../domain/contacts/unsubscribe.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { NOT_OUT, optOutWrite } from './consent-rows.ts';
import type { QueryRange, Table } from './table.ts';

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
    const stop = { at: now, reason: UNSUBSCRIBED };
    // The moment of the first click stays.
    await table.write({ ...optOutWrite(organizationId, 'email', emailHash, stop), when: NOT_OUT });
  },
});
