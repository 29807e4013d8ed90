import { randomBase62 } from '../../../shared/domain/core/ids.ts';
import { type Clock, systemClock } from '../../../shared/domain/core/time.ts';
import { KEEP_BIND_MS } from '../../../shared/domain/smpp/bind.ts';
import {
  CARRIER_PATHS,
  type CarrierResult,
  type CarrierSettings,
  type CarrierSubmit,
  carrierResult,
  signCarrierBody,
} from '../../../shared/domain/smpp/carrier.ts';
import type { Stage } from '../stages.ts';
import { InboundIds } from './deliveries.ts';
import { CarrierLink, type LinkOptions } from './link.ts';
import { Outcomes } from './outcomes.ts';

/** The parts of its stage and its process that the service needs. */
export interface CarrierServiceOptions {
  readonly stage: Stage;
  /** Calls a function of `functions/smpp-service`. */
  readonly invoke: (stage: Stage, name: string, event: unknown) => Promise<unknown>;
  readonly onFault: (where: string, error: unknown) => void;
  /** The events of binds. */
  readonly onNews: (line: Readonly<Record<string, unknown>>) => void;
  /** How often the carrier's settings are read, and a free bind is taken, in ms. */
  readonly everyMs?: number;
  readonly retry?: LinkOptions['retry'];
  readonly clock?: Clock;
}

interface SetUp {
  readonly settings: CarrierSettings;
  readonly callbackUrl: string;
}
interface TakenSlot {
  readonly slot: number;
  readonly bindId: string;
}

/** Settings take effect within that, as with any provider. */
const EVERY_MS = 5_000;
/** Added to the time that a message may wait for a slot, so that a message without one times out on its own first. */
const GRACE_MS = 50;
const FORWARD_MS = 12_000;
const HOLDERS_MS = 2_000;
/** Timeout of another process's health check, in ms; a crashed one keeps its binds until their lease expires. */
const HEALTH_MS = 1_000;

/**
 * Holds binds to the configured carrier, up to the limit over all processes, and submits messages over them. A process without binds
 * forwards messages to one that has some.
 */
export class CarrierService {
  readonly #options: CarrierServiceOptions;
  readonly #links = new Map<CarrierLink, TakenSlot>();
  readonly #clock: Clock;
  readonly #outcomes: Outcomes;
  readonly #ids: InboundIds;
  #url = '';
  #setUp: SetUp | undefined;
  #turn = 0;
  #work: Promise<void> = Promise.resolve();
  #timers: NodeJS.Timeout[] = [];
  #holders: { readonly at: number; readonly urls: Promise<readonly string[]> } = { at: 0, urls: Promise.resolve([]) };
  #stopped = false;

