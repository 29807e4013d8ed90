import { type Act, operatorEntry, operatorSessionEntry } from '../../domain/audit/entry.ts';
import type { Actor } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import { auditWrites } from '../../storage/audit/audit-log.ts';
import { clock, table } from '../process/aws.ts';

/** The audit entry of an operator's act, now. */
export const entryOf = (actor: Actor, act: Omit<Act, 'at'>) => operatorSessionEntry(actor, { ...act, at: clock() });

/**
 * Stores the audit entry of an act before the act, which is no write to the table: no act is without its entry. An act that concerns an organization is
 * also entered in the organization's log, without the operator's name.
 */
export const recordAct = async (actor: Actor, act: Omit<Act, 'at'>, concerns?: Id<'organization'>): Promise<void> => {
  const entry = entryOf(actor, act);
  const ofOrganization = concerns && operatorEntry(concerns, { ...act, at: entry.at });
  await table.transact([...auditWrites(entry), ...auditWrites(ofOrganization)]);
};

const HOUR_MS = 3_600_000;
/** Views that this process has already recorded, by operator, part and hour: an open page polls. */
const entered = new Set<string>();
const MAX_ENTERED = 10_000;

/** Records that an operator viewed a part of the stage, about once an hour. */
export const recordView = async (
  actor: Actor,
  at: 'organizations' | 'providers' | 'queues' | 'work',
): Promise<void> => {
  const view = `${actor.accountId} ${at} ${Math.floor(clock() / HOUR_MS)}`;
  if (entered.has(view)) return;
  await recordAct(actor, { action: 'stage.viewed', object: at });
  if (entered.size >= MAX_ENTERED) entered.clear();
  entered.add(view);
};
