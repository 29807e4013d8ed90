/** An e-mail as it is to reach the inbox. Only sender, subject and size of it are kept (interface 2.6). */
export interface EmailContent {
  /** An address, or `Name <address>` (RFC 5322, 3.4); without CR, LF or NUL, as all header values here. */
  readonly from: string;
  readonly subject: string;
  /** At least one of both; `text` is made from `html` where it is absent. */
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  /** Where one click takes the recipient out (RFC 8058); absent on transactional mail. */
  readonly unsubscribeUrl?: string | undefined;
  /** Whether its provider reported the address as suppressed: asked beside the reservation, so that no send waits for it. Never rejects. */
  readonly suppressed?: Promise<boolean> | undefined;
}

/** The wire name of the provider that the sandbox plays, and of its simulator (decisions, part 4). */
export const EMAIL_PROVIDERS = ['amazon_ses', 'sandbox_provider'] as const;
export type EmailProviderName = (typeof EMAIL_PROVIDERS)[number];

/** The mailbox simulator's domain. */
export const SIMULATOR_DOMAIN = 'simulator.amazonses.com';
/** Whether an address is one of the mailbox simulator. */
export const isSimulated = (address: string): boolean =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase() === SIMULATOR_DOMAIN;

/** Where an e-mail may stand (interface 2.6). */
export const EMAIL_STATUSES = ['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'] as const;

/** Why an e-mail failed (interface 2.6). */
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
