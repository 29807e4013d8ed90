import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Sender, SenderChannel } from './sender.ts';

/** What planners ask about senders. */
export interface SenderChecks {
  /** Whether the organization may send as this value; in the sandbox every well-formed one is verified by its first use. */
  readonly mayUseSender: (tenant: Tenant, channel: SenderChannel, value: string) => Promise<boolean>;
  /** Whether a verified sender of the organization covers this value; unlike a use, being asked verifies nothing in the sandbox. */
  readonly ownsSender: (organizationId: Id<'organization'>, channel: SenderChannel, value: string) => Promise<boolean>;
  /** The default sender of a channel; undefined if there is none. */
  readonly defaultSender: (organizationId: Id<'organization'>, channel: SenderChannel) => Promise<string | undefined>;
}

/** 412 for a sender that is not the organization's (docs/spec/senders.md#what-a-send-may-name). */
export const notOwnSender = (path: string): Refusal<'PRECONDITION_FAILED'> =>
  refuse('PRECONDITION_FAILED', {
    detail: `\`${path}\` is no verified sender of the organization: register it with POST /v2/senders, or leave it out.`,
    meta: { motivo: 'no_verified_sender' },
  });

/** Whether one of an organization's senders allows to send. */
export const isVerified = (senders: readonly Sender[]): boolean => senders.some(({ status }) => status === 'verified');
