import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Sender, SenderChannel } from './sender.ts';

/** Sender lookups for planners. */
export interface SenderChecks {
  /** Whether the organization may send as this value; in the sandbox, any valid value is verified by its first use. */
  readonly mayUseSender: (tenant: Tenant, channel: SenderChannel, value: string) => Promise<boolean>;
  /** Whether a verified sender of the organization covers this value; unlike a use, this verifies nothing in the sandbox. */
  readonly ownsSender: (organizationId: Id<'organization'>, channel: SenderChannel, value: string) => Promise<boolean>;
  /** The default sender of a channel; undefined if there is none. */
  readonly defaultSender: (organizationId: Id<'organization'>, channel: SenderChannel) => Promise<string | undefined>;
}

/** 412 for a sender that the organization does not own (docs/spec/senders.md#what-a-send-may-name). */
export const notOwnSender = (path: string): Refusal<'PRECONDITION_FAILED'> =>
  refuse('PRECONDITION_FAILED', {
    detail: `\`${path}\` is not a verified sender of the organization: register it with POST /v2/senders, or leave it out.`,
    meta: { motivo: 'no_verified_sender' },
  });

/** Whether one of an organization's senders is verified. */
export const isVerified = (senders: readonly Sender[]): boolean => senders.some(({ status }) => status === 'verified');
