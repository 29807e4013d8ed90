import * as z from 'zod';
import type { BulkPorts } from '../domain/bulk/ports.ts';
import { rulesOf } from '../domain/messages/channels.ts';
import type { KeptPromise } from '../domain/messages/journal.ts';
import type { SendPlan } from '../domain/messages/plan.ts';
import { KEYS } from './access-patterns.ts';
import { parsePromise } from './reserve.ts';
import type { Key, Row, Table } from './table.ts';

const addressRow = z.object({ unsubscribedAt: z.string().optional(), optedOut: z.int().default(0) });

/** The row that tells the consent of a plan's recipient: the named contact's, else the recipient's own; none where nothing forbids. */
const rowFor = (organizationId: string, plan: SendPlan, toHash: string): Key | undefined => {
  if (plan.contactId) return KEYS.contact(plan.contactId);
  if (!plan.mayOptOut) return undefined;
  const { recipient } = rulesOf(plan.channel);
  if (recipient === 'phone') return KEYS.phone(organizationId, toHash);
  return recipient === 'email' ? KEYS.emailAddress(organizationId, toHash) : undefined;
};

const faultOf = (organizationId: string, plan: SendPlan, row: Row | undefined) => {
  if (plan.contactId) {
    if (row?.org !== organizationId) return 'unknown_contact' as const;
    return plan.mayOptOut && row.optInStatus === 'denied' ? ('opted_out' as const) : undefined;
  }
  if (!row) return undefined;
  if (rulesOf(plan.channel).recipient === 'phone')
    return row.optInStatus === 'denied' ? ('opted_out' as const) : undefined;
  const { unsubscribedAt, optedOut } = addressRow.parse(row);
  return unsubscribedAt !== undefined || optedOut > 0 ? ('opted_out' as const) : undefined;
};

/** Why the consent on file refuses each plan, in their order: one read of each row, 100 a round trip. */
export const consentFaults = async (
  table: Table,
  organizationId: string,
  plans: Parameters<BulkPorts['consentFaults']>[1],
): Promise<readonly ('opted_out' | 'unknown_contact' | undefined)[]> => {
  const keys = plans.map(({ plan, toHash }) => rowFor(organizationId, plan, toHash));
  const wanted = keys.filter((key) => key !== undefined);
  const rows = await table.getMany(wanted, { consistent: true });
  const found = new Map(wanted.map((key, place) => [key, rows[place]]));
  return plans.map(({ plan }, place) => {
    const key = keys[place];
    return key && faultOf(organizationId, plan, found.get(key));
  });
};

/** What is kept under callers' keys, in their order; undefined where nothing is, or it has expired. */
export const readPromises = async (
  table: Table,
  organizationId: string,
  callerKeys: readonly string[],
  now: number,
): Promise<readonly (KeptPromise | undefined)[]> => {
  const rows = await table.getMany(
    callerKeys.map((key) => KEYS.idempotency(organizationId, key)),
    { consistent: true },
  );
  return rows.map((row) => {
    const promise = row && parsePromise(row);
    return promise && promise.expiresAt > now ? promise : undefined;
  });
};
