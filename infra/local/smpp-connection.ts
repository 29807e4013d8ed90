import type { Socket } from 'node:net';
import { randomBase62 } from '../../shared/domain/core/ids.ts';
import type { BoundAccount } from '../../shared/domain/smpp/account.ts';
import { type BindRefusal, type BindSlot, KEEP_BIND_MS } from '../../shared/domain/smpp/bind.ts';
import type { MessageState } from '../../shared/domain/smpp/look-up.ts';
import type { PartOutcome } from '../../shared/domain/smpp/parts.ts';
import { charactersOf } from '../../shared/smpp/data-coding.ts';
import { readMessage, type SubmittedMessage } from '../../shared/smpp/message.ts';
import type { PduOf } from '../../shared/smpp/pdus.ts';
import { Session } from '../../shared/smpp/session.ts';
import type { Answer, BindAnswer, BindPdu, MessagePdu } from '../../shared/smpp/session-types.ts';
import { writeTime } from '../../shared/smpp/time.ts';
import { tlv } from '../../shared/smpp/tlvs.ts';
import type { SmppDeliverer } from './smpp-deliverer.ts';
import type { SmppStages } from './smpp-stages.ts';
import type { Stage } from './stages.ts';

/** The system_id of the service. */
const SYSTEM_ID = 'messaging';
const VERSION_50 = 0x50;
/** Short: a container that is being stopped has little time. */
const UNBIND_MS = 2_000;
const MAX_REASON = 255;
/** A reason as an optional parameter: a provider's text may contain any characters. */
const reasonOf = (detail: string): string => detail.replaceAll(/[^\x20-\xff]/g, '?').slice(0, MAX_REASON);

/** A system_id starts with its stage; an unknown one is looked up in test, so that the attempt counts. */
const stageOf = (systemId: string): Stage => (systemId.startsWith('live_') ? 'live' : 'test');
/** An IPv4 address mapped to IPv6 is that address. */
const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');

type Bound =
  | { readonly kind: 'bound'; readonly account: BoundAccount; readonly slot: BindSlot }
  | { readonly kind: 'refused'; readonly status: BindRefusal };

/** The event for sending a message, or a part of one, with its bytes as text. */
const submitEvent = (account: BoundAccount, message: SubmittedMessage) => {
  const { receipt: wants, intermediate, ...said } = message;
  const receipt = { wants, intermediate };
  if (said.part === undefined) return { account, message: { ...said, receipts: [receipt] } };
  const { part, encoded, ...options } = said;
  const { coding, bytes } = encoded;
  const content = { coding, bytes: Buffer.from(bytes).toString('base64') };
  const characters = charactersOf(bytes, coding);
  return { account, part: { ...options, ...part, form: String(part.form), content, characters, receipt } };
};

/** A held bind. */
interface Held {
  readonly stage: Stage;
  readonly version: number;
  account: BoundAccount;
}

/** Serves one connection until it ends; `freed` settles once its bind no longer counts. */
export class SmppConnection {
  readonly session: Session;
  readonly #stages: SmppStages;
  readonly #deliverer: SmppDeliverer;
  readonly #address: string;
  readonly #onRefused: () => void;
  #held: Held | undefined;
  #freed: Promise<unknown> = Promise.resolve();

  constructor(socket: Socket, stages: SmppStages, deliverer: SmppDeliverer, onRefused: () => void = () => {}) {
    this.#stages = stages;
    this.#deliverer = deliverer;
    this.#onRefused = onRefused;
    this.#address = addressOf(socket);
    socket.setNoDelay(true);
    this.session = new Session({
      side: 'server',
      stream: socket,
      limits: { unbindMs: UNBIND_MS },
      handlers: {
        bind: (pdu) => this.#bind(pdu),
        request: (pdu) => this.#serve(pdu),
        failed: (error) => stages.onFault('smpp', error),
      },
    });
  }

  /** Whether an account is bound over it. */
  get isBound(): boolean {
    return this.#held !== undefined;
  }

