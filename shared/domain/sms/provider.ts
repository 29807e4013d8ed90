import type { Channel, Dispatch, Provider, ProviderDeclaration } from '../messages/provider.ts';

/** The providers' names on the wire (decisions, part 4). */
export const SMS_PROVIDERS = [
  'aws_end_user_messaging',
  'twilio',
  'infobip',
  'smpp_carrier',
  'sandbox_provider',
] as const;
export type SmsProviderName = (typeof SMS_PROVIDERS)[number];

/** Routes of an SMS (interface, 2.1). `la_dedicada` has no table price and is never dispatched. */
export const SMS_ROUTES = ['premium', 'otp', 'la_dedicada'] as const;
export type SmsRoute = (typeof SMS_ROUTES)[number];

/** Where an SMS may stand, and why it failed (interface, 2.1). */
export const SMS_STATUSES = ['queued', 'sending', 'sent', 'delivered', 'failed', 'undelivered'] as const;
export const SMS_REASONS = [
  'invalid_number',
  'carrier_rejected',
  'blacklisted',
  'expired',
  'indeterminate',
  'abandoned',
] as const;

/** A text as it is to reach the device, with its billable count (interface 4.1, rule 5). */
export interface SmsContent {
  readonly text: string;
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** Billable characters. */
  readonly length: number;
  readonly segments: number;
  readonly senderId?: string | undefined;
}

export type SmsDispatch = Dispatch<SmsContent>;
export type SmsProvider = Provider<SmsContent>;
/** How a provider of SMS is declared. */
export type SmsProviderDeclaration<Settings> = ProviderDeclaration<SmsContent, Settings> & {
  readonly channel: Extract<Channel, 'sms'>;
  readonly name: SmsProviderName;
};
