import { createHash } from 'node:crypto';
import { type Id, newId } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { CallbackEffect } from '../inbound/callback-ports.ts';
import type { ReplyEvent, ReplyPartEvent } from '../message/provider-port.ts';
import {
  type AnyAssembly,
  type AnyHead,
  type AnyPart,
  type AssemblyStore,
  type EncodedText,
  isComplete,
  isRepeat,
  partOf,
} from './assemblies.ts';

/** How long the parts of a reply wait for the others (ms): carriers retry a refused part within a few minutes. */
export const REPLY_PARTS_WAIT_MS = 300_000;
/** How long a repeated part is recognized (ms), as for a whole message: after that it belongs to a new reply, even with the same text. */
export const KNOWN_REPLY_PART_MS = 600_000;
/** Maximum bytes of the parts of a reply: 255 parts of 153 septets are fewer. */
export const MAX_REPLY_BYTES = 40_000;

/** A part of a reply that was accepted. */
export interface ReplyPart extends AnyPart {
  /** Until the reply is stored. */
  readonly content?: EncodedText | undefined;
}

/** The common fields of a reply's parts. */
export interface ReplyAssemblyHead extends AnyHead<Id<'replyParts'>> {
  readonly provider: string;
  /** The sender and the recipient; absent once the reply is stored. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A reply in parts. */
export interface ReplyAssembly extends ReplyAssemblyHead, AnyAssembly<Id<'replyParts'>, ReplyPart> {
  /** `closed`: its wait is over, and it consists of the parts that arrived. `replied`: it was passed on as a reply. */
  readonly state?: 'closed' | 'replied' | undefined;
}

export interface ReplyPartsPorts {
  readonly clock: () => number;
  readonly parts: AssemblyStore<string, ReplyAssemblyHead, ReplyPart, ReplyAssembly>;
  readonly globalRecipientHash: (phone: string) => Promise<string>;
  /** The text of parts in their order; some may be missing. */
  readonly readText: (parts: readonly (EncodedText | undefined)[]) => string;
  /** Accepts a whole reply of a provider; idempotent. */
  readonly reply: (provider: string, event: ReplyEvent) => Promise<CallbackEffect>;
}

const storedPart = ({ number, coding, bytes }: ReplyPartEvent): ReplyPart => {
  const cut = Buffer.from(bytes, 'base64').subarray(0, MAX_REPLY_BYTES);
  const content = { coding, bytes: cut.toString('base64') };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
  return { number, digest, characters: cut.length, content };
};

/** The assembly without its text and addresses. */
const settled = ({ dueAt: _, from: __, to: ___, parts, ...rest }: ReplyAssembly): ReplyAssembly => ({
  ...rest,
  state: 'replied',
  parts: parts.map(({ content: ____, ...part }) => part),
});

/** Passes the parts on as a reply. Idempotent: the reply's id is that of the assembly. */
const handOn = async (ports: ReplyPartsPorts, assembly: ReplyAssembly): Promise<CallbackEffect> => {
  const { id, provider, from, to, startedAt, total } = assembly;
  if (from === undefined || to === undefined) return 'repeated';
  const contents = Array.from({ length: total }, (_, at) => partOf(assembly, at + 1)?.content);
  const body = ports.readText(contents);
  const effect = await ports.reply(provider, { kind: 'reply', providerReplyId: id, from, to, body, at: startedAt });
  await ports.parts.change(assembly, settled(assembly));
  return effect;
};

const step = async (
  ports: ReplyPartsPorts,
  provider: string,
  event: ReplyPartEvent,
): Promise<CallbackEffect | typeof CONFLICT> => {
  const { from, to, total } = event;
  const part = storedPart(event);
  const reference = JSON.stringify([await ports.globalRecipientHash(from), to, event.reference, total]);
  const now = ports.clock();
  const begin = (before: Id<'replyParts'> | undefined) =>
    ports.parts.begin(provider, reference, before, { id: newId('replyParts'), startedAt: now });
  const known = await ports.parts.current(provider, reference);
  const isKnown = known !== undefined && now < known.startedAt + KNOWN_REPLY_PART_MS;
  const { id, startedAt } = isKnown ? known : await begin(known?.id);
  const head = { id, provider, from, to, total, startedAt, dueAt: startedAt + REPLY_PARTS_WAIT_MS };
  const { added, assembly } = await ports.parts.add(head, part);
  if (added || isRepeat(assembly, part)) {
    if (isComplete(assembly)) return handOn(ports, assembly);
    return added ? 'pending' : 'repeated';
  }
  // It belongs to another message: this one is over, is full, or has another text under that number.
  await begin(id);
  return CONFLICT;
};

/**
 * Accepts a part of a reply (docs/spec/smpp.md#the-carriers-side), and passes the message on once all parts arrived: as one reply. Safe
 * under repeats. Throws if that fails, so that the carrier retries the part.
 */
export const takeReplyPart = (
  ports: ReplyPartsPorts,
  provider: string,
  event: ReplyPartEvent,
): Promise<CallbackEffect> => retryOnConflict('The parts of the message', () => step(ports, provider, event));

/** Attempts per call at a change that conflicts with arriving parts. */
const MAX_CHANGES = 20;

/**
 * Passes on replies whose wait is over, with the parts that arrived, or that a crashed process left. Safe under repeats, and while parts
 * still arrive.
 */
export const workOnReplyParts = async (ports: ReplyPartsPorts, id: ReplyAssembly['id']): Promise<void> => {
  for (let attempt = 0; attempt < MAX_CHANGES; attempt++) {
    const assembly = await ports.parts.read(id);
    if (assembly?.dueAt === undefined || assembly.dueAt > ports.clock()) return;
    if (isComplete(assembly) || assembly.state === 'closed') await handOn(ports, assembly);
    else await ports.parts.change(assembly, { ...assembly, state: 'closed' });
  }
  throw new Error('the parts of a message changed too often to be worked on');
};
