import { createHash } from 'node:crypto';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { derivedId, type Id } from '../../shared/domain/core/ids.ts';
import { type Graph, graphOf } from '../../shared/domain/journeys/graph.ts';
import type { Journey } from '../../shared/domain/journeys/journey.ts';
import { moveRun } from '../../shared/domain/journeys/move-run.ts';
import { EVENT_PRECISION_MS } from '../../shared/domain/journeys/run.ts';
import type { EffectResult, PerformedEffect } from '../../shared/domain/journeys/turn.ts';
import { dueAt } from '../../shared/domain/journeys/waits.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { crashingAt } from '../lists/crashes.ts';
import type { Chance } from '../support/chance.ts';
import { Choices, definitionBy } from '../support/journeys/arbitrary.ts';
import { checkRuns, expectEqual, recountOf } from './recount.ts';
import { type JourneyState, keyOf, messageOf, ShadowRun } from './shadow.ts';
import { activeJourney, addContacts, type Journeys, journeysOver, Outside } from './stage.ts';

const START = Date.parse('2026-03-10T12:00:00Z');
const MAX_STEPS = 8;
const MAX_PEOPLE = 3;
const TAGS = [['vip'], ['novo'], ['vip', 'novo'], []];

/** A number from 0 to 99 for an effect: its result is the same in every process and at any time. */
const lotOf = (key: string): number => createHash('sha256').update(key).digest().readUInt16BE(0) % 100;

/** A random journey with random contacts: as a table has it, and as the pure interpreter takes it. */
export class Scene {
  readonly #table: Table;
  readonly #chance: Chance;
  readonly #name: string;
  readonly outside = new Outside();
  readonly state: JourneyState;
  readonly shadows = new Map<Id<'contact'>, ShadowRun[]>();
  /** Effects that were done according to the interpreter. */
  readonly done = new Set<string>();
  own!: Journeys;
  journey!: Journey;
  #graph!: Graph;
  /** In the order in which their runs are taken. */
  people: Contact[] = [];
  /** Whether credits ran out. */
  outage = false;

  constructor(table: Table, chance: Chance, name: string) {
    this.#table = table;
    this.#chance = chance;
    this.#name = name;
    this.state = {
      now: START,
      pausedMs: 0,
      pausedAt: undefined,
      resultOf: (runId, effect) => this.#resultOf(runId, effect),
    };
    this.outside.perform = async ({ run }, effect) => this.#perform(run.id, effect);
  }

