import { createHash } from 'node:crypto';
import type { Tenant } from '../core/actor.ts';
import { newId } from '../core/ids.ts';
import { pause } from '../core/pause.ts';
import type { SmppReceipt } from '../message/smpp-origin.ts';
import { type CurrentAssembly, type EncodedText, isComplete, isRepeat, partOf } from './assemblies.ts';
import { type Assembly, KEYED_PARTS_MS, PARTS_WAIT_MS, partId, type StoredPart } from './assembly.ts';
import { refused, type SmppSubmitter, type SubmitRefusal, submitFault } from './send.ts';
import { type PartsPorts, putAway, sendParts } from './send-parts.ts';
import type { SubmitOptions } from './submit-options.ts';

/** A part as it was submitted. */
export interface SubmittedPart extends SubmitOptions {
  /** E.164. */
  readonly destination: string;
  /** The sender to show; absent for the account's. */
  readonly source?: string | undefined;
  /** The form of the reference: one number in two forms is two messages. */
  readonly form: string;
  readonly reference: number;
  /** 2 to 255. */
  readonly total: number;
  /** 1 to `total`. */
  readonly number: number;
  readonly content: EncodedText;
  /** At least those of its text. */
  readonly characters: number;
  readonly receipt: Omit<SmppReceipt, 'id'>;
}

/** `sent`: it was accepted, and `messageId` is its own id. */
export type PartOutcome = { readonly kind: 'sent'; readonly messageId: string } | SubmitRefusal;
type Current = CurrentAssembly<Assembly['id']>;
/** `again`: another call is processing the message. */
type Step = PartOutcome | 'again';

/**
 * How often a message that another call is processing is checked, and the interval (ms): 20 s in all, since a provider call takes up to 14.
 */
const AGAIN = { times: 50, waitMs: 400 };

const digestOf = ({ content, schedule, validity, idempotencyKey }: SubmittedPart): string =>
  createHash('sha256')
    .update(JSON.stringify([content.coding, content.bytes, schedule, validity, idempotencyKey]))
    .digest('base64url');

const storedPart = (part: SubmittedPart): StoredPart => {
  const { number, characters, receipt, content, deliverAt, schedule, validUntil, validity, idempotencyKey } = part;
  const options = { deliverAt, schedule, validUntil, validity, idempotencyKey };
  return { number, digest: digestOf(part), characters, receipt, content: { ...content, ...options } };
};

/** The common fields of the parts of one message. The destination is hashed, since it is personal data. */
const referenceOf = async (
  { recipientHashOf }: Pick<PartsPorts, 'recipientHashOf'>,
  { organizationId, route }: SmppSubmitter,
  { destination, form, reference, total }: SubmittedPart,
  source: string | undefined,
): Promise<string> => {
  const recipient = await recipientHashOf(organizationId, 'phone', destination);
  return JSON.stringify([recipient, source ?? null, route, form, reference, total]);
};

const taken = ({ id }: Pick<Assembly, 'id'>, number: number): PartOutcome => ({
  kind: 'sent',
  messageId: partId(id, number),
});

/** Sends a message whose last part arrived. If it is refused, that part was not accepted, and the others keep waiting. */
const complete = async (ports: PartsPorts, assembly: Assembly, number: number): Promise<Step> => {
  const outcome = await sendParts(ports, assembly, number);
  if (outcome.kind === 'sent') {
    await putAway(ports, assembly.id, outcome.messageId);
    return taken(assembly, number);
  }
  if (outcome.overtaken) return 'again';
  const now = await ports.parts.read(assembly.id);
  const part = now && isComplete(now) ? partOf(now, number) : undefined;
  if (now && part) {
    const characters = now.characters - part.characters;
    await ports.parts.change(now, { ...now, characters, parts: now.parts.filter((one) => one !== part) });
  }
  return outcome;
};

