import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import { derivedId, type Id, newId } from '../../shared/domain/core/ids.ts';
import { countsOfSteps } from '../../shared/domain/journeys/counting.ts';
import type { JourneyDefinition } from '../../shared/domain/journeys/definition.ts';
import type { EffectContext, EnginePorts, Performed } from '../../shared/domain/journeys/engine-ports.ts';
import { type Candidate, enter } from '../../shared/domain/journeys/enter.ts';
import type { Journey } from '../../shared/domain/journeys/journey.ts';
import { moveDueRun } from '../../shared/domain/journeys/move-run.ts';
import type { RunEvent } from '../../shared/domain/journeys/run.ts';
import { sweepRuns } from '../../shared/domain/journeys/sweep-runs.ts';
import type { TriggerPorts } from '../../shared/domain/journeys/triggers.ts';
import type { PerformedEffect } from '../../shared/domain/journeys/turn.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readJourneyCounts } from '../../shared/storage/automation/counters.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { contactRow, readContact } from '../../shared/storage/contacts/contacts.ts';
import { mergedInto } from '../../shared/storage/contacts/merges.ts';
import { journeyStore } from '../../shared/storage/journeys/journey-store.ts';
import { readRunCounts } from '../../shared/storage/journeys/run-counts.ts';
import { runStore } from '../../shared/storage/journeys/run-store.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { readRow } from '../../shared/storage/read-row.ts';
import { overdue } from '../support/index-entries.ts';
import { indexesUpToDate } from '../support/table-engine.ts';

/** Effects that were performed for runs, by their key: a repeat finds its effect done, as with the real effects. */
export class Outside {
  readonly done = new Map<string, PerformedEffect & { readonly runId: string; readonly times: number }>();
  readonly events = new Map<string, RunEvent>();
  /** The results of the next effects, by step. */
  readonly script = new Map<string, (context: EffectContext, effect: PerformedEffect) => Performed | undefined>();

  /** The message that a visit of a step has sent. */
  sentBy = async ({ id }: { readonly id: string }, step: string, visit: number) => {
    const key = [id, step, visit].join(' ');
    return this.done.get(key)?.kind === 'send' ? derivedId('message', [key]) : undefined;
  };

  perform = async (context: EffectContext, effect: PerformedEffect): Promise<Performed> => {
    const scripted = this.script.get(effect.step)?.(context, effect);
    if (scripted) return scripted;
    const key = [context.run.id, effect.step, effect.visit].join(' ');
    const times = (this.done.get(key)?.times ?? 0) + 1;
    this.done.set(key, { ...effect, runId: context.run.id, times });
    return effect.kind === 'send' ? { kind: 'sent', messageId: derivedId('message', [key]) } : { kind: 'done' };
  };
}

