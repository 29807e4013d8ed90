import { partCallback } from '../../../infra/local/carrier/deliveries.ts';
import { startCarrier as startService } from '../../../infra/local/carrier/start.ts';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import { signCarrierBody } from '../../../shared/domain/smpp/carrier.ts';
import { smppCarrierSettings } from '../../../shared/providers/sms/smpp-carrier.ts';
import { decodePdu } from '../../../shared/smpp/codec.ts';
import { readDelivery } from '../../../shared/smpp/delivery.ts';
import { COMMAND, deliverBody, octetsOf, pduBytes, type SubmitOctets, textOf } from '../smpp/carrier-octets.ts';
import { type CarrierPlay, startCarrier } from '../smpp/carrier-simulator.ts';
import {
  type AcceptedMessage,
  type Play,
  type ReceiptOutcome,
  type RecordedRequest,
  type SmsStandIn,
  THROTTLED_SECONDS,
  type UnderTest,
} from './stand-in.ts';

const KEY = 'a key that both sides of a test have';
const URL = 'https://callbacks.test/callbacks/smpp_carrier';
const SENDER = '28000';

/** A carrier's status of each outcome; 0A1 is a custom code, which the settings explain. */
const SAID: Readonly<
  Record<ReceiptOutcome, { readonly stat: string; readonly err: string; readonly network?: number }>
> = {
  sent: { stat: 'ACCEPTD', err: '000' },
  delivered: { stat: 'DELIVRD', err: '000' },
  invalid_number: { stat: 'UNDELIV', err: '001', network: 1 },
  carrier_rejected: { stat: 'REJECTD', err: '008' },
  blacklisted: { stat: 'UNDELIV', err: '0A1' },
  expired: { stat: 'EXPIRED', err: '036' },
};

const PLAYS: Readonly<Record<Extract<Play, string>, CarrierPlay>> = {
  accept: 'accept',
  accept_and_hang: 'accept_and_hang',
  accept_and_reset: 'accept_and_reset',
  throttle: { status: 0x58 },
  // The only error that does not say that the message was refused.
  server_error: { status: 0xff },
  hang: 'hang',
  reset: 'reset',
  malformed: 'malformed',
  wrong_content_type: 'no_id',
};

const messageOf = ({ id, submit }: { readonly id: string; readonly submit: SubmitOctets }): AcceptedMessage => ({
  messageId: '',
  // Hexadecimal in the response; the adapter's ids are those of its receipts.
  providerMessageId: String(Number.parseInt(id, 16)),
  to: `+${submit.destination.address}`,
  from: submit.source.ton === 1 ? `+${submit.source.address}` : submit.source.address,
  text: textOf(submit),
  callbackUrl: `${URL}/receipts`,
});

const requestOf = (submit: SubmitOctets): RecordedRequest => ({
  method: 'submit_sm',
  path: submit.destination.address,
  headers: {},
  body: textOf(submit),
});

/** The body that the SMPP service posts for a deliver_sm with these octets. */
const callbackOf = (body: Uint8Array, kind: 'receipts' | 'replies', now: number, id = ''): CallbackRequest => {
  const decoded = decodePdu(pduBytes(COMMAND.deliver, 0, 1, body));
  if (!decoded.ok || decoded.pdu.command !== 'deliver_sm') throw new Error('the carrier wrote no deliver_sm');
  const delivery = readDelivery(decoded.pdu);
  if (delivery.kind === 'part') return signed(JSON.stringify(partCallback(delivery)), kind, now);
  return signed(JSON.stringify(delivery.kind === 'message' ? { ...delivery, id, at: now } : delivery), kind, now);
};
const signed = (body: string, kind: 'receipts' | 'replies', now: number): CallbackRequest => ({
  url: `${URL}/${kind}`,
  headers: signCarrierBody(KEY, 'callback', body, now),
  body,
});

