import type { ProblemName } from '../../shared/domain/core/errors.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';

/** What a caller of a channel is told of a send, by fate; each is what the answer must match. */
interface Told {
  /** The same request while its first is under way: when it may come again, in seconds. */
  underWay(retryAfterSeconds: number): object;
  /** The provider gave no certain answer. */
  readonly uncertain: object;
  /** The provider's answer came after others took the message over. */
  readonly overtaken: object;
  /** The same request, of which nobody will ever know. */
  readonly indeterminate: object;
  /** The provider refused: by this name to who waits for it. */
  refused(name: ProblemName, messageId: string | undefined): object;
  /** After how long a refused request may come again; only who waits is told. */
  retryAfterSeconds(seconds: number | undefined): number | undefined;
}

const failedDependency = (meta: object) => ({ name: 'DEPENDENCY_FAILED', details: { meta } });

/** The caller waits for the provider. */
const WAITING: Told = {
  underWay: (retryAfterSeconds) => ({
    name: 'CONFLICT',
    details: { meta: { code: 'EM_ANDAMENTO' }, retryAfterSeconds },
  }),
  uncertain: failedDependency({}),
  overtaken: failedDependency({}),
  indeterminate: failedDependency({ reason: 'indeterminate' }),
  refused: (name, messageId) => ({ name, details: { meta: { messageId } } }),
  retryAfterSeconds: (seconds) => seconds,
};

/** The message was accepted and leaves by itself: its caller reads what became of it. */
const READING: Told = {
  underWay: () => ({ replayed: true, status: 'sending' }),
  uncertain: { replayed: false, status: 'sending' },
  overtaken: { replayed: false, status: 'sending' },
  indeterminate: { replayed: true, status: 'failed', reason: 'indeterminate' },
  refused: (_, id) => ({ replayed: false, status: 'failed', id }),
  retryAfterSeconds: () => undefined,
};

const TOLD: Readonly<Record<Channel, Told>> = {
  sms: WAITING,
  rcs: WAITING,
  email: WAITING,
  whatsapp: READING,
  instagram: READING,
  push: READING,
};

/** How a channel tells its callers. */
export const toldOn = (channel: Channel): Told => TOLD[channel];

/** What may tell, after a crash or a lost answer, that a provider took a message. */
type Proof = 'inquiry' | 'receipt' | 'nothing';

/**
 * A provider that can be asked proves both that it took a message and that it did not. A receipt that repeats our reference proves the
 * first. Instagram is told no reference, and push services report nothing.
 */
const PROOFS: Readonly<Record<Channel, Proof>> = {
  sms: 'inquiry',
  rcs: 'inquiry',
  email: 'receipt',
  whatsapp: 'receipt',
  instagram: 'nothing',
  push: 'nothing',
};
export const proofOn = (channel: Channel): Proof => PROOFS[channel];

/** How a message ends whose sender never heard of its provider. */
export interface Fate {
  /** How often it is charged. */
  readonly charged: 0 | 1;
  readonly message: { readonly status: 'sent' | 'failed'; readonly reason?: string };
  /** What the same request is told after it. */
  readonly again: object;
}

/** The fates of a channel's messages that no sender settled, by whether the provider took them. */
export const fatesOn = (channel: Channel): { readonly taken: Fate; readonly untaken: Fate } => {
  const proven: Fate = { charged: 1, message: { status: 'sent' }, again: { replayed: true, status: 'sent' } };
  const abandoned: Fate = {
    charged: 0,
    message: { status: 'failed', reason: 'abandoned' },
    again: { replayed: false, status: 'sent' },
  };
  const indeterminate: Fate = {
    charged: 0,
    message: { status: 'failed', reason: 'indeterminate' },
    again: TOLD[channel].indeterminate,
  };
  const proof = PROOFS[channel];
  return {
    taken: proof === 'nothing' ? indeterminate : proven,
    untaken: proof === 'inquiry' ? abandoned : indeterminate,
  };
};