  get freed(): Promise<unknown> {
    return this.#freed;
  }

  async #bind({ command, body }: BindPdu): Promise<BindAnswer> {
    const { systemId, password, interfaceVersion: version } = body;
    const stage = stageOf(systemId);
    const event = { systemId, password, address: this.#address, bindId: randomBase62(16) };
    const bound = (await this.#stages.invoke(stage, 'bind', event)) as Bound;
    if (bound.kind === 'refused') {
      this.#onRefused();
      return { status: bound.status, systemId: '' };
    }
    const { account, slot } = bound;
    const held: Held = { stage, version, account };
    this.#held = held;
    const stop = this.#keep(held, slot);
    const silence = command === 'bind_transmitter' ? undefined : this.#deliver(held);
    const release = () => {
      stop();
      silence?.();
      this.#freed = this.#stages.invoke(stage, 'free', slot).catch((error) => this.#stages.onFault('smpp/free', error));
    };
    return { status: 'ESME_ROK', systemId: SYSTEM_ID, window: account.window, release };
  }

  /** Renews a bind while its account allows it; a stage that does not answer is retried before the lease expires. */
  #keep(held: Held, slot: BindSlot): () => void {
    const { organizationId } = held.account;
    const keep = async () => {
      const account = await this.#stages.invoke(held.stage, 'keep', { organizationId, slot, address: this.#address });
      if (account === undefined) return this.session.unbind();
      held.account = account as BoundAccount;
      this.session.window = held.account.window;
    };
    const timer = setInterval(
      () => void keep().catch((error) => this.#stages.onFault('smpp/keep', error)),
      KEEP_BIND_MS,
    );
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Starts deliveries to the account over this bind. */
  #deliver(held: Held): () => void {
    const { stage, version } = held;
    return this.#deliverer.add(stage, { session: this.session, version, account: () => held.account });
  }

  async #serve(pdu: MessagePdu): Promise<Answer> {
    const held = this.#held;
    if (!held) return { status: 'ESME_RINVBNDSTS' };
    switch (pdu.command) {
      case 'submit_sm':
      case 'data_sm':
        return this.#submit(held, pdu);
      case 'query_sm':
        return this.#query(held, pdu.body.messageId);
      case 'cancel_sm':
        return this.#cancel(held, pdu.body.messageId);
      case 'deliver_sm':
        return { status: 'ESME_RINVCMDID' };
    }
  }

  async #submit({ stage, version, account }: Held, pdu: PduOf<'data_sm'> | PduOf<'submit_sm'>): Promise<Answer> {
    const message = readMessage(pdu, Date.now());
    if ('refused' in message) return { status: message.refused };
    this.#deliverer.touch(stage, account.id);
    const outcome = (await this.#stages.invoke(stage, 'submit', submitEvent(account, message))) as PartOutcome;
    if (outcome.kind === 'sent') return { body: { messageId: outcome.messageId } };
    const { status, detail } = outcome;
    // Clients of 3.4 fail on it in a submit_sm_resp.
    const sendsReason = pdu.command === 'data_sm' || version >= VERSION_50;
    return { status, tlvs: sendsReason ? [tlv('additional_status_info_text', reasonOf(detail))] : [] };
  }

  async #query({ stage, account: { organizationId } }: Held, messageId: string): Promise<Answer> {
    const found = await this.#stages.invoke(stage, 'query', { organizationId, messageId });
    if (found === undefined) return { status: 'ESME_RINVMSGID' };
    const { state: messageState, errorCode, finalAt } = found as MessageState;
    return { body: { messageId, finalDate: finalAt === undefined ? '' : writeTime(finalAt), messageState, errorCode } };
  }

  async #cancel({ stage, account: { organizationId } }: Held, messageId: string): Promise<Answer> {
    const cancelled = await this.#stages.invoke(stage, 'cancel', { organizationId, messageId });
    return cancelled ? {} : { status: 'ESME_RCANCELFAIL' };
  }
}
