import type { Tenant } from '../core/actor.ts';
import type { Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Channel, ChannelContents } from './channel.ts';
import type { Labels, MessageType } from './message.ts';

/** A short link of a message: its code and its target. */
export interface PlannedLink {
  readonly code: string;
  readonly url: string;
}

/** A request planned under a channel's rules: recipient, content and billed units. Contains neither idempotency key nor price. */
export interface ChannelPlan<C extends Channel = Channel> {
  readonly channel: C;
  /** The row of the price table. */
  readonly route: string;
  /** In the channel's own format. */
  readonly to: string;
  readonly type: MessageType;
  /** The content to store. */
  readonly content: ChannelContents[C];
  /** Billed units: segments on SMS; 1 when absent. */
  readonly units?: number | undefined;
  /** False for transactional messages, which an opt-out does not stop. */
  readonly requiresConsent: boolean;
  /**
   * The contact of the recipient, if the recipient's address identifies it. A contact named by the request takes
   * precedence.
   */
  readonly contactId?: Id<'contact'> | undefined;
  readonly links?: readonly PlannedLink[] | undefined;
  readonly labels?: Labels | undefined;
  /** The SMS that the message's provider may send in its place, if that may cost a different price. */
  readonly asSms?: { readonly route: string; readonly segments: number } | undefined;
  /** The field whose text may be sent as an SMS instead: only to destinations where the organization sends SMS. */
  readonly smsField?: string | undefined;
  /** The organization's contracted sends per second; absent without a limit. */
  readonly perSecond?: number | undefined;
}

/** A plan, and the content to send if it differs from the stored content. */
export interface Planned<C extends Channel = Channel> {
  readonly plan: ChannelPlan<C>;
  readonly outbound?: unknown;
}

/** Why a request cannot be planned: it breaks a rule of the channel, or a required resource is missing or closed. */
export type PlanRefusal = Refusal<'CONFLICT' | 'PRECONDITION_FAILED' | 'VALIDATION_ERROR'>;

/** Plans a request on one channel. Stores nothing. */
export type ChannelPlanner<C extends Channel, Ports, Request> = (
  ports: Ports,
  tenant: Tenant,
  request: Request,
) => Promise<Planned<C> | PlanRefusal>;
