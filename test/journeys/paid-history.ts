import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { derivedId } from '../../shared/domain/core/ids.ts';
import type { JourneyDefinition, WireConfigs, WireStep } from '../../shared/domain/journeys/definition.ts';
import type { Journey } from '../../shared/domain/journeys/journey.ts';
import { moveDueRun, moveRun } from '../../shared/domain/journeys/move-run.ts';
import { signalEvent, signalStatus } from '../../shared/domain/journeys/triggers.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { journeySignals } from '../../shared/storage/journeys/journey-signals.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { Crashed } from '../lists/crashes.ts';
import { recounted, withoutZeros } from '../support/automated.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
import { crashable } from '../support/crashable-table.ts';
import { failUnless } from '../support/fail-unless.ts';
import { overdueOf } from '../support/index-entries.ts';
import { Choices, definitionBy, EVENTS } from '../support/journeys/arbitrary.ts';
import { sendingOutside } from '../support/journeys/sends.ts';
import { checkMoney } from '../support/money.ts';
import { workOn } from '../support/send-model.ts';
import { indexesUpToDate } from '../support/table-engine.ts';
import type { World } from '../support/world.ts';
import { activeJourney, addContacts, type Journeys, journeysOver, type Outside } from './stage.ts';
import type { HappeningName, Tally } from './tally.ts';

/** Numbers that the sandbox delivers to, reports as failed, is silent about, and refuses for want of credit. */
const ENDINGS = ['0001', '0005', '0008', '0013', '0099', '0114'];
const JUMPS = [1, 1_000, 4_000, 60_000, 3_600_000, 36_000_000, 3 * 86_400_000];
/** Work that is due: of runs, and of sends whose queue lost them. */
const DUE_OF_RUNS = ['run_journey', 'journey_signal'] as const;
const DUE_OF_SENDS = ['send_message', 'sandbox_outcome', 'recover_send', 'apply_receipt'] as const;
/** Coins that an organization begins with and is credited: a few messages. */
const COINS = 4_000;
const MAX_TURNS = 40;
/** How often what is due is worked on before the clock moves on: a run's step, its send, and what came of it. */
const PASSES = 4;
/** A provider refused it: nothing was sent, and its key is free for a repeat of the step. */
const isRefused = ({ status, sentAt }: MessageRecord): boolean => status === 'failed' && sentAt === undefined;
/** How a visit ends that something else ends. */
const CUTS: ReadonlySet<string> = new Set(['meta', 'cancelada']);

const SENDS: WireConfigs['enviar'] = { canal: 'sms', texto: 'Oi {{contato.nome|amigo}}' };
/** Steps that do something outside of the run: here all of them send. */
const ACTS: ReadonlySet<string> = new Set(['atributo', 'enviar', 'etiqueta', 'mover_cartao', 'webhook']);

/** A random journey whose first step sends, and every other that does something. */
const definitionOf = (chance: Chance): JourneyDefinition => {
  const numbers = Array.from({ length: 90 }, () => chance.below(1_000_000));
  const { passos, ligacoes, ...rest } = definitionBy(new Choices(numbers), { maxSteps: 8 });
  const sending = (step: WireStep): WireStep =>
    ACTS.has(step.tipo) ? ({ chave: step.chave, tipo: 'enviar', config: SENDS } as WireStep) : step;
  const first = { chave: 'inicio', tipo: 'enviar', config: SENDS } as WireStep;
  const entry = passos.slice(0, 1).map(({ chave }) => ({ de: first.chave, para: chave }));
  return { ...rest, passos: [first, ...passos.map(sending)], ligacoes: [...entry, ...ligacoes] };
};

/** A history of a journey whose sends are those of the service, out of a wallet that runs empty: their queues repeat and reorder, and processes end anywhere. */
class PaidHistory {
  readonly #world: World;
  readonly #chance: Chance;
  readonly #outside: Outside;
  readonly #process: ReturnType<typeof crashable>;
  readonly #queue: WorkItem[] = [];
  #own!: Journeys;
  #actor!: Actor;
  #journey!: Journey;
  #people: Contact[] = [];
  #happened = 0;
  #credited = COINS;

