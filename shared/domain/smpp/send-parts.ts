import { type EncodedText, partOf } from './assemblies.ts';
import { type Assembly, type PartsStore, partId, settled } from './assembly.ts';
import { refused, type SmppSendPorts, type SubmitOutcome, sendOverSmpp } from './send.ts';

export interface PartsPorts extends SmppSendPorts {
  readonly parts: PartsStore;
  /** The text of parts, in their order; undefined if their bytes are invalid. */
  readonly joinText: (parts: readonly EncodedText[]) => string | undefined;
}

/**
 * Sends a complete assembly as one message. The schedule and the validity are those of its first part. `last`: the part whose response has
 * the result of the message.
 */
export const sendParts = async (ports: PartsPorts, assembly: Assembly, last?: number): Promise<SubmitOutcome> => {
  const { id, accountId, organizationId, env, route, source, destination, parts, version } = assembly;
  const contents = parts.flatMap(({ content }) => content ?? []);
  const [first] = contents;
  const text = ports.joinText(contents);
  if (text === undefined || !first || destination === undefined)
    return refused('ESME_RINVDCS', 'The bytes of the parts are not valid text.');
  const { deliverAt, schedule, validUntil, validity, idempotencyKey } = first;
  const receipts = parts
    .filter(({ receipt }) => receipt.wants !== 'never' || receipt.intermediate)
    .map(({ number, receipt }) => ({ ...receipt, id: partId(id, number) }));
  const waiting = last === undefined ? undefined : partOf(assembly, last);
  const assembled = { id, version, last: waiting && { number: waiting.number, characters: waiting.characters } };
  const submitter = { id: accountId, organizationId, route, senderId: source };
  const options = { deliverAt, schedule, validUntil, validity, idempotencyKey };
  return sendOverSmpp(ports, { env }, submitter, { destination, text, ...options, receipts, assembled });
};

/** Attempts at a change that conflicts with others. */
const MAX_CHANGES = 10;

/** Removes the content of a sent assembly: the message has it now. Best effort; otherwise its due work removes it. */
export const putAway = async (
  { parts }: Pick<PartsPorts, 'parts'>,
  id: Assembly['id'],
  messageId: NonNullable<Assembly['messageId']>,
): Promise<void> => {
  for (let attempt = 0; attempt < MAX_CHANGES; attempt++) {
    const assembly = await parts.read(id);
    if (assembly?.dueAt === undefined || (assembly.state !== undefined && assembly.state !== 'sent')) return;
    if (await parts.change(assembly, settled(assembly, { state: 'sent', messageId }))) return;
  }
};
