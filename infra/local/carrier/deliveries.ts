import { createHash } from 'node:crypto';
import { randomBase62 } from '../../../shared/domain/core/ids.ts';
import { type CarrierCallback, signCarrierBody } from '../../../shared/domain/smpp/carrier.ts';
import { type Delivery, type DeliveryPdu, readDelivery } from '../../../shared/smpp/delivery.ts';
import type { Answer, MessagePdu } from '../../../shared/smpp/session-types.ts';

/** How long a callback may take: less than carriers wait for deliver_sm_resp. */
const CALLBACK_MS = 20_000;
/** A response that was written within this time before its connection ended may not have reached the carrier. */
const DOUBTFUL_MS = 30_000;
/** How long a carrier may take to repeat a delivery that it considers unacknowledged. */
const REPEATED_MS = 600_000;
const MAX_KEPT = 10_000;

const digest = (parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/**
 * Ids of whole inbound messages, which SMPP lacks. Each message is new, even with the same content, unless an identical one may not have
 * been acknowledged: then it is the carrier's repeat.
 */
export class InboundIds {
  readonly #now: () => number;
  readonly #answered = new Map<string, { readonly id: string; readonly at: number }>();
  readonly #unanswered = new Map<string, { readonly id: string; readonly at: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The id of a message, which counts as unanswered from now on. */
  take(content: readonly string[]): { readonly id: string; readonly answered: () => void } {
    const key = digest(content);
    const now = this.#now();
    const known = this.#unanswered.get(key);
    const id = known && now - known.at < REPEATED_MS ? known.id : randomBase62(22);
    this.#keep(this.#unanswered, key, { id, at: now });
    return {
      id,
      answered: () => {
        this.#unanswered.delete(key);
        this.#keep(this.#answered, key, { id, at: this.#now() });
      },
    };
  }

  /** A connection ended: the latest responses may be lost. */
  doubt(): void {
    for (const [key, { id, at }] of this.#answered)
      if (this.#now() - at < DOUBTFUL_MS) this.#keep(this.#unanswered, key, { id, at: this.#now() });
    this.#answered.clear();
  }

  #keep(
    kept: Map<string, { readonly id: string; readonly at: number }>,
    key: string,
    value: { id: string; at: number },
  ) {
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  }
}

export interface DeliveryOptions {
  readonly serviceKey: string;
  /** Without the kind of callback. */
  readonly callbackUrl: string;
  readonly ids: InboundIds;
  readonly now: () => number;
  /** A delivery that could not be read or passed on. */
  readonly onFault: (what: string) => void;
}

const post = async ({ serviceKey, callbackUrl, now }: DeliveryOptions, kind: string, callback: CarrierCallback) => {
  const body = JSON.stringify(callback);
  const headers = { ...signCarrierBody(serviceKey, 'callback', body, now()) };
  const signal = AbortSignal.timeout(CALLBACK_MS);
  const response = await fetch(`${callbackUrl}/${kind}`, { method: 'POST', headers, body, signal });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`callback: HTTP ${response.status}`);
};

/** A part as a callback event. It needs no id of its own: a repeat is identical, and parts are assembled in shared storage. */
export const partCallback = ({
  kind,
  from,
  to,
  part,
  coding,
  bytes,
}: Extract<Delivery, { kind: 'part' }>): CarrierCallback => {
  const { form, reference, total, number } = part;
  const content = { coding, bytes: Buffer.from(bytes).toString('base64') };
  return { kind, from, to, reference: `${form}-${reference}`, total, number, ...content };
};

/** A later attempt may succeed: the carrier repeats it. */
const LATER: Answer = { status: 'ESME_RX_T_APPN' };

const handOver = async (options: DeliveryOptions, pdu: DeliveryPdu): Promise<Answer> => {
  const delivery = readDelivery(pdu);
  // Repeating it would not make it readable.
  if (delivery.kind === 'unreadable') {
    options.onFault(`carrier: a ${delivery.what} that cannot be read`);
    return {};
  }
  if (delivery.kind === 'receipt') {
    await post(options, 'receipts', delivery);
    return {};
  }
  if (delivery.kind === 'part') {
    await post(options, 'replies', partCallback(delivery));
    return {};
  }
  const { from, to, text } = delivery;
  const { id, answered } = options.ids.take([from, to, text]);
  await post(options, 'replies', { kind: 'message', id, from, to, text, at: options.now() });
  answered();
  return {};
};

/** Acknowledges a carrier's delivery once it was stored by the callback handler, so that no receipt or message is lost in between. */
export const answerDelivery = async (options: DeliveryOptions, pdu: MessagePdu): Promise<Answer> => {
  if (pdu.command !== 'deliver_sm' && pdu.command !== 'data_sm') return { status: 'ESME_RINVCMDID' };
  try {
    return await handOver(options, pdu);
  } catch (error) {
    options.onFault(error instanceof Error ? error.message : 'callback');
    return LATER;
  }
};