  readonly #name: string;
  readonly #tally: Tally | undefined;

  constructor(world: World, seed: number, tally?: Tally) {
    const chance = chanceOf(seed);
    this.#name = `paid ${seed}`;
    this.#tally = tally;
    this.#world = world;
    this.#chance = chance;
    this.#outside = sendingOutside(world);
    this.#process = crashable(world.table);
  }

  #note(name: HappeningName, by = 1): void {
    this.#tally?.note(name, by);
  }

  async begin(): Promise<void> {
    const { table } = this.#world;
    this.#actor = await this.#world.organization(COINS, false);
    for (const ending of this.#chance.shuffled(ENDINGS).slice(0, 3)) {
      const id = derivedId('contact', [this.#name, ending]);
      const phone = `+551198765${ending}`;
      this.#people.push(...(await addContacts(table, this.#actor, 1, { id, phone, tags: ['vip'] })));
    }
    this.#own = journeysOver(table, () => this.#world.now, this.#outside);
    const id = derivedId('journey', [this.#name]);
    this.#journey = await activeJourney(this.#own, this.#actor, definitionOf(this.#chance), id);
  }

  /** Does what one item of a queue is for; what a process that ended leaves is due. */
  async #workOn(item: WorkItem): Promise<void> {
    const { ports } = this.#own;
    if (item.kind === 'run_journey') return moveDueRun(ports, PARSE_KEY.run(item));
    if (item.kind !== 'journey_signal') return void (await workOn(this.#world, item));
    const signals = journeySignals(this.#world.table);
    const signal = await signals.read(item);
    if (signal?.kind === 'message') {
      this.#note('receipts');
      const { runId, stepId: step, messageId, happening } = signal.signal;
      await signalStatus(ports, { runId, step, messageId, status: happening });
    }
    return signals.done(item);
  }

  /** Takes what is queued and due, in any order and some of it twice. */
  async #work(): Promise<void> {
    await indexesUpToDate();
    const { table, now, workItems } = this.#world;
    const isSwept = this.#chance.below(3) === 0;
    this.#queue.push(...(await overdueOf(table, isSwept ? [...DUE_OF_RUNS, ...DUE_OF_SENDS] : DUE_OF_RUNS, now, 200)));
    const items = [...this.#queue.splice(0), ...workItems.splice(0)].filter(({ kind }) => kind !== 'publish_event');
    const again = items.filter(() => this.#chance.below(5) === 0);
    this.#note('repeats', again.length);
    if (items.length > 1) this.#note('runs taken in another order');
    for (const item of this.#chance.shuffled([...items, ...again])) await this.#workOn(item);
  }

  /** Does something, perhaps in a process that ends in the middle of it. */
  async #perhapsCrashing(work: () => Promise<unknown>): Promise<void> {
    if (this.#chance.below(3) === 0) {
      const made = this.#chance.below(2) === 0;
      this.#process.crashAt(this.#chance.below(9), made);
      await work().catch((error: unknown) => {
        if (!(error instanceof Crashed)) throw error;
        this.#note(made ? 'crashes after a write' : 'crashes before a write');
      });
      this.#process.again();
    }
    await work();
  }

  #enter(): () => Promise<unknown> {
    this.#note('entries');
    const contact = this.#chance.pick(this.#people);
    const cause = { key: `cause ${this.#happened++}`, at: this.#world.now };
    return async () => {
      const journey = await this.#own.journeys.find(this.#journey.id);
      return journey && this.#own.enter(journey, [{ contactId: contact.id, cause }]);
    };
  }

  #event(): () => Promise<unknown> {
    this.#note('events');
    const { id: contactId } = this.#chance.pick(this.#people);
    const { organizationId, env } = this.#actor;
    const name = this.#chance.pick(EVENTS);
    const id = `e${this.#happened++}`;
    this.#outside.events.set(id, { id, name });
    const at = this.#world.now;
    const event = { id, name, organizationId, env, contactId, createdAt: at, occurredAt: at, eventId: id };
    return () => signalEvent(this.#own.ports, { ...event, attribution: null, claim: id } as never);
  }

  /** Pauses or resumes the journey. */
  async #turn(status: 'ativa' | 'pausada'): Promise<void> {
    const journey = await this.#own.journeys.find(this.#journey.id);
    if (journey?.status === 'pausada' && journey.pause?.reason === 'saldo_insuficiente')
      this.#note('credits that run out');
    if (journey?.status !== status) await this.#own.change(this.#journey.id, status);
    await this.#own.sweep(this.#journey.id);
  }

  async #credit(coins: number): Promise<void> {
    const { organizationId, env } = this.#actor;
    const { table, now } = this.#world;
    await creditWallet(table, { organizationId, env, coins, description: 'More', now });
    this.#credited += coins;
  }

  async play(happenings: number): Promise<void> {
    for (let nth = 0; nth < happenings; nth++) {
      this.#note('jumps of the clock');
      this.#world.now += this.#chance.pick(JUMPS);
      const what = this.#chance.below(20);
      if (what === 0) {
        this.#note('credits that come back');
        await this.#credit(COINS);
      } else if (what === 1) {
        this.#note('pauses');
        await this.#turn('pausada');
      } else if (what < 4) {
        this.#note('resumptions');
        await this.#turn('ativa');
      } else await this.#perhapsCrashing(what < 10 ? this.#enter() : what < 14 ? this.#event() : async () => {});
      await this.#perhapsCrashing(() => this.#work());
      if (nth % 6 === 0) await checkMoney(this.#world.table, this.#actor.organizationId, { quiet: false });
    }
  }

  /** Lets time pass, with coins for all, until no message is under way and no run at a step. */
  async settle(): Promise<void> {
    await this.#credit(1_000_000);
    await this.#turn('ativa');
    for (let turn = 0; ; turn++) {
      this.#world.now += 31_000;
      // Runs that go round in a loop whose wait is shorter rest at the same moment only where each pass ends before the clock moves on.
      for (let pass = 0; pass < PASSES; pass++) {
        await this.#work();
        if (await this.#isAtRest()) return;
      }
      failUnless(turn < MAX_TURNS, 'a history does not come to rest');
    }
  }

  /** Whether nothing is under way; moves the clock on to where quiet hours end, and resumes what is paused. */
  async #isAtRest(): Promise<boolean> {
    const journey = await this.#own.journeys.find(this.#journey.id);
    const stored = await this.#runs();
    // A process that ended once a message was accepted left a send to be repeated, which waits where it is quiet by now.
    const quiet = stored.flatMap(({ run }) => (run.wait?.kind === 'quiet' ? [run.wait.until] : []));
    this.#world.now = Math.max(this.#world.now, ...quiet);
    if (journey?.status !== 'ativa' || stored.some(({ isParked }) => isParked)) await this.#turn('ativa');
    else if (
      quiet.length === 0 &&
      stored.every(({ run }) => run.wait?.kind !== 'ready') &&
      this.#world.workItems.length === 0
    ) {
      const { messages } = await checkMoney(this.#world.table, this.#actor.organizationId, { quiet: false });
      return messages.every(({ hold }) => hold !== 'open');
    }
    return false;
  }

  /** Every run that an entry of the journey names or named. */
  async #runs() {
    const ids = await Promise.all(
      ['ativa', 'concluida', 'cancelada', 'erro'].flatMap((status) =>
        Array.from({ length: this.#own.ports.runs.shards }, (_, shard) =>
          this.#own.ports.runs.sweepPage(this.#journey.id, status as 'ativa', shard, undefined, 1_000),
        ),
      ),
    );
    const stored = await this.#own.ports.runs.read(ids.flatMap((page) => page.ids));
    return stored.filter((run) => run !== undefined);
  }

  /**
   * The messages in the histories of the runs: the visit of each, and visits of a send that ended by a goal or a cancel, whose message may
   * have been accepted before the run was notified.
   */
  async #reported() {
    const reported = new Map<string, string>();
    const cutOff = new Map<string, number>();
    for (const stored of await this.#runs())
      for (const { step, kind, result, messageId } of await this.#own.ports.runs.historyOf(stored)) {
        const place = `${stored.run.id} ${step}`;
        failUnless(messageId === undefined || !reported.has(messageId), 'two visits tell of one message');
        const cut = cutOff.get(place) ?? 0;
        if (messageId === undefined) cutOff.set(place, kind === 'enviar' && CUTS.has(result) ? cut + 1 : cut);
        else {
          reported.set(messageId, place);
          // It left beside the cut, and is noted behind it.
          cutOff.set(place, Math.max(0, cut - 1));
        }
      }
    return { reported, cutOff };
  }

  /** Each message is of one visit, each visit has one at most, and each is paid for once; the counts are a recount. Answers how many there are. */
  async check(): Promise<number> {
    const { balance, messages } = await checkMoney(this.#world.table, this.#actor.organizationId);
    const { reported, cutOff } = await this.#reported();
    const sent = new Set(messages.filter(({ id }) => reported.has(id)).map(({ callerKey }) => callerKey));
    const ofSteps = new Map<string, MessageRecord[]>();
    let spent = 0;
    for (const message of messages) {
      const { runId, stepId = '' } = message.journey ?? {};
      const place = `${runId} ${stepId}`;
      if (reported.has(message.id))
        failUnless(reported.get(message.id) === place, 'a message is of another step than tells of it');
      else if (!isRefused(message) || !sent.has(message.callerKey)) {
        const left = (cutOff.get(place) ?? 0) - 1;
        failUnless(left >= 0, `no visit tells of a message of ${place}`);
        cutOff.set(place, left);
      }
      reported.delete(message.id);
      ofSteps.set(stepId, [...(ofSteps.get(stepId) ?? []), message]);
      if (message.hold === 'captured') spent += (message.capturedCoins ?? message.coins) - (message.refunded ?? 0);
    }
    failUnless(reported.size === 0, 'a visit tells of a message that is not there');
    const gone = this.#credited - balance;
    failUnless(gone === spent, `${gone} coins are gone, and messages cost ${spent}`);
    await this.#checkCounts(ofSteps);
    return messages.length;
  }

  async #checkCounts(ofSteps: ReadonlyMap<string, readonly MessageRecord[]>): Promise<void> {
    const counts = await this.#own.counts(this.#journey);
    const sorted = (numbers: Readonly<Record<string, number>>) => JSON.stringify(Object.entries(numbers).sort());
    for (const [step, own] of ofSteps) {
      const { entraram: _, sairam: __, puladas: ___, ...counted } = counts[step] ?? {};
      const [is, was] = [sorted(withoutZeros(counted)), sorted(recounted(own))];
      failUnless(is === was, `${step} counts ${is}, not ${was}`);
    }
  }

  /** Ends the runs, so that no other history of the same table meets them. */
  async end(): Promise<void> {
    for (const { run } of await this.#runs())
      await moveRun(this.#own.ports, run.id, { kind: 'cancel', reason: 'operador' });
  }
}

/** Happenings of a paid history, before it comes to rest. */
const HAPPENINGS = 24;

/** Plays the paid history of a seed in a world; answers how many messages it paid for. Ends its runs, so that no other history of the world meets them. */
export const playPaid = async (world: World, seed: number, tally?: Tally): Promise<number> => {
  const history = new PaidHistory(world, seed, tally);
  await history.begin();
  await history.play(HAPPENINGS);
  await history.settle();
  const messages = await history.check();
  await history.end();
  tally?.note('histories');
  return messages;
};
