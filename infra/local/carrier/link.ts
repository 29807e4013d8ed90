import type { CarrierResult, CarrierSettings, CarrierSubmit } from '../../../shared/domain/smpp/carrier.ts';
import { type BindNews, KeptBind } from '../../../shared/smpp/kept-bind.ts';
import type { BindCommand } from '../../../shared/smpp/pdus.ts';
import type { SessionLimits } from '../../../shared/smpp/session-types.ts';
import { splitText } from '../../../shared/smpp/split.ts';
import { Submitter } from '../../../shared/smpp/submitter.ts';
import { systemTimers } from '../../../shared/smpp/timers.ts';
import { addressesOf } from './addresses.ts';
import { connectToCarrier } from './connect.ts';
import { answerDelivery, type DeliveryOptions } from './deliveries.ts';

const VERSION_34 = 0x34;
/** Between attempts to bind, in ms. */
const RETRY = { firstMs: 1_000, maxMs: 60_000 };

export interface LinkOptions extends DeliveryOptions {
  readonly settings: CarrierSettings;
  readonly news: (command: BindCommand, news: BindNews) => void;
  readonly retry?: { readonly firstMs: number; readonly maxMs: number };
}

/** One of the binds to a carrier: a transceiver, or a transmitter and a receiver. */
export class CarrierLink {
  readonly submitter: Submitter;
  readonly #settings: CarrierSettings;
  readonly #binds: readonly KeptBind[];
  #reference = Math.floor(Math.random() * 256);

  constructor(options: LinkOptions) {
    const { settings } = options;
    this.#settings = settings;
    const commands: BindCommand[] =
      settings.bindType === 'transceiver' ? ['bind_transceiver'] : ['bind_transmitter', 'bind_receiver'];
    this.#binds = commands.map((command) => keptBind(options, command));
    this.submitter = new Submitter({
      bind: this.#binds[0] as KeptBind,
      timers: systemTimers,
      window: settings.window,
      perSecond: settings.throughput,
      throttledMs: settings.throttledSeconds * 1_000,
    });
  }

  /** Submits a message; waits for its response as long as a session does, regardless of `waitMs`, which limits the wait for a slot. */
  async submit({ to, from, text, waitMs }: CarrierSubmit): Promise<CarrierResult> {
    this.#reference = (this.#reference + 1) % 256;
    const parts = splitText(text, this.#settings.longText, this.#reference);
    if (!parts) return { kind: 'unsendable' };
    try {
      return await this.submitter.submit(addressesOf(this.#settings, to, from), parts, waitMs);
    } catch (error) {
      // A sender that no octet string holds: the first part was not written.
      if (error instanceof RangeError) return { kind: 'unsendable' };
      throw error;
    }
  }

  /** Unbinds. */
  async stop(): Promise<void> {
    await Promise.all(this.#binds.map((bind) => bind.stop()));
  }
}

const keptBind = (options: LinkOptions, command: BindCommand): KeptBind => {
  const { settings, news, ids, retry = RETRY } = options;
  const { systemId, password, systemType, addressRange, enquireSeconds, window } = settings;
  const enquireMs = enquireSeconds * 1_000;
  const limits: Partial<SessionLimits> = { enquireMs, idleMs: 3 * enquireMs, sendWindow: window };
  return new KeptBind({
    connect: () => connectToCarrier(settings),
    command,
    body: { systemId, password, systemType, addressRange, interfaceVersion: VERSION_34 },
    timers: systemTimers,
    limits,
    retry,
    random: Math.random,
    deliver: (pdu) => answerDelivery(options, pdu),
    news: (one) => {
      if (one.kind === 'ended') ids.doubt();
      news(command, one);
    },
  });
};