  constructor(options: CarrierServiceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#outcomes = new Outcomes(this.#clock);
    this.#ids = new InboundIds(this.#clock);
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** The key that calls are proved with; undefined where no carrier is set up. */
  get key(): string | undefined {
    return this.#setUp?.settings.serviceKey;
  }

  /** Binds that this process holds, open or about to be. */
  get binds(): number {
    return this.#links.size;
  }

  /** Of these, the ones that are open. */
  get openBinds(): number {
    return [...this.#links.keys()].filter(({ submitter }) => submitter.bind.isBound).length;
  }

  /** Begins; `url` is where the other processes reach this one. */
  async start(url: string): Promise<void> {
    this.#url = url;
    const every = (ms: number, work: () => Promise<void>) => {
      const timer = setInterval(() => void this.#inTurn(work), ms);
      timer.unref();
      this.#timers.push(timer);
    };
    every(this.#options.everyMs ?? EVERY_MS, () => this.#refresh());
    every(KEEP_BIND_MS, () => this.#keep());
    await this.#inTurn(() => this.#refresh());
  }

  /** Submits a message; `forwarded` by another process, so that it is not passed on. */
  async submit(message: CarrierSubmit, forwarded: boolean): Promise<CarrierResult> {
    const link = this.#leastBusy();
    if (!link) return forwarded ? { kind: 'unbound' } : this.#forward('submit', message);
    const result = this.#outcomes.once(message.messageId, () => link.submit(message));
    const late = Promise.withResolvers<CarrierResult>();
    const timer = setTimeout(() => late.resolve({ kind: 'unknown', why: 'timeout' }), message.waitMs + GRACE_MS);
    return Promise.race([result, late.promise]).finally(() => clearTimeout(timer));
  }

  /** The result of a message, as far as it is known. */
  async status(messageId: string, forwarded: boolean): Promise<CarrierResult> {
    const known = this.#outcomes.find(messageId);
    if (known || forwarded) return known ?? { kind: 'unknown', why: 'not_known' };
    return this.#forward('status', { messageId });
  }

  /** Unbinds, and frees its binds for the other processes. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#inTurn(() => this.#endAll());
  }

  /** One change of the binds after another. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error) => this.#options.onFault('carrier', error));
    return this.#work;
  }

  #ask(event: object): Promise<unknown> {
    return this.#options.invoke(this.#options.stage, 'carrier', event);
  }

  #leastBusy(): CarrierLink | undefined {
    const links = [...this.#links.keys()];
    const open = links.filter(({ submitter }) => submitter.bind.isBound);
    return (open.length > 0 ? open : links).sort((one, other) => one.submitter.pending - other.submitter.pending)[0];
  }

  async #refresh(): Promise<void> {
    const found = (await this.#ask({ kind: 'set_up' })) as SetUp | undefined;
    if (JSON.stringify(found) !== JSON.stringify(this.#setUp)) {
      await this.#endAll();
      this.#setUp = found;
    }
    // Processes with binds wait longer before taking another, so that binds are spread over the processes.
    this.#turn += 1;
    if (!found || this.#stopped || this.#turn % (this.#links.size + 1) !== 0) return;
    if (this.#links.size >= found.settings.binds) return;
    const bindId = randomBase62(16);
    const taken = await this.#ask({ kind: 'take', binds: found.settings.binds, bindId, at: this.#url });
    if (taken) this.#open(found, taken as TakenSlot);
  }

  #open({ settings, callbackUrl }: SetUp, slot: TakenSlot): void {
    const { onFault, onNews, retry } = this.#options;
    const link = new CarrierLink({
      settings,
      serviceKey: settings.serviceKey,
      callbackUrl,
      ids: this.#ids,
      now: this.#clock,
      onFault: (what) => onFault('carrier', new Error(what)),
      news: (command, news) => onNews({ message: 'carrier bind', command, slot: slot.slot, ...newsLine(news) }),
      ...(retry ? { retry } : {}),
    });
    this.#links.set(link, slot);
  }

  async #keep(): Promise<void> {
    for (const [link, slot] of this.#links)
      if (!(await this.#ask({ kind: 'keep', slot }))) {
        this.#links.delete(link);
        await link.stop();
      }
  }

  async #endAll(): Promise<void> {
    const links = [...this.#links];
    this.#links.clear();
    await Promise.all(
      links.map(async ([link, slot]) => {
        await link.stop();
        await this.#ask({ kind: 'free', slot });
      }),
    );
  }

  #otherHolders(): Promise<readonly string[]> {
    if (this.#clock() - this.#holders.at > HOLDERS_MS) this.#holders = { at: this.#clock(), urls: this.#findHolders() };
    return this.#holders.urls;
  }

  /** The other processes that have binds and answer. */
  async #findHolders(): Promise<readonly string[]> {
    try {
      const urls = ((await this.#ask({ kind: 'holders' })) as string[]).filter((url) => url !== this.#url);
      const alive = await Promise.all(urls.map(isAlive));
      return urls.filter((_, at) => alive[at]);
    } catch (error) {
      this.#options.onFault('carrier/holders', error);
      return [];
    }
  }

  /** Forwards a call to the processes that hold binds: a message to one of them, a query to all until one has the result. */
  async #forward(
    purpose: 'status' | 'submit',
    content: CarrierSubmit | { readonly messageId: string },
  ): Promise<CarrierResult> {
    const urls = [...(await this.#otherHolders())].sort(() => Math.random() - 0.5);
    for (const url of purpose === 'submit' ? urls.slice(0, 1) : urls) {
      const result = await this.#post(url, purpose, JSON.stringify(content));
      if (purpose === 'submit' || result.kind !== 'unknown') return result;
    }
    return purpose === 'submit' ? { kind: 'unbound' } : { kind: 'unknown', why: 'not_known' };
  }

  async #post(url: string, purpose: 'status' | 'submit', body: string): Promise<CarrierResult> {
    const headers = { ...signCarrierBody(this.key ?? '', purpose, body, this.#clock()), 'x-smpp-forwarded': '1' };
    const signal = AbortSignal.timeout(FORWARD_MS);
    try {
      const response = await fetch(`${url}${CARRIER_PATHS[purpose]}`, { method: 'POST', headers, body, signal });
      if (response.ok) return carrierResult.parse(await response.json());
      return response.status < 500 || response.status === 503
        ? { kind: 'unbound' }
        : { kind: 'unknown', why: 'forwarded' };
    } catch (error) {
      this.#options.onFault('carrier/forward', error);
      const refused = (error as { cause?: { code?: unknown } }).cause?.code === 'ECONNREFUSED';
      return refused ? { kind: 'unbound' } : { kind: 'unknown', why: 'forwarded' };
    }
  }
}

const isAlive = (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

const newsLine = (news: Parameters<LinkOptions['news']>[1]): Readonly<Record<string, unknown>> =>
  news.kind === 'unreachable'
    ? { news: news.kind, reason: news.error instanceof Error ? news.error.message : String(news.error) }
    : {
        news: news.kind,
        ...('status' in news ? { status: news.status } : {}),
        ...('reason' in news ? { reason: news.reason } : {}),
      };
