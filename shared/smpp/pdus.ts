import { cOctets, type Field, integer, shortMessage, timeField } from './fields.ts';
import type { Tlv } from './tlvs.ts';

const octet = integer(1);

const BIND = {
  systemId: cOctets(16, 'ESME_RINVSYSID'),
  password: cOctets(9, 'ESME_RINVPASWD'),
  systemType: cOctets(13, 'ESME_RINVSYSTYP'),
  interfaceVersion: octet,
  addrTon: octet,
  addrNpi: octet,
  addressRange: cOctets(41),
};
const BOUND = { systemId: cOctets(16, 'ESME_RINVSYSID') };
const ANSWERED = { messageId: cOctets(65, 'ESME_RINVMSGID') };

const sourceOf = (max: number) => ({
  sourceAddrTon: octet,
  sourceAddrNpi: octet,
  sourceAddr: cOctets(max, 'ESME_RINVSRCADR'),
});
const destinationOf = (max: number) => ({
  destAddrTon: octet,
  destAddrNpi: octet,
  destinationAddr: cOctets(max, 'ESME_RINVDSTADR'),
});
const SERVICE = { serviceType: cOctets(6, 'ESME_RINVSERTYP') };

const MESSAGE = {
  ...SERVICE,
  ...sourceOf(21),
  ...destinationOf(21),
  esmClass: octet,
  protocolId: octet,
  priorityFlag: octet,
  scheduleDeliveryTime: timeField('ESME_RINVSCHED'),
  validityPeriod: timeField('ESME_RINVEXPIRY'),
  registeredDelivery: octet,
  replaceIfPresentFlag: octet,
  dataCoding: octet,
  smDefaultMsgId: octet,
  shortMessage,
};

/** Command ids, and the mandatory parameters in wire order (SMPP 3.4, chapter 4). The highest bit marks a response. */
export const PDUS = {
  generic_nack: { id: 0x80000000, fields: {} },
  bind_receiver: { id: 0x00000001, fields: BIND },
  bind_receiver_resp: { id: 0x80000001, fields: BOUND },
  bind_transmitter: { id: 0x00000002, fields: BIND },
  bind_transmitter_resp: { id: 0x80000002, fields: BOUND },
  query_sm: { id: 0x00000003, fields: { ...ANSWERED, ...sourceOf(21) } },
  query_sm_resp: {
    id: 0x80000003,
    fields: { ...ANSWERED, finalDate: timeField('ESME_RINVPARLEN'), messageState: octet, errorCode: octet },
  },
  submit_sm: { id: 0x00000004, fields: MESSAGE },
  submit_sm_resp: { id: 0x80000004, fields: ANSWERED },
  deliver_sm: { id: 0x00000005, fields: MESSAGE },
  deliver_sm_resp: { id: 0x80000005, fields: ANSWERED },
  unbind: { id: 0x00000006, fields: {} },
  unbind_resp: { id: 0x80000006, fields: {} },
  cancel_sm: { id: 0x00000008, fields: { ...SERVICE, ...ANSWERED, ...sourceOf(21), ...destinationOf(21) } },
  cancel_sm_resp: { id: 0x80000008, fields: {} },
  bind_transceiver: { id: 0x00000009, fields: BIND },
  bind_transceiver_resp: { id: 0x80000009, fields: BOUND },
  enquire_link: { id: 0x00000015, fields: {} },
  enquire_link_resp: { id: 0x80000015, fields: {} },
  data_sm: {
    id: 0x00000103,
    fields: {
      ...SERVICE,
      ...sourceOf(65),
      ...destinationOf(65),
      esmClass: octet,
      registeredDelivery: octet,
      dataCoding: octet,
    },
  },
  data_sm_resp: { id: 0x80000103, fields: ANSWERED },
} as const;

export type Command = keyof typeof PDUS;
type Fields<C extends Command> = (typeof PDUS)[C]['fields'];
/** The mandatory parameters of a command. Octet strings are Latin-1 texts; short_message is bytes. */
export type Body<C extends Command> = {
  readonly [F in keyof Fields<C>]: Fields<C>[F] extends Field<infer T> ? T : never;
};

export interface PduOf<C extends Command> {
  readonly command: C;
  /** 0 in requests. */
  readonly status: number;
  readonly sequence: number;
  readonly body: Body<C>;
  readonly tlvs: readonly Tlv[];
}
/** A PDU of any command, discriminated by `command`. */
export type Pdu = { [C in Command]: PduOf<C> }[Command];

export type BindCommand = 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver';
export type Response = Extract<Command, `${string}_resp`> | 'generic_nack';
export type Request = Exclude<Command, Response>;

const BY_ID = new Map<number, Command>(Object.entries(PDUS).map(([command, { id }]) => [id, command as Command]));
export const commandOf = (id: number): Command | undefined => BY_ID.get(id);

/** Whether a command id is that of a response, known or not: a response is never answered. */
export const isResponseId = (id: number): boolean => id >= 0x80000000;

/** A body whose omitted parameters are empty. */
export const bodyOf = <C extends Command>(command: C, given: Partial<Body<C>> = {}): Body<C> => ({
  ...(Object.fromEntries(Object.entries(PDUS[command].fields).map(([name, { empty }]) => [name, empty])) as Body<C>),
  ...given,
});
