import { type DecodeFault, decodePdu, encodePdu, pduOf } from './codec.ts';
import { createFramer } from './framing.ts';
import { Outgoing, type Reply } from './outgoing.ts';
import {
  type BindCommand,
  type Body,
  bodyOf,
  type Command,
  isResponseId,
  PDUS,
  type Pdu,
  type Request,
} from './pdus.ts';
import {
  type Answer,
  type BindAnswer,
  type BindPdu,
  type CloseReason,
  type MessagePdu,
  type MessageRequest,
  SESSION_LIMITS,
  type SessionLimits,
  type SessionOptions,
  type SessionState,
} from './session-types.ts';
import { STATUSES, type StatusName } from './statuses.ts';
import { systemTimers, type Timers } from './timers.ts';
import { type Tlv, tlv } from './tlvs.ts';

const BOUND_AS: Record<BindCommand, SessionState> = {
  bind_transmitter: 'transmitter',
  bind_receiver: 'receiver',
  bind_transceiver: 'transceiver',
};
const SENDS: readonly SessionState[] = ['transmitter', 'transceiver'];
const RECEIVES: readonly SessionState[] = ['receiver', 'transceiver'];
/** The states in which each side accepts a request (SMPP 3.4, 2.3): others are refused with ESME_RINVBNDSTS, absent ones are unknown. */
const TAKES: Record<'server' | 'client', Partial<Record<MessageRequest, readonly SessionState[]>>> = {
  server: { submit_sm: SENDS, data_sm: SENDS, query_sm: SENDS, cancel_sm: SENDS },
  client: { deliver_sm: RECEIVES, data_sm: RECEIVES },
};
const VERSION_34 = 0x34;

/** The response to a request. Throws a RangeError for a value that does not fit. */
const responseBytes = (
  { command, sequence }: { readonly command: Command; readonly sequence: number },
  { status = 'ESME_ROK', body = {}, tlvs = [] }: Answer,
): Buffer => {
  const response = `${command as Request}_resp` as const;
  return encodePdu({
    command: response,
    sequence,
    status: STATUSES[status],
    body: { ...bodyOf(response), ...body },
    tlvs,
  } as Pdu);
};
const isBind = (pdu: Pdu): pdu is BindPdu => pdu.command in BOUND_AS;

