import type { Id } from '../../shared/domain/core/ids.ts';
import { SENT_STATUSES } from '../../shared/domain/journeys/definition.ts';
import { runIdOf } from '../../shared/domain/journeys/entry.ts';
import { moveRun } from '../../shared/domain/journeys/move-run.ts';
import { signalEvent, signalStatus } from '../../shared/domain/journeys/triggers.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { Crashed } from '../lists/crashes.ts';
import type { Chance } from '../support/chance.ts';
import { EVENTS } from '../support/journeys/arbitrary.ts';
import { Scene } from './scene.ts';
import { messageOf } from './shadow.ts';
import type { Journeys } from './stage.ts';
import type { HappeningName, Tally } from './tally.ts';

/** Writes before which a process may end, mostly the first ones: more than most things take that happen. */
const MAX_WRITES = 9;
const JUMPS = [1_000, 60_000, 600_000, 3_600_000, 36_000_000, 3 * 86_400_000];
/** Happenings of a history, at least and at most. */
const [FEWEST, MOST] = [4, 22];

/** A step of a history, as the engine performs it, and as input of the pure interpreter. */
interface Happening {
  /** Runs that it may begin. */
  readonly runIds?: readonly Id<'run'>[];
  readonly engine: (own: Journeys) => Promise<unknown>;
  readonly shadow: () => unknown;
}

/** Time passes. */
const NOTHING: Happening = { engine: async () => {}, shadow: () => {} };

interface HistoryOptions {
  /** Names its rows: the same name and seed are the same history. */
  readonly name: string;
  readonly tally?: Tally | undefined;
  /** Checks after one happening in so many; all of them are checked at the end. */
  readonly checkAmong?: number;
}

/** A history of a random journey with random contacts, happenings, crashes and repeats, beside the pure interpreter. */
export class History {
  readonly #chance: Chance;
  readonly #options: HistoryOptions;
  readonly #scene: Scene;
  /** Earlier signals: queues redeliver them, in any order. */
  readonly #reported: Happening[] = [];
  #events = 0;

  constructor(table: Table, chance: Chance, options: HistoryOptions) {
    this.#options = options;
    this.#chance = chance;
    this.#scene = new Scene(table, chance, options.name);
  }

  /** Plays it from its beginning to its end. Throws where the two differ. */
  async run(): Promise<void> {
    await this.#scene.begin();
    await this.#play(FEWEST + this.#chance.below(MOST - FEWEST + 1));
    await this.#checkCounts();
  }