/** Journeys as a process has them over a table; what is outside is the test's. */
export const journeysOver = (table: Table, clock: () => number, outside: Outside) => {
  const journeys = journeyStore(table, {
    sealer: { seal: async (_, __, text) => text, open: async (_, __, text) => text },
    raised: () => {},
  });
  const ports: EnginePorts & TriggerPorts = {
    clock,
    runs: runStore(table, () => {}),
    journeys,
    contactOf: async (organizationId, id) => {
      const contact = await readRow(table, KEYS.contact(id), readContact);
      return contact?.organizationId === organizationId ? contact : undefined;
    },
    existing: (organizationId, ids) => mergedInto(table, organizationId, ids),
    clockOf: async () => ({ timeZone: 'America/Sao_Paulo' }),
    eventOf: async (id) => outside.events.get(id),
    perform: outside.perform,
    sentBy: outside.sentBy,
    pause: async (journey, { reason, step, label }) => {
      const before = await journeys.find(journey.id);
      if (before?.status !== 'ativa') return;
      const at = clock();
      const pause = { reason, step, ...(label === undefined ? {} : { label }), at };
      const after: Journey = { ...before, status: 'pausada', pause, pausedAt: at, version: before.version + 1 };
      await journeys.save({ versions: [{ before, after }] });
    },
    enqueue: () => {},
    triggers: journeys.triggers,
  };
  return {
    table,
    clock,
    journeys,
    ports,
    enter: (journey: Journey, candidates: readonly Candidate[]) => enter(ports, journey, candidates),
    /** Works on every run that is due, until none is; answers how often one was worked on. */
    async work(): Promise<number> {
      for (let worked = 0; ; ) {
        await indexesUpToDate();
        const items = await overdue(table, 'run_journey', clock(), 1_000);
        if (items.length === 0) return worked;
        if (worked > 50_000) throw new Error('work does not end');
        await Promise.all(items.map((item) => moveDueRun(ports, PARSE_KEY.run(item))));
        worked += items.length;
      }
    },
    async counts({
      id: journeyId,
      organizationId,
    }: Pick<Journey, 'id' | 'organizationId'>): Promise<Record<string, Readonly<Record<string, number>>>> {
      const steps = await readJourneyCounts(table, journeyId, { consistent: true });
      return {
        '': await readRunCounts(table, { organizationId, journeyId }),
        ...Object.fromEntries(countsOfSteps(steps)),
      };
    },
    /** Continues the sweeps over the runs of a journey until none is due. */
    async sweep(id: Id<'journey'>): Promise<void> {
      do await indexesUpToDate();
      while (await sweepRuns({ ...ports, jobs: journeys, timeLeft: () => false }, id));
    },
    /** Changes the state of a version as an operator would. */
    async change(id: Id<'journey'>, status: 'ativa' | 'arquivada' | 'pausada'): Promise<Journey> {
      const before = await journeys.find(id);
      if (!before) throw new Error('no journey');
      const at = clock();
      const { pausedAt = at, pausedMs, version } = before;
      const states = {
        ativa: { pausedMs: pausedMs + at - pausedAt, pausedAt: undefined, pause: undefined },
        pausada: { pausedAt: at },
        arquivada: { pausedAt: undefined },
      };
      const after: Journey = { ...before, ...states[status], status, version: version + 1 };
      const kind = status === 'ativa' ? 'unpark' : 'cancel';
      const sweep = status === 'pausada' ? undefined : ({ kind, at } as const);
      const outcome = await journeys.save({ versions: [{ before, after }], sweep });
      if (outcome !== 'saved') throw new Error(outcome);
      return after;
    },
    async runsOf(journey: Journey, contactId: Id<'contact'>) {
      const [entry] = await ports.runs.entries(journey.rootId, [contactId]);
      const [stored] = entry ? await ports.runs.read([entry.runId]) : [];
      return stored;
    },
  };
};
export type Journeys = ReturnType<typeof journeysOver>;

const BASE: Omit<JourneyDefinition, 'passos' | 'ligacoes'> = {
  name: 'Boas-vindas',
  gatilho: { tipo: 'manual' },
  reentrada: 'nunca',
};

/** Stores an active version of a journey. */
export const activeJourney = async (
  { journeys, clock }: Pick<Journeys, 'clock' | 'journeys'>,
  { organizationId, env }: Tenant,
  definition: Partial<JourneyDefinition> & Pick<JourneyDefinition, 'ligacoes' | 'passos'>,
  id = newId('journey'),
): Promise<Journey> => {
  const { passos, ligacoes, ...settings } = { ...BASE, ...definition };
  const now = clock();
  const journey: Journey = {
    ...settings,
    id,
    rootId: id,
    organizationId,
    env,
    number: 1,
    revision: 1,
    status: 'ativa',
    pausedMs: 0,
    activatedAt: now,
    channels: [],
    flow: [],
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const outcome = await journeys.save({ versions: [{ after: journey, graph: { passos, ligacoes } }] });
  if (outcome !== 'saved') throw new Error(outcome);
  return journey;
};

/** Stores contacts. */
export const addContacts = async (
  table: Table,
  { organizationId, env }: Tenant,
  count: number,
  fields: Partial<Contact> = {},
): Promise<Contact[]> => {
  const contacts = Array.from({ length: count }, (_, at): Contact => {
    const id = newId('contact');
    const phone = `+5511${String(900_000_000 + at)}`;
    const given = { id, number: at + 1, organizationId, env, phone, phoneHash: `hash-${id}` };
    const none = { attributes: {}, tags: [], optIn: { status: 'unknown' as const }, source: 'api' as const };
    return { ...given, ...none, createdAt: 0, updatedAt: 0, version: 1, ...fields };
  });
  await table.putMany(contacts.map(contactRow));
  return contacts;
};