  #resultOf(runId: string, effect: PerformedEffect): EffectResult {
    const key = keyOf(runId, effect);
    const lot = lotOf(`${key} ${effect.attempt}`);
    if (effect.kind === 'send') {
      if (this.outage) return { kind: 'blocked', reason: 'saldo_insuficiente' };
      return lot < 12 ? { kind: 'skipped', detail: 'opt_out' } : { kind: 'sent', messageId: messageOf(key) };
    }
    if (effect.kind === 'webhook' && lot < 40)
      return lot < 5 ? { kind: 'refused', detail: '410' } : { kind: 'failed', detail: '500' };
    return { kind: 'done' };
  }

  #perform(runId: string, effect: PerformedEffect): EffectResult {
    const result = this.#resultOf(runId, effect);
    const key = keyOf(runId, effect);
    if (result.kind !== 'sent' && result.kind !== 'done') return result;
    const times = (this.outside.done.get(key)?.times ?? 0) + 1;
    this.outside.done.set(key, { ...effect, runId, times });
    return result;
  }

  async begin(): Promise<void> {
    const numbers = Array.from({ length: 90 }, () => this.#chance.below(1_000_000));
    const definition = definitionBy(new Choices(numbers), { maxSteps: MAX_STEPS });
    this.own = this.#processOver(this.#table);
    const name = this.#name;
    const tenant = { organizationId: derivedId('organization', [name]), env: 'test' } as const;
    await this.#table.write(organizationWrite({ id: tenant.organizationId, name: 'Loja Azul', createdAt: 0 }));
    this.journey = await activeJourney(this.own, tenant, definition, derivedId('journey', [name]));
    this.#graph = graphOf({ ...definition, ...this.journey });
    for (let nth = 1 + this.#chance.below(MAX_PEOPLE); nth > 0; nth--) {
      const fields = { id: derivedId('contact', [name, String(nth)]), tags: [...this.#chance.pick(TAGS)] };
      this.people.push(...(await addContacts(this.#table, tenant, 1, fields)));
    }
  }

  #processOver(table: Table): Journeys {
    return journeysOver(table, () => this.state.now, this.outside);
  }
  /** A process that ends in the middle of what it does, at its nth write: before it, or once it is made. */
  crashing(nth: number, made: boolean): Journeys {
    return this.#processOver(crashingAt(this.#table, nth, made));
  }

  /** The runs of all contacts, contact by contact. */
  runs(): ShadowRun[] {
    return this.people.flatMap(({ id }) => this.shadows.get(id) ?? []);
  }

  /** Processes due work, run by run; `begun`: runs that the interpreter may not know yet. */
  async drain({ ports }: Journeys, started: readonly Id<'run'>[] = []): Promise<void> {
    const known = this.runs().map(({ run }) => run.id);
    const stored = await ports.runs.read([...new Set([...known, ...started])]);
    const due = stored.filter((each) => {
      const isLeft = each?.run.wait?.kind === 'ready';
      const isDue = each?.dueAt !== undefined && each.dueAt <= this.state.now;
      return each?.run.status === 'ativa' && (isLeft || isDue);
    });
    // In the order of the shadows: a run that pauses the journey has those behind it stand still.
    const placeOf = (of: (typeof due)[number]) => this.people.findIndex(({ id }) => id === of?.run.contactId);
    for (const each of due.sort((one, other) => placeOf(one) - placeOf(other)))
      if (each) await moveRun(ports, each.run.id, { kind: 'due' });
  }

  /** Whether the interpreter has a run whose time has come. */
  isAnyDue(): boolean {
    const { now, pausedAt, pausedMs } = this.state;
    return pausedAt === undefined && this.runs().some(({ run }) => (dueAt(run, pausedMs, now) ?? Infinity) <= now);
  }

  /** Processes due work in the interpreter. */
  shadowsDue(): void {
    if (this.state.pausedAt === undefined) for (const each of this.runs()) each.take({ kind: 'due' });
  }

  /** A contact enters, or may not, for what happened at a moment. */
  shadowEnters(contact: Contact, runId: Id<'run'>, at: number): void {
    const runs = this.shadows.get(contact.id) ?? [];
    const last = runs.at(-1)?.run;
    if (this.state.pausedAt !== undefined || last?.status === 'ativa' || (last?.endedAt ?? 0) >= at) return;
    const { id: journeyId, rootId, organizationId, env } = this.journey;
    const of = { id: runId, organizationId, env, journeyId, rootId, contactId: contact.id };
    const since = at <= this.state.now - EVENT_PRECISION_MS ? { since: at } : {};
    const entry = { ...of, ...since, ...(last ? { branches: last.branches } : {}) };
    this.shadows.set(contact.id, [...runs, new ShadowRun(entry, this.#graph, contact, this.state, this.done)]);
  }

  /** Each run is as the pure interpreter has it, and each effect was done that it did, and no other. */
  async check(what: string): Promise<void> {
    await checkRuns(this.own, this.runs(), what);
    expectEqual([...this.outside.done.keys()].sort(), [...this.done].sort(), `${what}: effects`);
  }

  /** The counters equal a recount of the runs. */
  async checkCounts(): Promise<void> {
    expectEqual(await this.own.counts(this.journey), recountOf(this.runs()), 'counts');
  }
}
