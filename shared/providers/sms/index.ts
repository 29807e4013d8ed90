import type { ProviderIo, SmsProvider, SmsProviderName } from '../../domain/sms/provider.ts';

/** A provider as the registry holds it: opens its adapter over the operator's settings, which it parses. */
export interface RegisteredSmsProvider {
  readonly name: SmsProviderName;
  readonly settings: { parse(input: unknown): unknown };
  open(settings: unknown, io: ProviderIo): SmsProvider;
}

/** Every provider of SMS: one line each. */
export const SMS_PROVIDER_DECLARATIONS: readonly RegisteredSmsProvider[] = [];
