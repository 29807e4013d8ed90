import { applyReceipt, applySandboxOutcome } from '../../domain/messages/receipts.ts';
import { resolveSend } from '../../domain/messages/resolve.ts';
import type { DueHint } from '../../queues/queues.ts';
import { receiptStore } from '../../storage/receipts.ts';
import { table } from './platform.ts';
import { sendPorts } from './send.ts';

const ports = { ...sendPorts, ...receiptStore(table) };
const idOf = (key: string) => key.slice(key.indexOf('#') + 1);

type OutcomeKind = 'apply_receipt' | 'resolve_send' | 'sandbox_outcome';

/** What each kind of due work of the outcome queue does; each tolerates repeats and any order. */
const WORK: Readonly<Record<OutcomeKind, (hint: DueHint) => Promise<void>>> = {
  sandbox_outcome: ({ pk }) => applySandboxOutcome(ports, idOf(pk)),
  resolve_send: ({ pk }) => resolveSend(ports, idOf(pk)),
  apply_receipt: ({ pk, sk }) => applyReceipt(ports, idOf(pk), idOf(sk)),
};

const isOutcome = (kind: DueHint['kind']): kind is OutcomeKind => kind in WORK;

export const outcomeWork = async (hint: DueHint): Promise<void> => {
  if (!isOutcome(hint.kind)) throw new TypeError('this kind of work has a queue of its own');
  await WORK[hint.kind](hint);
};
