import { applyReceipt, applySandboxOutcome } from '../../domain/sms/receipts.ts';
import { resolveSend } from '../../domain/sms/resolve.ts';
import type { DueHint } from '../../queues/queues.ts';
import { receiptStore } from '../../storage/receipts.ts';
import { table } from './platform.ts';
import { smsPorts } from './sms.ts';

const ports = { ...smsPorts, ...receiptStore(table) };
const idOf = (key: string) => key.slice(key.indexOf('#') + 1);

/** What each kind of due work of the outcome queue does; each tolerates repeats and any order. */
const WORK: Readonly<
  Record<Exclude<DueHint['kind'], 'deliver_webhook' | 'publish_event'>, (hint: DueHint) => Promise<void>>
> = {
  sandbox_outcome: ({ pk }) => applySandboxOutcome(ports, idOf(pk)),
  resolve_send: ({ pk }) => resolveSend(ports, idOf(pk)),
  apply_receipt: ({ pk, sk }) => applyReceipt(ports, idOf(pk), idOf(sk)),
};

export const outcomeWork = async (hint: DueHint): Promise<void> => {
  if (hint.kind === 'publish_event' || hint.kind === 'deliver_webhook')
    throw new TypeError('events and deliveries have queues of their own');
  await WORK[hint.kind](hint);
};
