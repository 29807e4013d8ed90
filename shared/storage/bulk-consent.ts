import type { BulkPorts } from '../domain/bulk/ports.ts';
import { rulesOf } from '../domain/messages/channels.ts';
import type { KeptPromise } from '../domain/messages/journal.ts';
import { KEYS } from './access-patterns.ts';
import { readRecipients } from './consent.ts';
import { parsePromise } from './reserve.ts';
import type { Table } from './table.ts';

const nameOf = (kind: string, to: string) => `${kind} ${to}`;

/** Why the consent on file refuses each plan, in their order: one read of each row, 100 a round trip. */
export const consentFaults = async (
  table: Table,
  organizationId: string,
  given: Parameters<BulkPorts['consentFaults']>[1],
): ReturnType<BulkPorts['consentFaults']> => {
  const plans = given.map(({ plan }) => plan);
  const hashes = new Map(
    given.map(({ plan, toHash }) => [nameOf(rulesOf(plan.channel).recipient, plan.to), toHash] as const),
  );
  const hashTo = async (kind: string, to: string) => hashes.get(nameOf(kind, to)) ?? '';
  const { standings } = await readRecipients(table, organizationId, plans, hashTo);
  return standings.map(({ consent }) => consent);
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
