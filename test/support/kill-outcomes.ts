import { newId } from '../../shared/domain/core/ids.ts';
import type { EventType } from '../../shared/domain/events/catalogue.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { type KillLab, type Step, timesTaken, type Victim } from './kill.ts';
import { channelOf, declarationOf, sendAs } from './kill-steps.ts';

export interface Outcome {
  /** How the message stands once all is quiet; undefined when there is no trace of it. */
  readonly message:
    | { readonly hold: 'captured' | 'released'; readonly status: string; readonly reason?: string }
    | undefined;
  /** Messages that the provider of its channel took before any retry. */
  readonly taken: 0 | 1;
  /** The response to a caller that retries immediately, before anything is resolved. */
  readonly immediateRetry: 'first' | 'under way' | 'replay';
  /**
   * The response to a caller that retries after everything is resolved; by default a replay if the provider accepted it, and a first send
   * if not.
   */
  readonly afterwards?: 'replay' | 'nobody knows';
  /** Its provider reports it after the process is back, which alone proves that it was taken. */
  readonly reported?: true;
  /** The event that it raises, once. */
  readonly event?: EventType;
}
const SENT = { hold: 'captured', status: 'sent' } as const;
const DELIVERED = { hold: 'captured', status: 'delivered' } as const;
const INDETERMINATE = { hold: 'released', status: 'failed', reason: 'indeterminate' } as const;
/** The message that has a fallback: it was taken, and then could not be delivered. */
const NO_RCS: Outcome = {
  message: { hold: 'captured', status: 'failed', reason: 'no_rcs' },
  taken: 1,
  immediateRetry: 'replay',
  event: 'rcs.failed',
};
/** The message that waits in its queue: it leaves once the process is back. */
const LEAVES: Outcome = { message: SENT, taken: 1, immediateRetry: 'replay' };
const ABANDONED = { hold: 'released', status: 'failed', reason: 'abandoned' } as const;

/** The required result for a message whose process was killed at a step: if it was sent, and if it was not. */
export const OUTCOMES: Readonly<Record<Step, Outcome>> = {
  before_reserve: { message: undefined, taken: 0, immediateRetry: 'first' },
  after_reserve: { message: ABANDONED, taken: 0, immediateRetry: 'under way', event: 'sms.failed' },
  before_begin: LEAVES,
  after_begin: { message: ABANDONED, taken: 0, immediateRetry: 'replay' },
  before_provider: { message: ABANDONED, taken: 0, immediateRetry: 'under way', event: 'sms.failed' },
  after_provider: { message: SENT, taken: 1, immediateRetry: 'under way' },
  before_settle: { message: SENT, taken: 1, immediateRetry: 'under way' },
  after_settle: { message: SENT, taken: 1, immediateRetry: 'replay' },
  answered: { message: SENT, taken: 1, immediateRetry: 'replay' },
  before_receipt: { message: DELIVERED, taken: 1, immediateRetry: 'replay', event: 'sms.delivered' },
  after_receipt: { message: DELIVERED, taken: 1, immediateRetry: 'replay', event: 'sms.delivered' },
  before_published: { message: DELIVERED, taken: 1, immediateRetry: 'replay', event: 'sms.delivered' },
  after_published: { message: DELIVERED, taken: 1, immediateRetry: 'replay', event: 'sms.delivered' },
  before_step: NO_RCS,
  after_step: NO_RCS,
};

/** The message that its provider accepted; only a report can prove it. */
const reported = (event: EventType, immediateRetry: Outcome['immediateRetry']): Outcome => ({
  message: DELIVERED,
  taken: 1,
  immediateRetry,
  reported: true,
  event,
});
/** The message without evidence: whether it was accepted cannot be known. */
const unknown = (taken: 0 | 1): Outcome => ({
  message: INDETERMINATE,
  taken,
  immediateRetry: 'replay',
  afterwards: 'replay',
});

/**
 * Channels whose results differ from SMS. SES and WhatsApp have no status query: their events prove accepted messages, and there is no
 * evidence of the others. Instagram and the push services prove nothing.
 */
const OTHERS: Readonly<Record<Exclude<Channel, 'sms'>, Readonly<Partial<Record<Step, Outcome>>>>> = {
  rcs: {
    before_provider: { message: ABANDONED, taken: 0, immediateRetry: 'under way', event: 'rcs.failed' },
  },
  email: {
    before_provider: { message: INDETERMINATE, taken: 0, immediateRetry: 'under way', afterwards: 'nobody knows' },
    after_provider: reported('email.delivered', 'under way'),
    before_settle: reported('email.delivered', 'under way'),
  },
  whatsapp: {
    after_reserve: LEAVES,
    before_begin: LEAVES,
    after_begin: unknown(0),
    after_provider: reported('message.delivered', 'replay'),
  },
  instagram: { after_provider: unknown(1) },
  push: { before_provider: unknown(0), after_provider: unknown(1) },
};

/** The required result of a victim. */
export const outcomeOf = (victim: Pick<Victim, 'channel' | 'step'>): Outcome => {
  const channel = channelOf(victim);
  return (channel === 'sms' ? undefined : OTHERS[channel][victim.step]) ?? OUTCOMES[victim.step];
};

/** The required answer to the retry of a victim after everything is resolved, and how often its provider has accepted it after that. */
export const retryOf = (victim: Pick<Victim, 'channel' | 'step'>) => {
  const { taken, afterwards = taken === 1 ? 'replay' : 'first' } = outcomeOf(victim);
  const created = declarationOf(victim.step).step ? 202 : 201;
  if (afterwards === 'nobody knows') return { status: 502, replayed: undefined, reason: 'indeterminate', taken };
  const replayed = afterwards === 'replay';
  return { status: created, replayed, reason: undefined, taken: replayed ? taken : 1 };
};

/** The retry, in the same terms. */
export const retried = async (lab: KillLab, victim: Victim) => {
  const { status, body } = await sendAs(victim);
  return { status, replayed: body.replayed, reason: body.meta?.reason, taken: timesTaken(lab, victim) };
};

/** The victim's message as it is stored. */
export const rowOf = (lab: KillLab, { messageId }: Victim): Promise<Row | undefined> =>
  lab.table.get(KEYS.message(messageId ?? newId('message')));

/** The fault of a victim after everything is resolved; undefined if there is none. */
export const faultOf = async (lab: KillLab, victim: Victim): Promise<string | undefined> => {
  const { message, taken } = outcomeOf(victim);
  const name = `${channelOf(victim)} at ${victim.step}, ${victim.messageId}`;
  const row = await rowOf(lab, victim);
  const times = timesTaken(lab, victim);
  if (times !== taken) return `${name}: the provider took ${times} texts; stored: ${JSON.stringify(row)}`;
  if (!message) return row ? `${name}: there is a trace` : undefined;
  const wrong = Object.entries(message).filter(([name, value]) => row?.[name] !== value);
  return wrong.length > 0
    ? `${name}: ${wrong.map(([attribute, value]) => `${attribute} is ${row?.[attribute]}, not ${value}`).join(', ')}; last error: ${row?.lastError}`
    : undefined;
};