/** The answer to a part whose message is being sent, once the result is known. */
const whenDecided = async (ports: PartsPorts, assembly: Assembly, number: number): Promise<Step> => {
  const { id, messageId, last } = assembly;
  if (messageId === undefined || number !== last) return taken(assembly, number);
  const message = await ports.messageStore.read(messageId);
  if (message?.hold === 'open' && message.status === 'sending') return 'again';
  // A refusal that was returned to its submitter released the parts, in the transaction that released the hold.
  return (await ports.parts.read(id))?.messageId === messageId ? taken(assembly, number) : 'again';
};

/** The answer to a part that was accepted before. */
const repeat = (ports: PartsPorts, assembly: Assembly, number: number): Promise<Step> =>
  isComplete(assembly) ? complete(ports, assembly, number) : whenDecided(ports, assembly, number);

const isOpenAt = ({ startedAt }: Current, now: number): boolean => now < startedAt + PARTS_WAIT_MS;

/** The assembly that knows a part by its idempotency key, after a later message reused the reference. */
const knownByKey = async (ports: PartsPorts, { id, startedAt }: Current, part: StoredPart, now: number) => {
  if (part.content?.idempotencyKey === undefined || now >= startedAt + KEYED_PARTS_MS) return undefined;
  const before = await ports.parts.read(id);
  return before && before.state !== 'expired' && isRepeat(before, part) ? before : undefined;
};

/** The answer to a part that could not be added, and is no repeat. */
const refusalOf = (assembly: Assembly, number: number): SubmitRefusal =>
  partOf(assembly, number)
    ? refused('ESME_RMSGQFUL', 'The parts of another message with this reference are not all there yet.')
    : refused('ESME_RINVMSGLEN', 'The parts have more characters than a text may have.');

const step = async (
  ports: PartsPorts,
  { env }: Pick<Tenant, 'env'>,
  account: SmppSubmitter,
  part: SubmittedPart,
): Promise<Step> => {
  const { id: accountId, organizationId, route } = account;
  const { destination, total, number } = part;
  const source = part.source ?? account.senderId;
  const stored = storedPart(part);
  const reference = await referenceOf(ports, account, part, source);
  const now = ports.clock();
  const begin = (before: Current | undefined) =>
    ports.parts.begin(accountId, reference, before?.id, { id: newId('smppParts'), startedAt: now });

  const known = await ports.parts.current(accountId, reference);
  const isOpen = known !== undefined && isOpenAt(known, now);
  const before = known && !isOpen ? await knownByKey(ports, known, stored, now) : undefined;
  if (before) return repeat(ports, before, number);
  const current = isOpen ? known : await begin(known);
  const { id, startedAt } = current;
  const common = { id, organizationId, env, accountId, route, destination, source, total, startedAt };
  const { added, assembly } = await ports.parts.add({ ...common, dueAt: startedAt + PARTS_WAIT_MS }, stored);
  if (added) return isComplete(assembly) ? complete(ports, assembly, number) : taken(assembly, number);
  if (isRepeat(assembly, stored)) return repeat(ports, assembly, number);
  if (assembly.state === undefined) return refusalOf(assembly, number);
  await begin(current);
  return 'again';
};

/**
 * Accepts a part of a message (docs/spec/smpp.md#messages-in-parts), and sends the message once all parts arrived: as one, with one price.
 * Each part gets its own message id; a repeat gets the same. The part that completes the message gets its result.
 */
export const submitPart = async (
  ports: PartsPorts,
  tenant: Pick<Tenant, 'env'>,
  account: SmppSubmitter,
  part: SubmittedPart,
): Promise<PartOutcome> => {
  const fault = submitFault(part.characters, part, ports.clock());
  if (fault) return fault;
  for (let attempt = 0; attempt < AGAIN.times; attempt++) {
    if (attempt > 0) await pause(AGAIN.waitMs);
    const outcome = await step(ports, tenant, account, part);
    if (outcome !== 'again') return outcome;
  }
  return refused('ESME_RSYSERR', 'What becomes of the message is not known yet.');
};
