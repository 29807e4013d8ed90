import * as z from 'zod';
import type { Dispatch, Provider, ProviderDeclaration } from '../../message/provider-port.ts';

/** Providers' names in the API (docs/spec/sms.md#sms-shape). */
export const SMS_PROVIDERS = [
  'aws_end_user_messaging',
  'twilio',
  'infobip',
  'smpp_carrier',
  'sandbox_provider',
] as const;
export type SmsProviderName = (typeof SMS_PROVIDERS)[number];

/** SMS routes (docs/spec/sms.md#routes). `la_dedicada` has no list price and is never sent. */
export const SMS_ROUTES = ['premium', 'otp', 'la_dedicada'] as const;
export type SmsRoute = (typeof SMS_ROUTES)[number];

/** Statuses and failure reasons of an SMS (docs/spec/sms.md#sms-statuses). */
export const SMS_STATUSES = ['queued', 'sending', 'sent', 'delivered', 'failed', 'undelivered'] as const;
export const SMS_REASONS = [
  'invalid_number',
  'carrier_rejected',
  'blacklisted',
  'expired',
  'indeterminate',
  'abandoned',
] as const;

/** The text as the device receives it, and its billable size (docs/spec/sms.md#text-as-sent). */
export const storedSms = z.object({
  text: z.string(),
  encoding: z.enum(['GSM-7', 'UCS-2']),
  /** Billable characters: septets in GSM-7, UTF-16 code units in UCS-2. */
  length: z.int(),
  segments: z.int(),
  senderId: z.string().optional(),
});
export type SmsContent = Readonly<z.output<typeof storedSms>>;

declare module '../../message/channel.ts' {
  interface ChannelContents {
    sms: SmsContent;
  }
}

export type SmsDispatch = Dispatch<SmsContent>;
export type SmsProvider = Provider<SmsContent>;
/** The declaration of an SMS provider. */
export type SmsProviderDeclaration<Settings> = ProviderDeclaration<SmsContent, Settings> & {
  readonly channel: 'sms';
  readonly name: SmsProviderName;
};
