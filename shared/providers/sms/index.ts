import type * as z from 'zod';
import type { ProviderIo, SmsProvider, SmsProviderDeclaration, SmsProviderName } from '../../domain/sms/provider.ts';
import { awsEndUserMessaging, awsEndUserMessagingSettings } from './aws-end-user-messaging.ts';
import { infobip, infobipSettings } from './infobip.ts';
import { twilio, twilioSettings } from './twilio.ts';

/** A provider as the registry holds it: opens its adapter over the operator's settings, which it parses. */
export interface RegisteredSmsProvider {
  readonly name: SmsProviderName;
  readonly settings: { parse(input: unknown): unknown };
  /** The same settings as a schema, each with its description and default: what the operator's tools and the documentation show. */
  readonly settingsSchema: z.ZodType;
  open(settings: unknown, io: ProviderIo): SmsProvider;
}

const register = <Settings>(
  declaration: SmsProviderDeclaration<Settings>,
  settingsSchema: z.ZodType<Settings>,
): RegisteredSmsProvider => ({
  name: declaration.name,
  settings: declaration.settings,
  settingsSchema,
  open: (settings, io) => declaration.create(declaration.settings.parse(settings), io),
});

/** Every provider of SMS: one line each. */
export const SMS_PROVIDER_DECLARATIONS: readonly RegisteredSmsProvider[] = [
  register(awsEndUserMessaging, awsEndUserMessagingSettings),
  register(twilio, twilioSettings),
  register(infobip, infobipSettings),
];
