import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { Entry } from '../../domain/journeys/entry.ts';
import type { Run } from '../../domain/journeys/run.ts';
import type { Start } from '../../domain/journeys/run-ports.ts';
import { GOAL_AFTER_END_MS } from '../../domain/journeys/step.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time, ttlAfter } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';

/** The rows of the places of contacts in journeys. */
export const entryRows = defineRow<Entry>()({
  attributes: {
    ...tenant,
    contactId: id('contact'),
    rootId: id('journey'),
    runId: id('run'),
    isActive: z.boolean(),
    beganAt: time,
    endedAt: time.optional(),
    branches: z.record(z.string(), z.string()).optional(),
    caused: z.object({ since: z.number(), count: z.int() }).optional(),
  },
  key: ({ contactId, rootId }) => KEYS.journeyEntry(contactId, rootId),
});

/** Condition: the entry is unchanged since it was checked. */
const asJudged = (over: Entry | undefined): Condition =>
  over ? { text: '#runId = :over AND #isActive = :ended', values: { over: over.runId, ended: false } } : ABSENT;

/** Enters a contact, in the transaction that starts its run. */
export const entryWrite = (run: Run, { over, caused }: Pick<Start, 'caused' | 'over'>): WriteOp => {
  const { organizationId, env, contactId, rootId, id: runId, beganAt, branches } = run;
  const entry = { organizationId, env, contactId, rootId, runId, isActive: true, beganAt, branches, caused };
  return { put: entryRows.write(entry), when: asJudged(over) };
};

/** Ends an entry, in the transaction that ends its run. Condition: it belongs to this run; an erased contact has none any more. */
export const entryEnd = ({ contactId, rootId, id: runId, endedAt, branches }: Run): WriteOp => ({
  update: KEYS.journeyEntry(contactId, rootId),
  set: entryRows.set({ isActive: false, endedAt, branches }),
  when: { text: '#runId = :run', values: { run: runId } },
});

/** A run's wait as a row. `until`: its expiry, in ms. */
const awaitRow = (
  { organizationId, contactId, id: runId }: Run,
  name: string,
  role: 'goal' | 'wait',
  until?: number,
): Row => ({
  ...KEYS.runAwait(contactId, name, role, runId),
  org: organizationId,
  ...(until === undefined ? {} : { ttl: ttlAfter(until) }),
});

/** The customer event that a run waits for at its step; undefined if none. */
const awaitedBy = ({ wait }: Run): string | undefined =>
  wait?.kind === 'event' && 'event' in wait.awaits ? wait.awaits.event : undefined;

/** Registers a run for the goal of its journey, from its start. */
export const goalBegin = (run: Run, goal: string | undefined): WriteOp[] =>
  goal === undefined ? [] : [{ put: awaitRow(run, goal, 'goal') }];

/** Keeps a run registered for its goal for 30 days after its end, unless it was reached. */
const goalWrites = (before: Run, after: Run, goal: string | undefined): WriteOp[] => {
  if (goal === undefined) return [];
  if (after.convertedAt !== undefined)
    return before.convertedAt === undefined ? [{ delete: KEYS.runAwait(after.contactId, goal, 'goal', after.id) }] : [];
  const { endedAt } = after;
  if (endedAt === undefined || before.endedAt !== undefined) return [];
  return [{ put: awaitRow(after, goal, 'goal', endedAt + GOAL_AFTER_END_MS) }];
};

/** The time after which a customer event counts as having arrived, and the last one that the run consumed. */
export interface Passed {
  readonly decidedAt: number;
  readonly taken: string | undefined;
}

/** Condition: no customer event of the name arrived for the contact since a move was decided, except one that the run consumed. */
const noneSince = (contactId: Id<'contact'>, name: string, { decidedAt, taken = '' }: Passed): WriteOp => ({
  check: KEYS.lastRunEvent(contactId, name),
  when: {
    text: 'attribute_not_exists(#pk) OR #at < :since OR #eventId = :taken',
    values: { since: decidedAt, taken },
  },
});

/** The changes of a run's waits; `check`: the write that fails if the awaited event arrived meanwhile. */
export const awaitWrites = (
  before: Run,
  after: Run,
  goal: string | undefined,
  passed: Passed,
): { readonly writes: readonly WriteOp[]; readonly check?: WriteOp } => {
  const { contactId, id: runId } = after;
  const [was, is] = [awaitedBy(before), awaitedBy(after)];
  const ended = was === undefined || was === is ? [] : [{ delete: KEYS.runAwait(contactId, was, 'wait', runId) }];
  const goals = goalWrites(before, after, goal);
  // A run that waits again for the same event keeps its row, but not what arrived before the new wait.
  if (is === undefined || after.wait === before.wait) return { writes: [...ended, ...goals] };
  const begun = was === is ? [] : [{ put: awaitRow(after, is, 'wait') }];
  const check = noneSince(contactId, is, passed);
  return { writes: [...ended, ...begun, ...goals, check], check };
};

/** How long the arrival of a customer event is remembered, in ms: far longer than a move takes. */
const LAST_EVENT_MS = 24 * 3_600_000;
const lastRow = z.object({ at: z.number(), eventId: z.string() });

/** Records the arrival of a customer event, unless a later one did. */
export const lastEventWrite = (
  contactId: Id<'contact'>,
  name: string,
  { id: eventId, at }: { readonly id: string; readonly at: number },
): WriteOp => ({
  update: KEYS.lastRunEvent(contactId, name),
  set: { at, eventId, ttl: ttlAfter(at + LAST_EVENT_MS) },
  when: { text: 'attribute_not_exists(#pk) OR #at < :at', values: { at } },
});
/** Reads the last event. */
export const readLastEvent = (row: Row) => lastRow.parse(row);