  #note(name: HappeningName): void {
    this.#options.tally?.note(name);
  }

  /** Lets something happen: perhaps in a process that ends in its middle, then whole, and perhaps once more. */
  async #happen({ engine, shadow, runIds }: Happening): Promise<void> {
    const whole = async (own: Journeys) => {
      await engine(own);
      await this.#scene.drain(own, runIds);
    };
    for (let crashes = this.#chance.below(3); crashes > 0; crashes--) {
      const made = this.#chance.below(2) === 0;
      await whole(this.#scene.crashing(this.#chance.below(1 + this.#chance.below(MAX_WRITES)), made)).catch(
        (error: unknown) => {
          if (!(error instanceof Crashed)) throw error;
          this.#note(made ? 'crashes after a write' : 'crashes before a write');
        },
      );
    }
    await whole(this.#scene.own);
    if (this.#chance.below(4) === 0) {
      this.#note('repeats');
      await whole(this.#scene.own);
    }
    // Two workers take the same work up at once.
    if (this.#chance.below(4) === 0) {
      this.#note('runs taken up twice at once');
      await Promise.all([this.#scene.drain(this.#scene.own, runIds), this.#scene.drain(this.#scene.own, runIds)]);
    }
    shadow();
    this.#scene.shadowsDue();
  }

  /** Due work is done before the next step, in any order of the contacts. */
  async #takeDue(): Promise<void> {
    const people = this.#chance.shuffled(this.#scene.people);
    if (people[0] !== this.#scene.people[0]) this.#note('runs taken in another order');
    this.#scene.people = people;
    await this.#scene.drain(this.#scene.own);
    this.#scene.shadowsDue();
  }

  /** A contact enters: by one cause, or by one of two simultaneous causes, each reported to a separate process. */
  #enter(): Happening {
    const { journey, state, people } = this.#scene;
    const contact = this.#chance.pick(people);
    const at = state.now;
    const causes = Array.from({ length: this.#chance.below(4) === 0 ? 2 : 1 }, () => ({
      key: `cause ${this.#events++}`,
      at,
    }));
    this.#note(causes.length > 1 ? 'entries for one of two things' : 'entries');
    const runIds = causes.map((cause) => runIdOf(journey.rootId, contact.id, cause));
    let [started] = runIds;
    const engine = async (own: Journeys) => {
      const found = (await own.journeys.find(journey.id)) ?? journey;
      await Promise.all(causes.map((cause) => own.enter(found, [{ contactId: contact.id, cause }])));
      const [entry] = causes.length > 1 ? await own.ports.runs.entries(journey.rootId, [contact.id]) : [];
      started = runIds.find((runId) => runId === entry?.runId) ?? started;
    };
    return { runIds, engine, shadow: () => started && this.#scene.shadowEnters(contact, started, at) };
  }

  #event(): Happening {
    const contact = this.#chance.pick(this.#scene.people);
    const { organizationId, env } = this.#scene.journey;
    this.#note('events');
    const name = this.#chance.pick(EVENTS);
    const id = `e${this.#events++}`;
    const value = this.#chance.below(1_000) / 10;
    const at = this.#scene.state.now;
    const reported = { id, name, value, at };
    const event = {
      ...reported,
      organizationId,
      env,
      contactId: contact.id,
      createdAt: at,
      occurredAt: at,
      eventId: id,
    };
    this.#scene.outside.events.set(id, reported);
    return {
      engine: ({ ports }) => signalEvent(ports, { ...event, attribution: null, claim: id } as never),
      shadow: () => {
        for (const each of this.#scene.shadows.get(contact.id) ?? []) each.take({ kind: 'event', event: reported });
      },
    };
  }

  #receipt(): Happening {
    const sent = [...this.#scene.done].filter((key) => this.#scene.outside.done.get(key)?.kind === 'send');
    if (sent.length === 0) return this.#event();
    this.#note('receipts');
    const key = this.#chance.pick(sent);
    const effect = this.#scene.outside.done.get(key);
    const status = this.#chance.pick(SENT_STATUSES);
    const signal = { step: effect?.step ?? '', messageId: messageOf(key), status };
    const runId = effect?.runId as Id<'run'>;
    return {
      engine: ({ ports }) => signalStatus(ports, { runId, ...signal }),
      shadow: () =>
        this.#scene
          .runs()
          .find(({ run }) => run.id === runId)
          ?.take({ kind: 'signal', signal }),
    };
  }

  #pauseOrResume(): Happening {
    const { id } = this.#scene.journey;
    const wasPaused = this.#scene.state.pausedAt !== undefined;
    this.#note(wasPaused ? 'resumptions' : 'pauses');
    return {
      engine: async (own) => {
        const journey = await own.journeys.find(id);
        if (journey?.status === (wasPaused ? 'pausada' : 'ativa'))
          await own.change(id, wasPaused ? 'ativa' : 'pausada');
        await own.sweep(id);
      },
      shadow: () => {
        const { now, pausedAt } = this.#scene.state;
        if (pausedAt !== undefined && wasPaused) this.#scene.state.pausedMs += now - pausedAt;
        this.#scene.state.pausedAt = wasPaused ? undefined : now;
      },
    };
  }

  #cancel(): Happening {
    const run = this.#chance.pick([undefined, ...this.#scene.runs()]);
    if (run) this.#note('cancels');
    const input = { kind: 'cancel', reason: 'operador' } as const;
    return {
      engine: async ({ ports }) => run && moveRun(ports, run.run.id, input),
      shadow: () => run?.take(input),
    };
  }

  /** An earlier signal, late and out of order. */
  #again(): Happening {
    if (this.#reported.length === 0) return NOTHING;
    this.#note('events reported late and again');
    return this.#chance.pick(this.#reported);
  }

  #next(nth: number): Happening {
    const what = this.#chance.below(20);
    if (what < 13) {
      const reported = what < 5 ? this.#enter() : what < 9 ? this.#event() : this.#receipt();
      this.#reported.push(reported);
      return reported;
    }
    if (what < 15) return this.#again();
    if (what < 17 || nth < 2) return NOTHING;
    return what < 19 ? this.#pauseOrResume() : this.#cancel();
  }

  /** Time passes; now and then credits run out, or come back. */
  async #passTime(): Promise<void> {
    const jumps = this.#chance.below(3) === 0;
    if (jumps) this.#note('jumps of the clock');
    this.#scene.state.now += jumps ? this.#chance.pick(JUMPS) : 1;
    if (this.#chance.below(14) === 0) {
      this.#scene.outage = !this.#scene.outage;
      this.#note(this.#scene.outage ? 'credits that run out' : 'credits that come back');
    }
    if (this.#scene.isAnyDue()) await this.#takeDue();
  }

  async #play(happenings: number): Promise<void> {
    const { checkAmong = 1 } = this.#options;
    for (let nth = 0; nth < happenings; nth++) {
      await this.#passTime();
      await this.#happen(this.#next(nth));
      if (nth + 1 === happenings || nth % checkAmong === 0) await this.#scene.check(`happening ${nth}`);
    }
  }

  /** The counters equal a recount of the runs. */
  async #checkCounts(): Promise<void> {
    await this.#scene.checkCounts();
    const { tally } = this.#options;
    tally?.note('histories');
    tally?.note('contacts', this.#scene.people.length);
    tally?.note('runs', this.#scene.runs().length);
    tally?.note('effects', this.#scene.done.size);
  }
}
