import { once } from 'node:events';
import { connect } from 'node:net';
import { type DataCoding, decodeText } from '../../shared/smpp/data-coding.ts';
import type { BindCommand, Body, Pdu, PduOf } from '../../shared/smpp/pdus.ts';
import { type Receipt, readReceipt } from '../../shared/smpp/receipt.ts';
import { Session } from '../../shared/smpp/session.ts';
import type { SessionOptions } from '../../shared/smpp/session-types.ts';
import { type StatusName, statusName } from '../../shared/smpp/statuses.ts';
import { type Tlv, tlvValue } from '../../shared/smpp/tlvs.ts';

/** The credentials of an SMPP account. */
export interface SmppCredentials {
  readonly systemId: string;
  readonly password: string;
}

/** A deliver_sm as its peer reads it. */
export interface Delivered {
  readonly pdu: PduOf<'deliver_sm'>;
  readonly text: string;
  /** Absent from what is no report. */
  readonly receipt?: Receipt | undefined;
}

const deliveredOf = (pdu: PduOf<'deliver_sm'>): Delivered => {
  const { esmClass, dataCoding, shortMessage } = pdu.body;
  const bytes = tlvValue(pdu.tlvs, 'message_payload') ?? shortMessage;
  const text = decodeText(bytes, dataCoding as DataCoding) ?? '';
  return { pdu, text, receipt: esmClass === 0 ? undefined : readReceipt(text) };
};

export interface SmppClientOptions {
  readonly command?: BindCommand;
  readonly version?: number;
  readonly limits?: SessionOptions['limits'];
  /** The response to a deliver_sm, once this settles: by default ESME_ROK immediately. */
  readonly answer?: (delivered: Delivered) => Promise<StatusName> | StatusName;
}

const pduOf = async (reply: ReturnType<Session['request']>): Promise<Pdu> => {
  const answer = await reply;
  if (answer.kind !== 'response') throw new Error(answer.kind);
  return answer.pdu;
};

/** Binds to a server on this machine, and keeps what is delivered. Throws with the status of a bind that is refused. */
export const bindSmpp = async (
  port: number,
  { systemId, password }: SmppCredentials,
  { command = 'bind_transceiver', version = 0x34, limits = {}, answer = () => 'ESME_ROK' }: SmppClientOptions = {},
) => {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  const delivered: Delivered[] = [];
  const session = new Session({
    side: 'client',
    stream: socket,
    limits,
    handlers: {
      async request(pdu) {
        if (pdu.command !== 'deliver_sm') return { status: 'ESME_RINVCMDID' };
        const one = deliveredOf(pdu);
        delivered.push(one);
        return { status: await answer(one) };
      },
    },
  });
  const bound = await pduOf(session.bind(command, { systemId, password, interfaceVersion: version }));
  if (bound.status !== 0) throw new Error(statusName(bound.status));
  const submit = async (fields: Partial<Body<'submit_sm'>> = {}, tlvs: readonly Tlv[] = []): Promise<string> => {
    const body = { destAddrTon: 1, destAddrNpi: 1, destinationAddr: '5511999990005', ...fields };
    const pdu = await pduOf(session.request('submit_sm', { shortMessage: Buffer.from('Oi'), ...body }, tlvs));
    if (pdu.status !== 0) throw new Error(statusName(pdu.status));
    return (pdu.body as Body<'submit_sm_resp'>).messageId;
  };
  return {
    session,
    socket,
    delivered,
    submit,
    /** The reports that came, by the ids that they are of: each with the words of its states. */
    states: (): Readonly<Record<string, readonly string[]>> =>
      Object.fromEntries(
        [...Map.groupBy(delivered, ({ receipt }) => receipt?.id ?? '')].map(([id, all]) => [
          id,
          all.map(({ receipt, text }) => receipt?.state ?? text),
        ]),
      ),
  };
};
export type SmppClient = Awaited<ReturnType<typeof bindSmpp>>;
