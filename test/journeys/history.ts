import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { SENT_STATUSES } from '../../shared/domain/journeys/definition.ts';
import { runIdOf } from '../../shared/domain/journeys/entry.ts';
import { type Graph, graphOf } from '../../shared/domain/journeys/graph.ts';
import type { Journey } from '../../shared/domain/journeys/journey.ts';
import { moveRun } from '../../shared/domain/journeys/move-run.ts';
import { tellEvent, tellStatus } from '../../shared/domain/journeys/triggers.ts';
import type { EffectResult, PerformedEffect } from '../../shared/domain/journeys/turn.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { Crashed, crashingAt } from '../lists/crashes.ts';
import { newOrganization } from '../lists/stage.ts';
import type { Chance } from '../support/chance.ts';
import { Choices, definitionBy, EVENTS } from '../support/journeys/arbitrary.ts';
import { type JourneyState, keyOf, messageOf, ShadowRun } from './shadow.ts';
import { activeJourney, addContacts, type Journeys, journeysOver, Outside } from './stage.ts';

const START = Date.parse('2026-03-10T12:00:00Z');
const JUMPS = [1_000, 60_000, 600_000, 3_600_000, 36_000_000, 3 * 86_400_000];

/** A number from 0 to 99 that belongs to an effect: what it comes to is the same whoever asks, and whenever. */
const lotOf = (key: string): number => createHash('sha256').update(key).digest().readUInt16BE(0) % 100;

/** What happens in a history, as the engine does it, and as the pure interpreter is told of it. */
interface Happening {
  readonly engine: (own: Journeys) => Promise<unknown>;
  readonly shadow: () => void;
}

/** Time passes. */
const NOTHING: Happening = { engine: async () => {}, shadow: () => {} };

/** A history of a random journey with random contacts, happenings, crashes and repeats. */
export class History {
  readonly #table: Table;
  readonly #chance: Chance;
  readonly #outside = new Outside();
  readonly #state: JourneyState;
  readonly #shadows = new Map<Id<'contact'>, ShadowRun[]>();
  readonly #done = new Set<string>();
  #own!: Journeys;
  #journey!: Journey;
  #graph!: Graph;
  #people: Contact[] = [];
  #outage = false;
  /** What was told so far: queues tell again, in any order. */
  readonly #told: Happening[] = [];
  #events = 0;

