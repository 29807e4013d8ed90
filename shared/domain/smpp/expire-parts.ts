import { isComplete } from './assemblies.ts';
import { type Assembly, expired } from './assembly.ts';
import { type PartsPorts, putAway, sendParts } from './send-parts.ts';

/** Attempts per call at a change that conflicts with arriving parts. */
const MAX_CHANGES = 20;
/** How long after a check a message that is being sent is checked again (ms). */
const CHECK_AGAIN_MS = 30_000;

const recheck = async (ports: PartsPorts, assembly: Assembly): Promise<void> => {
  await ports.parts.change(assembly, { ...assembly, dueAt: ports.clock() + CHECK_AGAIN_MS });
};

/** Removes the content of a sent message; not while its provider is called, since a refusal releases the parts. */
const putAwaySent = async (ports: PartsPorts, assembly: Assembly, messageId: NonNullable<Assembly['messageId']>) => {
  const message = await ports.messageStore.read(messageId);
  if (message?.hold === 'open' && message.status === 'sending') return recheck(ports, assembly);
  return putAway(ports, assembly.id, messageId);
};

/** Sends a complete message that its completing call did not send; if refused, it expires, since no submitter is waiting. */
const sendLate = async (ports: PartsPorts, assembly: Assembly): Promise<void> => {
  const outcome = await sendParts(ports, assembly);
  if (outcome.kind === 'sent') return putAway(ports, assembly.id, outcome.messageId);
  if (outcome.overtaken) return recheck(ports, assembly);
  const now = await ports.parts.read(assembly.id);
  if (now && now.state === undefined) await ports.parts.change(now, expired(now));
};

const work = async (ports: PartsPorts, assembly: Assembly): Promise<void> => {
  if (assembly.messageId !== undefined) return putAwaySent(ports, assembly, assembly.messageId);
  if (isComplete(assembly)) return sendLate(ports, assembly);
  await ports.parts.change(assembly, expired(assembly));
};

/**
 * Processes parts whose wait is over: sends complete messages, and expires the others (docs/spec/smpp.md#messages-in-parts). Safe under
 * repeats, and while parts still arrive.
 */
export const workOnParts = async (ports: PartsPorts, id: Assembly['id']): Promise<void> => {
  for (let attempt = 0; attempt < MAX_CHANGES; attempt++) {
    const assembly = await ports.parts.read(id);
    if (assembly?.dueAt === undefined || assembly.dueAt > ports.clock()) return;
    await work(ports, assembly);
  }
  throw new Error('the parts of a message changed too often to be worked on');
};
