import * as z from 'zod';
import { EMAIL_PROVIDERS, type EmailProviderName } from '../domain/email/content.ts';
import type { Channel } from '../domain/messages/provider.ts';
import { PLATFORM_PROVIDERS, type PlatformChannel, type PlatformProviderName } from '../domain/platforms/providers.ts';
import { SMS_PROVIDERS, type SmsProviderName } from '../domain/sms/provider.ts';
import { defineOperation } from './define-operation.ts';

export type CallbackProvider = Exclude<SmsProviderName | EmailProviderName | PlatformProviderName, 'sandbox_provider'>;
/** Who may call back: every provider but the sandbox, which calls nobody. */
export const CALLBACK_PROVIDERS = [...SMS_PROVIDERS, ...EMAIL_PROVIDERS, ...Object.values(PLATFORM_PROVIDERS)].filter(
  (name): name is CallbackProvider => name !== 'sandbox_provider',
);

/** What a provider calls back with; each kind has an address of its own to be entered at the provider. */
export const CALLBACK_KINDS = ['receipts', 'replies', 'rcs-receipts', 'events'] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];

/** The channel that an address stands for: some providers carry several. */
export const channelOf = (address: { readonly provider: CallbackProvider; readonly kind: CallbackKind }): Channel => {
  if (address.kind === 'rcs-receipts') return 'rcs';
  for (const channel of Object.keys(PLATFORM_PROVIDERS) as PlatformChannel[])
    if (PLATFORM_PROVIDERS[channel] === address.provider) return channel;
  return (EMAIL_PROVIDERS as readonly string[]).includes(address.provider) ? 'email' : 'sms';
};

const common = { path: '/callbacks/{provider}/{kind}', tag: 'Callbacks', permission: 'public' } as const;
const params = (provider: CallbackProvider, kind: CallbackKind) =>
  z.object({
    provider: z.enum(CALLBACK_PROVIDERS).meta({ description: 'Who calls.', example: provider }),
    kind: z
      .enum(CALLBACK_KINDS)
      .meta({ description: 'What the address was given to the provider for.', example: kind }),
  });

export const receiveCallback = defineOperation({
  ...common,
  id: 'callbacks.receive',
  method: 'POST',
  summary: "Take a provider's delivery receipts, inbound messages or notices",
  description:
    "For providers only: each call is proved by the provider's own signature over its exact bytes, 403 without one. Repeats are harmless: a receipt is applied once, an inbound message is kept once and a reply is charged once. One call of Meta's may carry all kinds (`events`). What belongs to no message, and to no number or account of an organization, is acknowledged and counted. 404 for a provider that is not set up.",
  request: {
    params: params('twilio', 'receipts'),
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

const word = (description: string, example: string) => z.string().max(512).meta({ description, example });

export const verifyCallback = defineOperation({
  ...common,
  id: 'callbacks.verify',
  method: 'GET',
  summary: 'Prove to a platform that the address of its callbacks is ours',
  description:
    "Meta asks this before it calls an address back: the challenge is answered when the verification token is that of the provider's settings, 403 otherwise. Changes nothing. 404 for a provider that is not set up or asks no such question.",
  request: {
    params: params('whatsapp_cloud_api', 'events'),
    query: z.strictObject({
      'hub.mode': word('`subscribe`.', 'subscribe'),
      'hub.verify_token': word('The token that was entered with the address.', 'the verification token'),
      'hub.challenge': word('What is to be answered.', '1158201444'),
    }),
  },
  responses: { 200: { contentType: 'text/plain', description: 'The challenge, alone.' } },
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  uses: { table: 'read', vault: true },
});
