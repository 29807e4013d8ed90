import * as z from 'zod';
import { PROVIDER_NAMES } from '../domain/channels/registry.ts';
import type { CallbackAddress } from '../domain/inbound/callback-ports.ts';
import { CALLBACK_KINDS, type CallbackKind } from '../domain/message/provider-port.ts';
import { defineOperation } from './define-operation.ts';

/** Every provider but the sandbox, which has no callbacks. */
export const CALLBACK_PROVIDERS = PROVIDER_NAMES.filter((name) => name !== 'sandbox_provider');

/**
 * Response bodies that a provider requires; empty for all others. Twilio executes the response to a reply as TwiML: this one contains no
 * instruction.
 */
const ANSWERS: Readonly<Record<string, { readonly body: string; readonly contentType: string }>> = {
  'twilio/replies': {
    body: '<?xml version="1.0" encoding="UTF-8"?><Response/>',
    contentType: 'text/xml; charset=utf-8',
  },
};
/** The body and content type of a successful response; undefined if it is empty. */
export const callbackAnswer = (address: CallbackAddress) => ANSWERS[`${address.provider}/${address.kind}`];

const common = { tag: 'Callbacks', permission: 'public' } as const;
const params = (provider: string, kind: CallbackKind) =>
  z.object({
    provider: z.enum(CALLBACK_PROVIDERS).meta({ description: 'The provider that calls.', example: provider }),
    kind: z
      .enum(CALLBACK_KINDS)
      .meta({ description: 'The kind of callback that the URL was given to the provider for.', example: kind }),
  });

export const receiveCallback = defineOperation({
  ...common,
  id: 'callbacks.receive',
  route: 'POST /callbacks/{provider}/{kind}',
  summary: "Receive a provider's delivery receipts, inbound messages or events",
  description:
    "For providers only: each call is authenticated by the provider's own signature over its exact bytes; 403 without one. Repeats are harmless: a receipt is applied once, an inbound message is stored once and a reply is charged once. One call of Meta may contain all kinds (`events`). Entries that match no message, number or account of an organization are acknowledged and counted. 404 for a provider that is not configured.",
  params: params('twilio', 'receipts'),
  rawBody: { contentType: '*/*', description: "The provider's own format: a form, JSON, or an SNS notification." },
  answer: {
    contentType: 'text/xml',
    description: "Received. Empty, or for Twilio's replies a TwiML document without instructions.",
  },
  uses: { table: 'write', queues: ['outcome', 'events', 'send'], rootKeys: ['callbacks', 'recipients'] },
});

const word = (description: string, example: string) => z.string().max(512).meta({ description, example });

export const verifyCallback = defineOperation({
  ...common,
  id: 'callbacks.verify',
  route: 'GET /callbacks/{provider}/{kind}',
  summary: 'Verify a callback URL to a provider',
  description:
    "Meta calls this before it sends callbacks to a URL: the challenge is returned if the verification token is that of the provider's settings, 403 otherwise. Changes nothing. 404 for a provider that is not configured or has no such verification.",
  params: params('whatsapp_cloud_api', 'events'),
  query: z.strictObject({
    'hub.mode': word('`subscribe`.', 'subscribe'),
    'hub.verify_token': word('The verification token that was entered with the URL.', 'the verification token'),
    'hub.challenge': word('The challenge to return.', '1158201444'),
  }),
  answer: { contentType: 'text/plain', description: 'The challenge, and nothing else.' },
  uses: { table: 'read', rootKeys: ['callbacks'] },
});
