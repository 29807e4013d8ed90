import type { SmsReason, SmsStatus } from '../messages/message.ts';
import type { SmsProvider } from './provider.ts';

/** How long after its acceptance a sandbox send's outcome comes, in ms (interface 4.1, rule 4). */
export const SANDBOX_OUTCOME_MS = 3_000;

type Outcome = {
  readonly status: Extract<SmsStatus, 'delivered' | 'failed' | 'undelivered'>;
  readonly reason?: SmsReason;
};

/** What the ending of a recipient chooses (interface 4.1, rule 4); any other ending is delivered. */
const OUTCOMES: Readonly<Record<string, Outcome | 'silence' | 'out_of_credit'>> = {
  '0005': { status: 'delivered' },
  '0006': { status: 'undelivered', reason: 'carrier_rejected' },
  '0008': { status: 'failed', reason: 'invalid_number' },
  '0013': { status: 'failed', reason: 'expired' },
  '0018': { status: 'failed', reason: 'blacklisted' },
  '0099': 'silence',
  '0114': 'out_of_credit',
};

/** The sandbox's outcome for a recipient. */
export const sandboxOutcome = (to: string): Outcome | 'silence' | 'out_of_credit' =>
  OUTCOMES[to.slice(-4)] ?? { status: 'delivered' };

/** The provider that reaches no phone. It remembers nothing, so what a crash left without a settlement was not sent. */
export const sandboxProvider: SmsProvider = {
  name: 'sandbox_provider',
  send: async ({ messageId, to }) =>
    sandboxOutcome(to) === 'out_of_credit'
      ? { kind: 'refused', cause: 'credit', detail: 'the sandbox plays a provider without credit' }
      : { kind: 'accepted', providerMessageId: `sbx_${messageId.slice(4)}` },
  inquire: async () => ({ kind: 'not_found' }),
  readCallback: async () => ({ kind: 'forged', detail: 'the sandbox calls nobody back' }),
};
