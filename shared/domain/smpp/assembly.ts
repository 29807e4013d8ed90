import type { Tenant } from '../core/actor.ts';
import { type Id, parseId } from '../core/ids.ts';
import type { SmppReceipt } from '../message/smpp-origin.ts';
import type { SmppAccount } from './account.ts';
import type { AnyAssembly, AnyHead, AnyPart, AssemblyStore, EncodedText } from './assemblies.ts';
import type { SubmitOptions } from './submit-options.ts';

/** How long the parts of a message wait for the others, and how long a repeated part is recognized (ms). */
export const PARTS_WAIT_MS = 60_000;
/** How long a part is recognized by its idempotency key (ms). */
export const KEYED_PARTS_MS = 24 * 3_600_000;
/** A part that was accepted. */
export interface StoredPart extends AnyPart {
  readonly receipt: Omit<SmppReceipt, 'id'>;
  /** Until the message has been sent, or has failed. */
  readonly content?: (EncodedText & SubmitOptions) | undefined;
}

/** The common fields of a message's parts: parts that differ in any of them belong to different messages. */
export interface AssemblyHead extends Tenant, AnyHead<Id<'smppParts'>> {
  readonly accountId: Id<'smppAccount'>;
  readonly route: SmppAccount['route'];
  /** E.164; absent once the message has been sent, or has failed without a report to send. */
  readonly destination?: string | undefined;
  /** The sender, or the account's default; absent for the organization's default. */
  readonly source?: string | undefined;
}

/** How parts end without a message; also the reason in their reports. */
export type PartsEnd = 'cancelled' | 'expired';

/** A message in parts, while they come and after it has left. */
export interface Assembly extends AssemblyHead, AnyAssembly<Id<'smppParts'>, StoredPart> {
  /** `sent`: it became the message `messageId`. Absent while parts are accepted. */
  readonly state?: PartsEnd | 'sent' | undefined;
  /** When it was cancelled or expired (ms). */
  readonly endedAt?: number | undefined;
  readonly messageId?: Id<'message'> | undefined;
  /** The part whose submitter waits for the result of the message. */
  readonly last?: number | undefined;
}

/** Stores assemblies; a change writes the reports of ended parts in the same transaction. */
export type PartsStore = AssemblyStore<Id<'smppAccount'>, AssemblyHead, StoredPart, Assembly>;

/** The message id in the response to a part. */
export const partId = (id: Id<'smppParts'>, number: number): string => `${id}_${number}`;

const PART_ID = /^(prt_[0-9A-Za-z]{21})_([1-9]\d{0,2})$/;
/** The assembly and the number of a part; undefined if the text is not a part's id. */
export const parsePartId = (text: string) => {
  const [, id, number] = PART_ID.exec(text) ?? [];
  return id === undefined ? undefined : { id: parseId('smppParts', id), number: Number(number) };
};

/** A finished assembly, without its content. */
export const settled = (
  { destination: _, dueAt: __, parts, ...rest }: Assembly,
  end: Pick<Assembly, 'endedAt' | 'messageId' | 'state'>,
): Assembly => ({ ...rest, ...end, parts: parts.map(({ content: ___, ...part }) => part) });

/** Whether a part requested a report on failure. */
const isAsking = ({ receipt: { wants } }: StoredPart): boolean => wants === 'always' || wants === 'failure';

/** The ids under which an assembly that ended without a message is reported, in the order of its parts. */
export const endedIds = ({ id, parts }: Assembly): readonly string[] =>
  parts.filter(isAsking).map(({ number }) => partId(id, number));

/** An assembly that ends without a message: it keeps its destination only if a report, which contains it, was requested. */
const ended = (assembly: Assembly, state: PartsEnd, endedAt: number): Assembly => {
  const { destination } = assembly;
  const end = settled(assembly, { state, endedAt });
  return endedIds(assembly).length > 0 ? { ...end, destination } : end;
};
export const cancelled = (assembly: Assembly, now: number): Assembly => ended(assembly, 'cancelled', now);
/** The expiry time is the end of the wait, however late it is processed. */
export const expired = (assembly: Assembly): Assembly => ended(assembly, 'expired', assembly.startedAt + PARTS_WAIT_MS);
