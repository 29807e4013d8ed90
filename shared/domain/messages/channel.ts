import type { EventType } from '../events/catalogue.ts';
import type { MessageRecord, MessageStatus } from './message.ts';
import type { Channel, Provider, RefusalCause, RefusedAnswer, ReportedStatus } from './provider.ts';

/** One report that the sandbox makes of an accepted message, in its order. */
export interface SandboxReport {
  readonly status: ReportedStatus;
  readonly reason?: string;
  readonly via?: 'rcs' | 'sms';
  /** What it says instead of a message that carries the text of an SMS for devices without RCS. */
  readonly unlessFallback?: SandboxReport;
}
/** What the sandbox plays for a recipient: a refusal, or an acceptance and its reports; none means silence. */
export type SandboxPlay = RefusedAnswer | { readonly kind: 'accepted'; readonly reports: readonly SandboxReport[] };

/** How a recipient is found again: by which blind index, and in whose opt-out row. */
export type RecipientKind = 'phone' | 'email' | 'platform';

/** All that a channel adds to the common pipeline besides the content rules of its own operations. */
export interface ChannelRules {
  readonly channel: Channel;
  readonly recipient: RecipientKind;
  /** True where live units move the month's volume (interface 4.1: SMS alone). */
  readonly countsVolume: boolean;
  /** The event that is raised when a status is reached. */
  readonly eventOf: Readonly<Partial<Record<MessageStatus, EventType>>>;
  readonly engagementOf: Readonly<Partial<Record<'opened' | 'clicked', EventType>>>;
  /** The channel's own reason for the causes that belong to the message: no other provider is tried, and the route is healthy. */
  readonly reasonOf: Readonly<Partial<Record<RefusalCause, string>>>;
  /** `to` as it is shown to who may not see it. */
  readonly mask: (to: string) => string;
  readonly sandbox: (to: string) => SandboxPlay;
  /** What the channel's events carry besides the common data. */
  readonly eventData?: (message: MessageRecord) => Readonly<Record<string, unknown>>;
}

/** How long after its acceptance the first report of a sandbox send comes, and each that follows, in ms (interface 4.1, rule 4). */
export const SANDBOX_OUTCOME_MS = 3_000;

/** The provider that reaches nobody. It remembers nothing, so what a crash left without a settlement was not sent. */
export const sandboxProvider = ({ sandbox }: ChannelRules): Provider<unknown> => ({
  name: 'sandbox_provider',
  send: async ({ messageId, to }) => {
    const play = sandbox(to);
    return play.kind === 'refused' ? play : { kind: 'accepted', providerMessageId: `sbx_${messageId.slice(4)}` };
  },
  inquire: async () => ({ kind: 'not_found' }),
  readCallback: async () => ({ kind: 'forged', detail: 'the sandbox calls nobody back' }),
});
