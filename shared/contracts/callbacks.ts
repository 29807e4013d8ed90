import * as z from 'zod';
import { EMAIL_PROVIDERS, type EmailProviderName } from '../domain/email/content.ts';
import type { Channel } from '../domain/messages/provider.ts';
import { SMS_PROVIDERS, type SmsProviderName } from '../domain/sms/provider.ts';
import { defineOperation } from './define-operation.ts';

export type CallbackProvider = Exclude<SmsProviderName | EmailProviderName, 'sandbox_provider'>;
/** Who may call back: every provider but the sandbox, which calls nobody. */
export const CALLBACK_PROVIDERS = [...SMS_PROVIDERS, ...EMAIL_PROVIDERS].filter(
  (name): name is CallbackProvider => name !== 'sandbox_provider',
);

/** What a provider calls back with; each kind has an address of its own to be entered at the provider. */
export const CALLBACK_KINDS = ['receipts', 'replies', 'rcs-receipts'] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];

/** The channel that an address stands for: some providers carry several. */
export const channelOf = (address: { readonly provider: CallbackProvider; readonly kind: CallbackKind }): Channel => {
  if (address.kind === 'rcs-receipts') return 'rcs';
  return (EMAIL_PROVIDERS as readonly string[]).includes(address.provider) ? 'email' : 'sms';
};

export const receiveCallback = defineOperation({
  id: 'callbacks.receive',
  method: 'POST',
  path: '/callbacks/{provider}/{kind}',
  tag: 'Callbacks',
  summary: "Take a provider's delivery receipts or inbound replies",
  description:
    "For providers only: each call is proved by the provider's own signature over its exact bytes, 403 without one. Repeats are harmless: a receipt is applied once and a reply is charged once. What belongs to no message is acknowledged and counted. 404 for a provider that is not set up.",
  permission: 'public',
  request: {
    params: z.object({
      provider: z.enum(CALLBACK_PROVIDERS).meta({ description: 'Who calls.', example: 'twilio' }),
      kind: z
        .enum(CALLBACK_KINDS)
        .meta({ description: 'What the address was given to the provider for.', example: 'receipts' }),
    }),
    rawBody: { contentType: '*/*', description: "The provider's own format: a form, JSON, or an SNS notification." },
  },
  responses: {
    200: {
      contentType: 'text/xml',
      description: 'Taken. Empty, or for replies of Twilio a TwiML document that says nothing.',
    },
  },
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  uses: { table: 'write', queues: ['outcome', 'events'], vault: true },
});
