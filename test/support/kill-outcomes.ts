import type { EventType } from '../../shared/domain/events/catalogue.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/table.ts';
import type { LiveChannel } from './channel-plans-live.ts';
import { type KillLab, type Step, timesTaken, type Victim } from './kill.ts';
import { channelOf } from './kill-steps.ts';

export interface Outcome {
  /** How the message stands once all is quiet; undefined when there is no trace of it. */
  readonly message:
    | { readonly hold: 'captured' | 'released'; readonly status: string; readonly reason?: string }
    | undefined;
  /** Messages that the provider of its channel took before any retry. */
  readonly taken: 0 | 1;
  /** What the caller reads who tries again at once, before anything is resolved. */
  readonly atOnce: 'first' | 'under way' | 'replay';
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
  atOnce: 'replay',
  event: 'rcs.failed',
};
const ABANDONED = { hold: 'released', status: 'failed', reason: 'abandoned' } as const;

/** What must have become of a message whose process was killed at a step: where it was sent, and where it was not. */
export const OUTCOMES: Readonly<Record<Step, Outcome>> = {
  before_reserve: { message: undefined, taken: 0, atOnce: 'first' },
  after_reserve: { message: ABANDONED, taken: 0, atOnce: 'under way', event: 'sms.failed' },
  before_provider: { message: ABANDONED, taken: 0, atOnce: 'under way', event: 'sms.failed' },
  after_provider: { message: SENT, taken: 1, atOnce: 'under way' },
  before_settle: { message: SENT, taken: 1, atOnce: 'under way' },
  after_settle: { message: SENT, taken: 1, atOnce: 'replay' },
  answered: { message: SENT, taken: 1, atOnce: 'replay' },
  before_receipt: { message: DELIVERED, taken: 1, atOnce: 'replay', event: 'sms.delivered' },
  after_receipt: { message: DELIVERED, taken: 1, atOnce: 'replay', event: 'sms.delivered' },
  before_published: { message: DELIVERED, taken: 1, atOnce: 'replay', event: 'sms.delivered' },
  after_published: { message: DELIVERED, taken: 1, atOnce: 'replay', event: 'sms.delivered' },
  before_hop: NO_RCS,
  after_hop: NO_RCS,
};

/** Where another channel fares otherwise than SMS. SES cannot be asked: its event proves what it took, and of what it never saw nothing tells. */
const OTHERS: Readonly<Record<Exclude<LiveChannel, 'sms'>, Readonly<Partial<Record<Step, Outcome>>>>> = {
  rcs: {
    before_provider: { message: ABANDONED, taken: 0, atOnce: 'under way', event: 'rcs.failed' },
  },
  email: {
    before_provider: { message: INDETERMINATE, taken: 0, atOnce: 'under way' },
    after_provider: { message: DELIVERED, taken: 1, atOnce: 'under way', event: 'email.delivered' },
    before_settle: { message: DELIVERED, taken: 1, atOnce: 'under way', event: 'email.delivered' },
  },
};

/** What must have become of a victim. */
export const outcomeOf = (victim: Pick<Victim, 'channel' | 'step'>): Outcome => {
  const channel = channelOf(victim);
  return (channel === 'sms' ? undefined : OTHERS[channel][victim.step]) ?? OUTCOMES[victim.step];
};

/** The victim's message as it is stored. */
export const rowOf = (lab: KillLab, { messageId }: Victim): Promise<Row | undefined> =>
  lab.table.get(KEYS.message(messageId || 'msg_none'));

/** What is wrong with a victim after all is resolved; undefined when all is as it must be. */
export const faultOf = async (lab: KillLab, victim: Victim): Promise<string | undefined> => {
  const { message, taken } = outcomeOf(victim);
  const row = await rowOf(lab, victim);
  const times = timesTaken(lab, victim);
  if (times !== taken) return `${victim.step}: the provider took ${times} texts`;
  if (!message) return row ? `${victim.step}: there is a trace` : undefined;
  const wrong = Object.entries(message).filter(([name, value]) => row?.[name] !== value);
  return wrong.length > 0
    ? `${victim.step}: ${wrong.map(([name, value]) => `${name} is ${row?.[name]}, not ${value}`).join(', ')}`
    : undefined;
};
