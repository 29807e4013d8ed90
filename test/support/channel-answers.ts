import type { ProblemName } from '../../shared/domain/core/errors.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';

/** The answers that a channel's callers get to a send; each is what the answer must match. */
interface Answers {
  /** To the same request while its first is under way; the seconds of its Retry-After. */
  underWay(retryAfterSeconds: number): object;
  /** The provider gave no certain answer. */
  readonly uncertain: object;
  /** The provider's answer came after another sender claimed the message. */
  readonly overtaken: object;
  /** To the same request, once the message is indeterminate. */
  readonly indeterminate: object;
  /** The provider refused; a synchronous send is refused by this name. */
  refused(name: ProblemName, messageId: string | undefined): object;
  /** To the same request, once the provider refused it: the key is free if the refusal was the answer. */
  readonly afterRefusal: object;
  /** The Retry-After of a refused request; a synchronous send alone has it. */
  retryAfterSeconds(seconds: number | undefined): number | undefined;
}

const failedDependency = (meta: object) => ({ name: 'DEPENDENCY_FAILED', details: { meta } });

/** The caller waits for the provider. */
const SYNC: Answers = {
  underWay: (retryAfterSeconds) => ({
    name: 'CONFLICT',
    details: { meta: { code: 'EM_ANDAMENTO' }, retryAfterSeconds },
  }),
  uncertain: failedDependency({}),
  overtaken: failedDependency({}),
  indeterminate: failedDependency({ reason: 'indeterminate' }),
  refused: (name, messageId) => ({ name, details: { meta: { messageId } } }),
  afterRefusal: { replayed: false, status: 'sent' },
  retryAfterSeconds: (seconds) => seconds,
};

/** The message is queued: its caller reads the result. */
const QUEUED: Answers = {
  underWay: () => ({ replayed: true, status: 'sending' }),
  uncertain: { replayed: false, status: 'sending' },
  overtaken: { replayed: false, status: 'sending' },
  indeterminate: { replayed: true, status: 'failed', reason: 'indeterminate' },
  refused: (_, id) => ({ replayed: false, status: 'failed', id }),
  afterRefusal: { replayed: true, status: 'failed' },
  retryAfterSeconds: () => undefined,
};

/** The evidence, after a crash or a lost response, that a provider accepted a message. */
type Proof = 'status_query' | 'receipt' | 'nothing';

/**
 * A status query proves both that a provider accepted a message and that it did not. A receipt that repeats our reference proves the
 * first. Instagram gets no reference from us, and push services report nothing.
 */
const CHANNELS: Readonly<Record<Channel, { readonly answers: Answers; readonly proof: Proof }>> = {
  sms: { answers: SYNC, proof: 'status_query' },
  rcs: { answers: SYNC, proof: 'status_query' },
  email: { answers: SYNC, proof: 'receipt' },
  whatsapp: { answers: QUEUED, proof: 'receipt' },
  instagram: { answers: QUEUED, proof: 'nothing' },
  push: { answers: QUEUED, proof: 'nothing' },
};
export const answersOn = (channel: Channel): Answers => CHANNELS[channel].answers;
export const proofOn = (channel: Channel): Proof => CHANNELS[channel].proof;

/** How a message ends whose sender never got its provider's answer. */
export interface Ending {
  readonly charged: 0 | 1;
  readonly message: { readonly status: 'sent' | 'failed'; readonly reason?: string };
  /** The answer to the same request afterwards. */
  readonly again: object;
}

/** The endings of a channel's messages that no sender settled, by whether the provider accepted them. */
export const endingsOn = (channel: Channel): { readonly accepted: Ending; readonly notAccepted: Ending } => {
  const { answers, proof } = CHANNELS[channel];
  const proven: Ending = { charged: 1, message: { status: 'sent' }, again: { replayed: true, status: 'sent' } };
  const abandoned: Ending = {
    charged: 0,
    message: { status: 'failed', reason: 'abandoned' },
    again: { replayed: false, status: 'sent' },
  };
  const indeterminate: Ending = {
    charged: 0,
    message: { status: 'failed', reason: 'indeterminate' },
    again: answers.indeterminate,
  };
  return {
    accepted: proof === 'nothing' ? indeterminate : proven,
    notAccepted: proof === 'status_query' ? abandoned : indeterminate,
  };
};