/** A carrier's SMSC behind the SMPP service, whose binds and endpoint are the product's own. */
export const startSmppCarrierStandIn = async (now: () => number): Promise<SmsStandIn> => {
  const carrier = await startCarrier();
  const given = {
    host: '127.0.0.1',
    port: carrier.port,
    systemId: 'carrier-user',
    password: 'secret',
    from: SENDER,
    throughput: 1_000,
    throttledSeconds: THROTTLED_SECONDS,
    messageIds: 'hex_then_decimal',
    errorReasons: { '0A1': 'blacklisted' },
    statusCauses: { '0x400': 'credit', '0x401': 'blacklisted' },
    serviceKey: KEY,
  };
  const settings = smppCarrierSettings.parse({ ...given, serviceUrl: 'http://127.0.0.1:1' });
  const service = await startService(
    { port: 0, host: '127.0.0.1', address: '127.0.0.1' },
    {
      stage: 'live',
      invoke: async (_stage, _name, event) => {
        const { kind } = event as { readonly kind: string };
        if (kind === 'set_up') return { settings: { ...settings, throttledSeconds: 0.001 }, callbackUrl: URL };
        return kind === 'take' ? { slot: 0, bindId: 'bind' } : [];
      },
      onFault: () => {},
      onNews: () => {},
      retry: { firstMs: 5, maxMs: 20 },
      clock: now,
    },
  );
  let closed: Promise<void> | undefined;
  let counted = 0;
  return {
    provider: 'smpp_carrier',
    baseUrl: `http://127.0.0.1:${service.port}`,
    settings: { ...given, serviceUrl: `http://127.0.0.1:${service.port}` },
    get requests() {
      return carrier.submits.map(requestOf);
    },
    get messages() {
      return carrier.accepted.map(messageOf);
    },
    script: (...plays) =>
      carrier.script(
        ...plays.map((play) => (typeof play === 'string' ? PLAYS[play] : { status: Number(play.refuse) })),
      ),
    signed: (_message, body) => signed(body, 'receipts', now()),
    receipt: ({ providerMessageId, to, from }, outcome) => {
      const { stat, err, network } = SAID[outcome];
      const text = `id:${providerMessageId.padStart(10, '0')} sub:001 dlvrd:001 submit date:2601020304 done date:2601020305 stat:${stat} err:${err} text:`;
      const tlvs = network === undefined ? [] : [[0x0423, Buffer.from([3, 0, network])] as const];
      const octets = { source: to.slice(1), destination: from, esmClass: 4, short: Buffer.from(text), tlvs };
      return callbackOf(deliverBody(octets), 'receipts', now());
    },
    reply: ({ to, from }, body) => {
      counted += 1;
      const octets = deliverBody({ source: to.slice(1), destination: from, ...octetsOf(body) });
      return callbackOf(octets, 'replies', now(), `reply-${counted}`);
    },
    replyParts: ({ to, from }, bodies) =>
      bodies.map((body, at) => {
        const { dataCoding, short } = octetsOf(body);
        const header = Buffer.from([5, 0, 3, 77, bodies.length, at + 1]);
        const user = { esmClass: 0x40, dataCoding, short: Buffer.concat([header, short]) };
        return callbackOf(deliverBody({ source: to.slice(1), destination: from, ...user }), 'replies', now());
      }),
    close: () => {
      closed ??= service.close().then(carrier.close);
      return closed;
    },
  };
};

export const smppCarrierUnderTest: UnderTest = {
  channel: 'sms',
  name: 'smpp_carrier',
  start: startSmppCarrierStandIn,
  refusals: {
    recipient: ['0x0b', '0x50', '0x51'],
    content: ['0x01'],
    sender: ['0x0a', '0x48', '0x49'],
    blacklisted: ['0x401'],
    throttled: ['0x14'],
    credit: ['0x400'],
    credentials: ['0x0f'],
    unavailable: ['0x08', '0x45', '0x58000000'],
  },
  wrongCredentials: { serviceKey: 'another key, of which nobody else knows' },
  replies: true,
  unreferenced: true,
};