/**
 * One SMPP 3.4 connection, on either side. Answers enquire_link and unbind itself, keeps the states, windows and timers, and holds a
 * bounded amount of memory: it stops reading from a peer that does not read its responses.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #timers: Timers;
  readonly #limits: SessionLimits;
  readonly #outgoing: Outgoing;
  readonly #framer = createFramer();
  readonly #cancels = new Map<string, () => void>();
  #state: SessionState = 'open';
  #window: number;
  #inFlight = 0;
  #binding = false;
  #writable = true;
  /** The responses to the PDUs of a chunk: one write, since thousands of small writes would hold many times their bytes. */
  #gathered: Buffer[] | undefined;
  #heardAt: number;
  #release: (() => void) | undefined;
  #whenQuiet: (() => void) | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#limits = { ...SESSION_LIMITS, ...options.limits };
    this.#window = this.#limits.window;
    this.#heardAt = this.#timers.now();
    const { sendWindow: window, sendQueue: queue, responseMs } = this.#limits;
    const write = (bytes: Buffer) => this.#write(bytes);
    const isWritable = () => this.#writable;
    this.#outgoing = new Outgoing({ window, queue, responseMs, timers: this.#timers, write, isWritable });
    this.#listen();
    this.#arm('bind', this.#limits.bindMs, () => this.#end('not_bound'));
    this.#watch();
  }

  /** Sets the window of the peer's requests. */
  set window(requests: number) {
    this.#window = requests;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Whether the peer accepts deliveries. */
  get isReceiver(): boolean {
    return RECEIVES.includes(this.#state);
  }

  /** Whether a request would be written immediately: the peer reads, and the window has room. */
  get hasRoom(): boolean {
    return this.#outgoing.hasRoom;
  }

  /** Sends a request; the caller checks that the bind allows it. Rejects with a RangeError for a value that does not fit. */
  async request<C extends Request>(command: C, body: Partial<Body<C>> = {}, tlvs: readonly Tlv[] = []): Promise<Reply> {
    const bytes = encodePdu(pduOf(command, 0, body, { tlvs }) as Pdu);
    return this.#state === 'unbinding' ? { kind: 'closed' } : this.#outgoing.send(bytes);
  }

  /** Binds, on the side that binds. PDUs after the response in the same chunk belong to the bound session. */
  async bind(command: BindCommand, body: Partial<Body<BindCommand>>): Promise<Reply> {
    const bytes = encodePdu(pduOf(command, 0, body) as Pdu);
    return this.#outgoing.send(bytes, (reply) => {
      if (reply.kind === 'response' && reply.pdu.status === 0 && this.#state === 'open') this.#bound(BOUND_AS[command]);
    });
  }

  /** Ends the session: answers requests in progress, sends unbind and waits for its response, each for a bounded time. */
  async unbind(): Promise<void> {
    if (this.#state === 'closed' || this.#state === 'unbinding') return;
    const wasBound = this.#state !== 'open';
    this.#state = 'unbinding';
    if (wasBound) {
      await this.#quiet();
      await Promise.race([this.#outgoing.send(encodePdu(pduOf('unbind', 0))), this.#pause('unbind')]);
    }
    this.#end('stopped');
  }

  #listen(): void {
    const { stream } = this.#options;
    stream.on('data', (chunk) => this.#read(chunk));
    stream.on('drain', () => {
      this.#writable = true;
      if (this.#state === 'closed') return;
      stream.resume();
      this.#outgoing.flush();
    });
    for (const event of ['end', 'close'] as const) stream.on(event, () => this.#disconnected());
    stream.on('error', () => this.#disconnected());
  }

  #read(chunk: Buffer): void {
    if (this.#state === 'closed') return;
    this.#gathered = [];
    const { frames, broken } = this.#framer.push(chunk);
    for (const frame of frames) if (!this.#isClosed()) this.#take(frame);
    if (broken !== undefined && !this.#isClosed()) {
      this.#nack(0, 'ESME_RINVCMDLEN');
      this.#end('broken');
    }
    this.#writeGathered();
  }

  #take(frame: Buffer): void {
    this.#heardAt = this.#timers.now();
    const decoded = decodePdu(frame);
    if (decoded.ok) this.#dispatch(decoded.pdu);
    else this.#refuse(decoded.fault);
  }

  #dispatch(pdu: Pdu): void {
    if (isResponseId(PDUS[pdu.command].id)) this.#outgoing.settle(pdu.sequence, { kind: 'response', pdu });
    else if (pdu.command === 'enquire_link') this.#answer(pdu, {});
    else if (pdu.command === 'unbind') void this.#unbound(pdu);
    else if (isBind(pdu)) void this.#bindBy(pdu);
    else void this.#serve(pdu as MessagePdu);
  }

  #refuse({ status, commandId, command, sequence }: DecodeFault): void {
    if (isResponseId(commandId)) this.#outgoing.settle(sequence, { kind: 'unreadable' });
    else if (command) this.#write(responseBytes({ command, sequence }, { status }));
    else this.#nack(sequence, status);
  }

  async #serve(pdu: MessagePdu): Promise<void> {
    const states = TAKES[this.#options.side][pdu.command];
    if (!states) return this.#nack(pdu.sequence, 'ESME_RINVCMDID');
    if (!states.includes(this.#state)) return this.#answer(pdu, { status: 'ESME_RINVBNDSTS' });
    if (this.#inFlight >= this.#window) return this.#answer(pdu, { status: 'ESME_RTHROTTLED' });
    this.#inFlight++;
    const { request } = this.#options.handlers;
    const bytes = await this.#handled(async () => responseBytes(pdu, await request(pdu)));
    this.#inFlight--;
    this.#write(bytes ?? responseBytes(pdu, { status: 'ESME_RSYSERR' }));
    if (this.#inFlight === 0) this.#whenQuiet?.();
  }

  async #bindBy(pdu: BindPdu): Promise<void> {
    const { bind } = this.#options.handlers;
    if (!bind) return this.#nack(pdu.sequence, 'ESME_RINVCMDID');
    if (this.#state !== 'open' || this.#binding) return this.#answer(pdu, { status: 'ESME_RALYBND' });
    this.#binding = true;
    const answer: BindAnswer = (await this.#handled(() => bind(pdu))) ?? { status: 'ESME_RSYSERR', systemId: '' };
    this.#binding = false;
    if (this.#state !== 'open') return answer.release?.();
    const { status, systemId, window, release } = answer;
    if (status === 'ESME_ROK') {
      this.#release = release;
      this.#window = window ?? this.#window;
      this.#bound(BOUND_AS[pdu.command]);
    } else release?.();
    const knowsTlvs = status === 'ESME_ROK' && pdu.body.interfaceVersion >= VERSION_34;
    const tlvs = knowsTlvs ? [tlv('sc_interface_version', VERSION_34)] : [];
    this.#answer(pdu, { status, body: status === 'ESME_ROK' ? { systemId } : {}, tlvs });
  }

  #bound(state: SessionState): void {
    this.#state = state;
    this.#cancels.get('bind')?.();
  }

  async #unbound(pdu: Pdu): Promise<void> {
    if (this.#state === 'unbinding') return this.#answer(pdu, {});
    this.#state = 'unbinding';
    if (this.#inFlight > 0) await this.#quiet();
    this.#answer(pdu, {});
    this.#end('unbound');
  }

  async #handled<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#options.handlers.failed?.(error);
      return undefined;
    }
  }

  /** Resolves once all requests of the peer are answered, or after the unbind timeout. */
  #quiet(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return Promise.race([new Promise<void>((resolve) => (this.#whenQuiet = resolve)), this.#pause('quiet')]);
  }

  #pause(name: string): Promise<void> {
    return new Promise((resolve) => this.#arm(name, this.#limits.unbindMs, resolve));
  }

  #answer(pdu: Pdu, answer: Answer): void {
    this.#write(responseBytes(pdu, answer));
  }

  #nack(sequence: number, status: StatusName): void {
    this.#write(encodePdu(pduOf('generic_nack', sequence, {}, { status })));
  }

  #write(bytes: Buffer): void {
    if (this.#state === 'closed') return;
    if (this.#gathered) this.#gathered.push(bytes);
    else this.#send(bytes);
  }

  #writeGathered(): void {
    const gathered = this.#gathered ?? [];
    this.#gathered = undefined;
    if (gathered.length > 0 && this.#state !== 'closed') this.#send(Buffer.concat(gathered));
  }

  #send(bytes: Buffer): void {
    if (this.#options.stream.write(bytes)) return;
    this.#writable = false;
    this.#options.stream.pause();
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Sends an enquire_link to a silent peer, and closes if it stays silent. A PDU ends the silence, a byte does not. */
  #watch(): void {
    const { enquireMs, idleMs } = this.#limits;
    const silent = this.#timers.now() - this.#heardAt;
    if (silent >= idleMs) {
      this.#end('silent');
      return;
    }
    if (silent >= enquireMs && this.#state !== 'open')
      this.#write(encodePdu(pduOf('enquire_link', this.#outgoing.nextSequence())));
    const next = silent >= enquireMs ? Math.min(enquireMs, idleMs - silent) : enquireMs - silent;
    this.#arm('watch', next, () => this.#watch());
  }

  #arm(name: string, ms: number, work: () => void): void {
    this.#cancels.get(name)?.();
    this.#cancels.set(name, this.#timers.after(ms, work));
  }

  #disconnected(): void {
    if (this.#state === 'closed') return;
    this.#close('disconnected');
    this.#options.stream.destroy();
  }

  /** Closes after pending writes; cuts off a peer that does not close as well. */
  #end(reason: CloseReason): void {
    if (this.#state === 'closed') return;
    this.#writeGathered();
    this.#close(reason);
    const { stream } = this.#options;
    stream.end();
    stream.resume();
    const cut = this.#timers.after(this.#limits.unbindMs, () => stream.destroy());
    stream.on('close', cut);
  }

  #close(reason: CloseReason): void {
    this.#state = 'closed';
    for (const cancel of this.#cancels.values()) cancel();
    this.#outgoing.close();
    this.#whenQuiet?.();
    this.#release?.();
    this.#options.handlers.closed?.(reason);
  }
}
