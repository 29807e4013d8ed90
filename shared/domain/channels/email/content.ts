import * as z from 'zod';

/** An e-mail to be sent. Only sender, subject and size are stored (docs/spec/email.md#e-mail-content). */
export interface EmailContent {
  /** An address or `Name <address>` (RFC 5322, 3.4). Like all header values here free of CR, LF and NUL. */
  readonly from: string;
  readonly subject: string;
  /** At least one of html and text; a missing `text` is generated from `html`. */
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  /** One-click unsubscribe URL (RFC 8058); absent on transactional e-mail. */
  readonly unsubscribeUrl?: string | undefined;
  /** Whether the provider reported the address as suppressed. Read in parallel with the reservation; never rejects. */
  readonly suppressed?: Promise<boolean> | undefined;
}

/** The stored part of an e-mail: its body is neither stored nor returned. */
export const storedEmail = z.object({
  from: z.string(),
  subject: z.string(),
  /** Size of the sent body in UTF-8 bytes. */
  bodyBytes: z.int(),
});
export type StoredEmail = Readonly<z.output<typeof storedEmail>>;

declare module '../../message/channel.ts' {
  interface ChannelContents {
    email: StoredEmail;
  }
}

/** API names of the provider and of the sandbox. */
export const EMAIL_PROVIDERS = ['amazon_ses', 'sandbox_provider'] as const;
export type EmailProviderName = (typeof EMAIL_PROVIDERS)[number];

/** Domain of Amazon SES's mailbox simulator. */
export const SIMULATOR_DOMAIN = 'simulator.amazonses.com';
/** Whether an address belongs to the mailbox simulator. */
export const isSimulated = (address: string): boolean =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase() === SIMULATOR_DOMAIN;

/** Statuses of an e-mail (docs/spec/email.md#e-mail-statuses). */
export const EMAIL_STATUSES = ['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'] as const;

/** Failure reasons of an e-mail (docs/spec/email.md#e-mail-statuses). */
export const EMAIL_REASONS = [
  'invalid_address',
  'mailbox_full',
  'suppressed',
  'content_rejected',
  'complaint',
  'provider_error',
  'no_verified_sender',
] as const;
export type EmailReason = (typeof EMAIL_REASONS)[number];
