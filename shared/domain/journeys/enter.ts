import { Unavailable } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { pause } from '../core/pause.ts';
import { compiledGraph } from './compiled-graph.ts';
import { countsOfStarts } from './counting.ts';
import type { EnginePorts } from './engine-ports.ts';
import { causedAfter, type Entry, type EntryCause, type EntryRefusal, judgeEntry, runIdOf } from './entry.ts';
import type { Journey } from './journey.ts';
import { beginRun, EVENT_PRECISION_MS, type Run, type RunEvent } from './run.ts';
import type { Start, StoredRun } from './run-ports.ts';
import { takesEntries } from './trigger.ts';

/** A contact that may enter, and the cause. */
export interface Candidate {
  readonly contactId: Id<'contact'>;
  readonly cause: EntryCause;
  /** The triggering event, for use in texts. */
  readonly event?: RunEvent | undefined;
  readonly variables?: Run['variables'] | undefined;
}

/** The result for a candidate. A repeat of the same cause returns the same run. */
export type Entered = { readonly runId: Id<'run'> } | { readonly refusal: EntryRefusal };

/** Ports of entries. `existing`: the existing ones of some contacts, each with the contacts merged into it. */
export interface EntryPorts extends Pick<EnginePorts, 'clock' | 'enqueue' | 'journeys' | 'runs'> {
  readonly existing: (
    organizationId: Id<'organization'>,
    ids: readonly Id<'contact'>[],
  ) => Promise<ReadonlyMap<Id<'contact'>, readonly Id<'contact'>[]>>;
}

/** A contact's entry, and those of contacts merged into it whose runs have not been moved yet. */
interface OwnEntries {
  readonly over: Entry | undefined;
  readonly merged: readonly Entry[];
}

/** Candidates that are read and checked together. */
const GROUP_SIZE = 96;
/** How often a contact's entry may change concurrently: each time another worker entered it or its run ended. */
const MAX_ROUNDS = 32;
/** The longest pause before it is checked again, in ms. */
const MAX_PAUSE_MS = 60;

/** Groups of candidates that are checked together: no contact twice, since one would not see the other's entry. */
const inGroups = (candidates: readonly Candidate[]): Candidate[][] => {
  const groups: { readonly ids: Set<string>; readonly own: Candidate[] }[] = [];
  for (const candidate of candidates) {
    const last = groups.at(-1);
    const fits = last && last.own.length < GROUP_SIZE && !last.ids.has(candidate.contactId);
    const group = fits ? last : { ids: new Set<string>(), own: [] };
    if (!fits) groups.push(group);
    group.ids.add(candidate.contactId);
    group.own.push(candidate);
  }
  return groups.map(({ own }) => own);
};

/** The entries of candidates, in order. `existing`: as returned by its port. */
const entriesOf = async (
  { runs }: Pick<EntryPorts, 'runs'>,
  { rootId }: Journey,
  candidates: readonly Candidate[],
  existing: Awaited<ReturnType<EntryPorts['existing']>>,
): Promise<readonly OwnEntries[]> => {
  const people = candidates.map(({ contactId }) => [contactId, ...(existing.get(contactId) ?? [])]);
  const entries = await runs.entries(rootId, people.flat());
  let from = 0;
  return people.map((ids) => {
    const [over, ...merged] = entries.slice(from, from + ids.length);
    from += ids.length;
    return { over, merged: merged.filter((entry) => entry !== undefined) };
  });
};

/** Whether a contact may start a run, given its own entry and those of contacts merged into it. */
const judgeEntries = (
  { over, merged }: OwnEntries,
  ...rule: readonly [journey: Journey, cause: EntryCause, runId: Id<'run'>]
): ReturnType<typeof judgeEntry> => {
  const judged = [over, ...merged].map((entry) => judgeEntry(entry, ...rule));
  return judged.find((each) => each !== 'enters') ?? 'enters';
};

/** Enters the admissible candidates of a group, and retries those whose entry changed meanwhile. */
const enterGroup = async (
  ports: EntryPorts,
  journey: Journey,
  group: readonly Candidate[],
): Promise<ReadonlyMap<Candidate, Entered>> => {
  const { organizationId, env, id: journeyId, rootId } = journey;
  const graph = await compiledGraph(ports.journeys, journey);
  const existing = await ports.existing(
    organizationId,
    group.map(({ contactId }) => contactId),
  );
  const answers = new Map<Candidate, Entered>();
  let left = group.filter((candidate) => {
    const isThere = existing.has(candidate.contactId);
    if (!isThere) answers.set(candidate, { refusal: 'contato_inexistente' });
    return isThere;
  });
  for (let round = 0; round < MAX_ROUNDS && left.length > 0; round++) {
    const now = ports.clock();
    const entries = await entriesOf(ports, journey, left, existing);
    const starts = left.flatMap((candidate, at): { candidate: Candidate; start: Start }[] => {
      const { contactId, cause, event, variables } = candidate;
      const own = entries[at] ?? { over: undefined, merged: [] };
      const { over } = own;
      const runId = runIdOf(rootId, contactId, cause);
      const judged = judgeEntries(own, journey, cause, runId);
      if (judged !== 'enters') {
        answers.set(candidate, judged === 'entered' ? { runId } : { refusal: judged });
        return [];
      }
      const of = { id: runId, organizationId, env, journeyId, rootId, contactId };
      // Most entries happen now; omitting the time keeps their rows shorter.
      const since = cause.at <= now - EVENT_PRECISION_MS ? cause.at : undefined;
      const fields = definedFields({ event, variables, since, branches: over?.branches });
      // Its later waits record the delay of the journey's clock.
      const run = { ...beginRun({ ...of, ...fields }, graph, now), version: 1 };
      const stored: StoredRun = { run, history: [], isParked: false, dueAt: now };
      return [{ candidate, start: { stored, over, caused: causedAfter(over, cause), goal: graph.goal } }];
    });
    const outcomes = await ports.runs.begin(
      starts.map(({ start }) => start),
      countsOfStarts(graph.first),
    );
    const begun = starts.filter((_, at) => outcomes[at] === 'begun');
    for (const { candidate, start } of begun) answers.set(candidate, { runId: start.stored.run.id });
    if (begun.length > 0)
      ports.enqueue(
        begun.map(({ start }) => start.stored.run),
        now,
      );
    left = left.filter((candidate) => !answers.has(candidate));
    if (left.length > 0) await pause(Math.random() * MAX_PAUSE_MS);
  }
  if (left.length > 0) throw new Unavailable('The entries of contacts changed at every attempt.');
  return answers;
};

/**
 * Enters contacts into a version of a journey, up to 32 per transaction; the results are in the order of the candidates. Rejected
 * candidates don't affect the others. A contact has at most one active run across all versions, even with concurrent entries.
 */
export const enter = async (
  ports: EntryPorts,
  journey: Journey,
  candidates: readonly Candidate[],
): Promise<readonly Entered[]> => {
  if (!takesEntries(journey)) return candidates.map(() => ({ refusal: 'entradas_encerradas' }));
  const answers = new Map<Candidate, Entered>();
  for (const group of inGroups(candidates))
    for (const [candidate, answer] of await enterGroup(ports, journey, group)) answers.set(candidate, answer);
  return candidates.map((candidate) => answers.get(candidate) ?? { refusal: 'ja_ativa' });
};
