import type { MessageRecord } from '../../domain/messages/message.ts';
import { applyReceipt, applySandboxOutcome, type ReceiptPorts } from '../../domain/messages/receipts.ts';
import { type ResolvePorts, resolveSend } from '../../domain/messages/resolve.ts';
import type { DueHint } from '../../queues/queues.ts';
import { readMessages } from '../../storage/message-lists.ts';
import { receiptStore } from '../../storage/receipts.ts';
import { escrowWork } from './batches.ts';
import { table } from './platform.ts';
import { sendPorts } from './send.ts';
import { advanceSuppressing } from './suppression.ts';

const ports: ReceiptPorts & ResolvePorts = {
  ...sendPorts,
  ...receiptStore(table),
  journal: { ...sendPorts.journal, advance: advanceSuppressing },
};
const idOf = (key: string) => key.slice(key.indexOf('#') + 1);

type OutcomeKind = 'abandon_upload' | 'apply_receipt' | 'close_escrow' | 'resolve_send' | 'sandbox_outcome';
type Seen = ReadonlyMap<string, MessageRecord>;

/** What each kind of due work of the outcome queue does; each tolerates repeats and any order. */
const WORK: Readonly<Record<OutcomeKind, (hint: DueHint, seen: Seen) => Promise<void>>> = {
  sandbox_outcome: ({ pk }, seen) => applySandboxOutcome(ports, idOf(pk), seen.get(idOf(pk))),
  resolve_send: ({ pk }) => resolveSend(ports, idOf(pk)),
  close_escrow: escrowWork,
  abandon_upload: async (hint) => (await import('./media.ts')).abandonWork(hint),
  apply_receipt: ({ pk, sk }) => applyReceipt(ports, idOf(pk), idOf(sk)),
};

const isOutcome = (kind: DueHint['kind']): kind is OutcomeKind => kind in WORK;

const workOn = async (hint: DueHint, seen: Seen): Promise<void> => {
  if (!isOutcome(hint.kind)) throw new TypeError('this kind of work has a queue of its own');
  await WORK[hint.kind](hint, seen);
};

/** The messages whose sandbox outcomes are in the batch, in one read; none where that fails, since each is read alone then. */
const seenBy = async (hints: readonly DueHint[]): Promise<Seen> => {
  const ids = hints.filter(({ kind }) => kind === 'sandbox_outcome').map(({ pk }) => idOf(pk));
  const messages = ids.length > 1 ? await readMessages(table, ids).catch(() => []) : [];
  return new Map(messages.map((message) => [message.id, message]));
};

/** Works on the outcomes of a batch; each alone, but for what they read together. */
export const outcomeWork = async (hints: readonly DueHint[]): Promise<readonly PromiseSettledResult<void>[]> => {
  const seen = await seenBy(hints);
  return Promise.allSettled(hints.map((hint) => workOn(hint, seen)));
};
