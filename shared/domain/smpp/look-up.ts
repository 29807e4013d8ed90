import type { CancelPorts } from '../api/cancel-and-force.ts';
import { cancel } from '../api/cancel-and-force.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import { asId, type Id } from '../core/ids.ts';
import type { MessageOf } from '../message/message.ts';
import { type Assembly, cancelled, type PartsStore, parsePartId } from './assembly.ts';

/** Reads an SMS of an organization, and messages in parts. */
export interface SmsReader {
  readonly parts: Pick<PartsStore, 'change' | 'read'>;
  readonly readSms: (organizationId: Id<'organization'>, id: Id<'message'>) => Promise<MessageOf<'sms'> | undefined>;
}

/** The state of a message: `message_state` (SMPP 3.4, 5.2.28) and its error code. */
export interface MessageState {
  readonly state: number;
  readonly errorCode: number;
  /** When the state became final (ms); absent while it may still change. */
  readonly finalAt?: number;
}

const ENROUTE = 1;
const DELIVERED = 2;
const EXPIRED = 3;
const DELETED = 4;
const UNDELIVERABLE = 5;
/** The state and the error code of each reason; any other is undeliverable, with 255. */
const OF_REASON: Readonly<Record<string, readonly [state: number, errorCode: number]>> = {
  expired: [EXPIRED, 4],
  cancelled: [DELETED, 0],
  invalid_number: [UNDELIVERABLE, 1],
  carrier_rejected: [UNDELIVERABLE, 2],
  blacklisted: [8, 3],
  indeterminate: [7, 5],
  abandoned: [7, 6],
};

/**
 * The state of a message in SMPP terms (docs/spec/smpp.md#message-states). One that was resent while it was queued
 * keeps that status, and is never sent.
 */
export const stateOf = (
  message: Pick<MessageOf<'sms'>, 'archivedAt' | 'deliveredAt' | 'failedAt' | 'reason' | 'status'>,
): MessageState => {
  const { status, reason, deliveredAt, failedAt, archivedAt } = message;
  if (status === 'queued' && archivedAt !== undefined) return { state: DELETED, errorCode: 0, finalAt: archivedAt };
  if (status === 'delivered')
    return { state: DELIVERED, errorCode: 0, ...(deliveredAt ? { finalAt: deliveredAt } : {}) };
  if (status !== 'failed' && status !== 'undelivered') return { state: ENROUTE, errorCode: 0 };
  const [state, errorCode] = OF_REASON[reason ?? ''] ?? [UNDELIVERABLE, 255];
  return { state, errorCode, ...(failedAt ? { finalAt: failedAt } : {}) };
};

type Owner = Pick<Tenant, 'organizationId'>;

/** The assembly of a part's id; undefined if the organization has none. */
const assemblyOf = async (
  { parts }: SmsReader,
  { organizationId }: Owner,
  id: string,
): Promise<Assembly | undefined> => {
  const part = parsePartId(id);
  const assembly = part && (await parts.read(part.id));
  if (assembly?.organizationId !== organizationId) return undefined;
  return part && part.number <= assembly.total ? assembly : undefined;
};

/** The state of parts without a message. */
const stateOfParts = ({ state, endedAt }: Assembly): MessageState =>
  stateOf(state === undefined ? { status: 'queued' } : { status: 'failed', reason: state, failedAt: endedAt });

/** The state of a message of the organization, or of the message of a part; undefined if the id is unknown. */
export const queryMessage = async (
  reader: SmsReader,
  owner: Owner,
  messageId: string,
): Promise<MessageState | undefined> => {
  const assembly = await assemblyOf(reader, owner, messageId);
  if (assembly && assembly.messageId === undefined) return stateOfParts(assembly);
  const id = assembly?.messageId ?? asId('message', messageId);
  const message = id && (await reader.readSms(owner.organizationId, id));
  return message && stateOf(message);
};

/** Cancels a message that has not been sent yet, by its id or that of a part; false if it was sent or is unknown. */
export const cancelOverSmpp = async (
  ports: CancelPorts & SmsReader,
  owner: Owner,
  messageId: string,
): Promise<boolean> => {
  const assembly = await assemblyOf(ports, owner, messageId);
  if (assembly && assembly.messageId === undefined) {
    if (assembly.state !== undefined) return false;
    if (await ports.parts.change(assembly, cancelled(assembly, ports.clock()))) return true;
    return cancelOverSmpp(ports, owner, messageId);
  }
  const id = assembly?.messageId ?? asId('message', messageId);
  if (!id || !(await ports.readSms(owner.organizationId, id))) return false;
  return !isRefusal(await cancel(ports, owner, id));
};
