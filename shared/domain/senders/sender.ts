import type { AuditEntry } from '../audit/entry.ts';
import { parseAddress, parseDomain } from '../core/email-address.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';

/** The channels whose senders are registered here; a WhatsApp number or an Instagram account is its own sender. */
export const SENDER_CHANNELS = ['email', 'sms', 'rcs'] as const;
export type SenderChannel = (typeof SENDER_CHANNELS)[number];

export const SENDER_STATUSES = ['pending', 'verified', 'rejected'] as const;
export type SenderStatus = (typeof SENDER_STATUSES)[number];

export const RECORD_TYPES = ['CNAME', 'TXT'] as const;
/** A DNS record that the owner of a domain sets. */
export interface DnsRecord {
  readonly type: (typeof RECORD_TYPES)[number];
  readonly name: string;
  readonly value: string;
}

/** A sender identity of an organization, in one environment. */
export interface Sender {
  readonly id: Id<'sender'>;
  readonly organizationId: Id<'organization'>;
  readonly channel: SenderChannel;
  /** An e-mail address or domain in lower case, or an SMS or RCS sender as its messages show it. */
  readonly value: string;
  readonly status: SenderStatus;
  /** DNS records of a domain; absent where there is nothing to set. */
  readonly records?: readonly DnsRecord[] | undefined;
  /** The default sender, for messages without one; at most one per channel. */
  readonly isDefault: boolean;
  /** Assigned by the operator: the provider is neither queried nor notified about it. */
  readonly assigned?: true | undefined;
  /** Verified by its use in the sandbox, which is not exclusive: several organizations may have used the value. */
  readonly used?: true | undefined;
  /** When it was first verified (ms). From then on its value stays with the organization, even after it is deleted. */
  readonly verifiedAt?: number | undefined;
  /** Until when (ms) a pending e-mail sender is checked with the provider. */
  readonly checkUntil?: number | undefined;
  /** When it is checked next (ms); with `checkUntil`. */
  readonly nextCheckAt?: number | undefined;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type SenderOutcome =
  | { readonly kind: 'saved' | 'conflict' | 'limit_reached' }
  /** Another organization has the value. `own`: the organization itself already has it. */
  | { readonly kind: 'taken'; readonly own: boolean };

export interface SenderStore {
  /** Adds a sender, with its audit entry. */
  create(sender: Sender, entry?: AuditEntry): Promise<SenderOutcome>;
  /**
   * Replaces a sender that is still `before`; `isDefault` stays. A rejected one releases its value; one that is verified or registered
   * again acquires it: `taken` if another organization has it by then, or has verified a value that covers it or that it covers.
   */
  change(before: Sender, after: Sender, entry?: AuditEntry): Promise<'conflict' | 'saved' | 'taken'>;
  /** Makes a verified sender its channel's default in place of any other, or clears that. False if it changed meanwhile. */
  setDefault(sender: Sender, isDefault: boolean, entry: AuditEntry): Promise<boolean>;
  /** The value of a channel's default sender. */
  defaultOf(organizationId: Id<'organization'>, channel: SenderChannel): Promise<string | undefined>;
  /** Deletes a sender; frees its value unless it was ever verified. */
  remove(sender: Sender, entry: AuditEntry): Promise<boolean>;
  read(organizationId: Id<'organization'>, id: Id<'sender'>): Promise<Sender | undefined>;
  /** All senders of an organization, newest first. */
  list(organizationId: Id<'organization'>): Promise<readonly Sender[]>;
  /** The senders of any organization that have one of these exclusive values. */
  holders(channel: SenderChannel, values: readonly string[]): Promise<readonly Sender[]>;
  /** Whether another organization has a verified value below this one. */
  hasForeignBelow(organizationId: Id<'organization'>, channel: SenderChannel, value: string): Promise<boolean>;
  /** The ones of these values that the organization has. */
  find(
    organizationId: Id<'organization'>,
    channel: SenderChannel,
    values: readonly string[],
  ): Promise<readonly Sender[]>;
}

/** The e-mail provider's state of a domain or an address. */
export type IdentityState = Pick<Sender, 'status' | 'records'>;
export type IdentityAnswer =
  | { readonly kind: 'done'; readonly state: IdentityState }
  /** `exists`: the operator's account already has it, for itself or for another organization. */
  | { readonly kind: 'absent' | 'exists' }
  | { readonly kind: 'unavailable'; readonly detail: string };

/** The provider's registry of verified e-mail domains and addresses. */
export interface EmailIdentities {
  create(value: string): Promise<IdentityAnswer>;
  read(value: string): Promise<IdentityAnswer>;
  remove(value: string): Promise<IdentityAnswer>;
  /** Whether DNS has this TXT record now. False while name servers do not respond. */
  hasText(record: Pick<DnsRecord, 'name' | 'value'>): Promise<boolean>;
}

export interface SenderPorts {
  readonly clock: Clock;
  readonly senders: SenderStore;
  /** Undefined if no e-mail provider is set up. */
  readonly emailIdentities: () => Promise<EmailIdentities | undefined>;
  /** Enqueues the next check of a pending sender. Best effort: the dispatcher finds it by its due row. */
  readonly enqueueCheck: (sender: Sender) => void;
}

/** An alphanumeric SMS sender (3GPP TS 23.040, 9.1.2.5: at most 11 characters); with a letter, so that it is not a number. */
const ALPHANUMERIC = /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/;
/** A short code, or a number with or without its plus sign. */
const DIGITS = /^\+?\d{3,15}$/;
const RCS_AGENT = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/** Labels of a domain: each parent domain takes part in the transaction that verifies it, which has at most 100 writes. */
const MAX_LABELS = 20;

const READ_AS: Readonly<Record<SenderChannel, (value: string) => string | undefined>> = {
  email: (value) => {
    const read = (value.includes('@') ? parseAddress(value) : parseDomain(value))?.toLowerCase();
    return (read?.slice(read.indexOf('@') + 1).split('.').length ?? 0) > MAX_LABELS ? undefined : read;
  },
  sms: (value) => {
    // Phones display multiple spaces as one.
    const shown = value.replaceAll(/ +/g, ' ');
    return ALPHANUMERIC.test(shown) || DIGITS.test(shown) ? shown : undefined;
  },
  rcs: (value) => (RCS_AGENT.test(value) ? value : undefined),
};

/** The value to store; undefined if it is not a valid sender of the channel. */
export const senderValue = (channel: SenderChannel, value: string): string | undefined =>
  READ_AS[channel](value.trim());

/** The form in which values are compared: numbers without the plus sign, names without case. */
export const comparedValue = (channel: SenderChannel, value: string): string =>
  channel === 'sms' && DIGITS.test(value) ? value.replace('+', '') : value.toUpperCase();

/** Whether readers take the value for a specific organization, so that only one may have it in a stage. Numbers may be shared. */
export const isExclusive = (channel: SenderChannel, value: string): boolean =>
  channel !== 'sms' || ALPHANUMERIC.test(value);

/** The values whose verified sender permits this one: an e-mail address, its domain, and the parent domains, as in SES. */
export const coveringValues = (channel: SenderChannel, value: string): readonly string[] => {
  const own = senderValue(channel, value);
  if (own === undefined || channel !== 'email') return own === undefined ? [] : [own];
  const labels = own.slice(own.indexOf('@') + 1).split('.');
  const domains = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
  return own.includes('@') ? [own, ...domains] : domains;
};