  constructor(table: Table, chance: Chance) {
    this.#table = table;
    this.#chance = chance;
    this.#state = {
      now: START,
      pausedMs: 0,
      pausedAt: undefined,
      resultOf: (runId, effect) => this.#resultOf(runId, effect),
    };
  }

  #resultOf(runId: string, effect: PerformedEffect): EffectResult {
    const key = keyOf(runId, effect);
    const lot = lotOf(`${key} ${effect.attempt}`);
    if (effect.kind === 'send') {
      if (this.#outage) return { kind: 'blocked', reason: 'saldo_insuficiente' };
      return lot < 12 ? { kind: 'skipped', detail: 'opt_out' } : { kind: 'sent', messageId: messageOf(key) };
    }
    if (effect.kind === 'webhook' && lot < 40)
      return lot < 5 ? { kind: 'refused', detail: '410' } : { kind: 'failed', detail: '500' };
    return { kind: 'done' };
  }

  async begin(): Promise<void> {
    const numbers = Array.from({ length: 90 }, () => this.#chance.below(1_000_000));
    const definition = definitionBy(new Choices(numbers), { maxSteps: 8 });
    const perform: Outside['perform'] = async ({ run }, effect) => {
      const result = this.#resultOf(run.id, effect);
      const key = keyOf(run.id, effect);
      if (result.kind !== 'sent' && result.kind !== 'done') return result;
      const times = (this.#outside.done.get(key)?.times ?? 0) + 1;
      this.#outside.done.set(key, { ...effect, runId: run.id, times });
      return result;
    };
    this.#outside.perform = perform;
    this.#own = journeysOver(this.#table, () => this.#state.now, this.#outside);
    const tenant = await newOrganization(this.#table);
    this.#journey = await activeJourney(this.#own, tenant, definition);
    this.#graph = graphOf({ ...definition, ...this.#journey });
    this.#people = [];
    for (const tags of [['vip'], ['novo'], []])
      this.#people.push(...(await addContacts(this.#table, tenant, 1, { tags: [...tags] })));
  }

  /** A process that ends in the middle of what it does. */
  #crashing(): Journeys {
    const table = crashingAt(this.#table, this.#chance.below(7), this.#chance.below(2) === 0);
    return journeysOver(table, () => this.#state.now, this.#outside);
  }

  /** The runs of all contacts, in an order of their own. */
  #runs(): ShadowRun[] {
    return this.#people.flatMap(({ id }) => this.#shadows.get(id) ?? []);
  }

  /** What is due is done, run by run. */
  async #drain({ ports }: Journeys): Promise<void> {
    const ids = this.#people.map(({ id }) => id);
    const entries = await ports.runs.entries(this.#journey.rootId, ids);
    const runIds = new Set(
      ids.flatMap((id, at) => {
        const known = (this.#shadows.get(id) ?? []).map(({ run }) => run.id);
        const entered = entries[at]?.runId;
        return entered ? [...known, entered] : known;
      }),
    );
    const due = (await ports.runs.read([...runIds])).filter((stored) => {
      const isLeft = stored?.run.wait?.kind === 'ready';
      const isDue = stored?.dueAt !== undefined && stored.dueAt <= this.#state.now;
      return stored?.run.status === 'ativa' && (isLeft || isDue);
    });
    // In the order of the shadows: a run that pauses the journey has those behind it stand still.
    for (const stored of due) if (stored) await moveRun(ports, stored.run.id, { kind: 'due' });
  }

  /** Lets something happen: perhaps in a process that ends in its middle, then whole, and perhaps once more. */
  async #happen(happening: Happening): Promise<void> {
    const { engine, shadow } = happening;
    const whole = async (own: Journeys) => {
      await engine(own);
      await this.#drain(own);
    };
    for (let crashes = this.#chance.below(3); crashes > 0; crashes--)
      await whole(this.#crashing()).catch((error: unknown) => {
        if (!(error instanceof Crashed)) throw error;
      });
    await whole(this.#own);
    if (this.#chance.below(4) === 0) await whole(this.#own);
    // Two workers take the same work up at once.
    if (this.#chance.below(4) === 0) await Promise.all([this.#drain(this.#own), this.#drain(this.#own)]);
    shadow();
    this.#shadowsDue();
  }

  #shadowsDue(): void {
    if (this.#state.pausedAt === undefined) for (const each of this.#runs()) each.take({ kind: 'due' });
  }
  /** What fell due is done before anything else happens. */
  async #passTime(): Promise<void> {
    await this.#drain(this.#own);
    this.#shadowsDue();
  }

  #enter(): Happening {
    const contact = this.#chance.pick(this.#people);
    const at = this.#state.now;
    const cause = { key: `cause ${this.#events++}`, at };
    return {
      engine: async (own) =>
        own.enter((await own.journeys.find(this.#journey.id)) ?? this.#journey, [{ contactId: contact.id, cause }]),
      shadow: () => {
        const runs = this.#shadows.get(contact.id) ?? [];
        const last = runs.at(-1)?.run;
        if (this.#state.pausedAt !== undefined || last?.status === 'ativa' || (last?.endedAt ?? 0) >= at) return;
        const { id: journeyId, rootId, organizationId, env } = this.#journey;
        const of = {
          id: runIdOf(rootId, contact.id, cause),
          organizationId,
          env,
          journeyId,
          rootId,
          contactId: contact.id,
        };
        const entry = { ...of, ...(last ? { branches: last.branches } : {}) };
        this.#shadows.set(contact.id, [...runs, new ShadowRun(entry, this.#graph, contact, this.#state, this.#done)]);
      },
    };
  }

  #event(): Happening {
    const contact = this.#chance.pick(this.#people);
    const { organizationId, env } = this.#journey;
    const name = this.#chance.pick(EVENTS);
    const id = `e${this.#events++}`;
    const value = this.#chance.below(1_000) / 10;
    const at = this.#state.now;
    const told = { id, name, value, at };
    const event = { ...told, organizationId, env, contactId: contact.id, createdAt: at, occurredAt: at, eventId: id };
    this.#outside.events.set(id, told);
    return {
      engine: ({ ports }) => tellEvent(ports, { ...event, attribution: null, claim: id } as never),
      shadow: () => {
        for (const each of this.#shadows.get(contact.id) ?? []) each.take({ kind: 'event', event: told });
      },
    };
  }

  #receipt(): Happening {
    const sent = [...this.#done].filter((key) => this.#outside.done.get(key)?.kind === 'send');
    if (sent.length === 0) return this.#event();
    const key = this.#chance.pick(sent);
    const effect = this.#outside.done.get(key);
    const status = this.#chance.pick(SENT_STATUSES);
    const signal = { step: effect?.step ?? '', messageId: messageOf(key), status };
    const runId = effect?.runId as Id<'run'>;
    return {
      engine: ({ ports }) => tellStatus(ports, { runId, ...signal }),
      shadow: () =>
        this.#runs()
          .find(({ run }) => run.id === runId)
          ?.take({ kind: 'signal', signal }),
    };
  }

  #pauseOrResume(): Happening {
    const { id } = this.#journey;
    const wasPaused = this.#state.pausedAt !== undefined;
    return {
      engine: async (own) => {
        const journey = await own.journeys.find(id);
        if (journey?.status === (wasPaused ? 'pausada' : 'ativa'))
          await own.change(id, wasPaused ? 'ativa' : 'pausada');
        await own.sweep(id);
      },
      shadow: () => {
        const { now, pausedAt } = this.#state;
        if (pausedAt !== undefined && wasPaused) this.#state.pausedMs += now - pausedAt;
        this.#state.pausedAt = wasPaused ? undefined : now;
      },
    };
  }

  #cancel(): Happening {
    const run = this.#chance.pick([undefined, ...this.#runs()]);
    const input = { kind: 'cancel', reason: 'operador' } as const;
    return {
      engine: async ({ ports }) => run && moveRun(ports, run.run.id, input),
      shadow: () => run?.take(input),
    };
  }

  /** Something that was told before, late and out of its order. */
  #again(): Happening {
    return this.#told.length > 0 ? this.#chance.pick(this.#told) : NOTHING;
  }

  #next(nth: number): Happening {
    const what = this.#chance.below(20);
    if (what < 13) {
      const told = what < 5 ? this.#enter() : what < 9 ? this.#event() : this.#receipt();
      this.#told.push(told);
      return told;
    }
    if (what < 15) return this.#again();
    if (what < 17 || nth < 2) return NOTHING;
    return what < 19 ? this.#pauseOrResume() : this.#cancel();
  }

  async play(happenings: number): Promise<void> {
    for (let nth = 0; nth < happenings; nth++) {
      this.#state.now += this.#chance.below(3) === 0 ? this.#chance.pick(JUMPS) : 1;
      if (this.#chance.below(14) === 0) this.#outage = !this.#outage;
      await this.#passTime();
      const happening = this.#next(nth);
      await this.#happen(happening);
      await this.#check(nth);
    }
  }

  /** Each run is as the pure interpreter has it, each effect was done that it did and no other, and counts are a recount. */
  async #check(nth: number): Promise<void> {
    const { ports } = this.#own;
    const shadows = this.#runs();
    const all = await ports.runs.read(shadows.map(({ run }) => run.id));
    for (const [at, { run, history }] of shadows.entries()) {
      const stored = all[at];
      const told = stored && (await ports.runs.historyOf(stored));
      expect(told, `${nth} ${run.id}`).toEqual(history);
      const { version: _, wait: __, ...rest } = run;
      expect(stored?.run, `${nth} ${run.id}`).toMatchObject(JSON.parse(JSON.stringify(rest)));
      expect(stored?.run.wait, `${nth} ${run.id}`).toEqual(run.wait);
    }
    expect([...this.#outside.done.keys()].sort()).toEqual([...this.#done].sort());
  }

  /** What is counted is what a recount of the runs finds. */
  async checkCounts(): Promise<void> {
    const runs = this.#runs();
    const counts: Record<string, Record<string, number>> = {};
    const add = (step: string, name: string, by = 1) => {
      const own = counts[step] ?? {};
      counts[step] = own;
      own[name] = (own[name] ?? 0) + by;
    };
    for (const { run, history, converted } of runs) {
      add('', 'entradas');
      if (run.status !== 'ativa')
        add('', { concluida: 'concluidas', cancelada: 'canceladas', erro: 'erros' }[run.status]);
      if (converted) {
        add('', 'conversoes');
        if (converted.value) add('', 'valorConvertido', Math.round(converted.value * 10_000));
      }
      for (const [step, visits] of Object.entries(run.visits)) add(step, 'entraram', visits);
      for (const { step, result } of history) {
        add(step, 'sairam');
        if (result === 'pulada') add(step, 'puladas');
      }
    }
    expect(await this.#own.counts(this.#journey)).toEqual(runs.length === 0 ? { '': {} } : counts);
  }
}
