import { expect } from 'vitest';
import { putRoutes } from '../../../shared/storage/access/providers.ts';
import { startAwsEndUserMessagingStandIn } from '../../support/providers/aws-end-user-messaging-stand-in.ts';
import { startInfobipStandIn } from '../../support/providers/infobip-stand-in.ts';
import type { AcceptedMessage, Play, SmsStandIn } from '../../support/providers/stand-in.ts';
import { startTwilioStandIn } from '../../support/providers/twilio-stand-in.ts';
import { setUpProvider } from '../support.ts';
import { noted, postAll, type Watched } from './callers.ts';
import { takeWebhooks } from './channels.ts';
import { CANARIES } from './values.ts';

const { text, name, live: recipient } = CANARIES;

const PLAYS: readonly Play[] = [
  'accept',
  'throttle',
  'server_error',
  'reset',
  'malformed',
  'wrong_content_type',
  'accept_and_reset',
];
const REFUSALS: Readonly<Record<string, string>> = {
  twilio: '21211',
  infobip: '8:REJECTED',
  aws_end_user_messaging: 'ValidationException:OTHER:DestinationPhoneNumber',
};

/** Posts callbacks as the provider does, and faulty ones; the statuses. */
const postCallbacks = (watched: Watched, standIn: SmsStandIn, message: AcceptedMessage) => {
  const { callbackUrl } = message;
  const garbage = JSON.stringify({ phone: recipient, text, name });
  const receipt = standIn.receipt(message, 'delivered');
  const callbacks = [
    receipt,
    receipt,
    standIn.receipt(message, 'invalid_number'),
    standIn.reply(message, CANARIES.reply),
    ...[garbage, `From=${recipient}&Body=${text}`, `{"to":"${recipient}`, text].map((body) =>
      standIn.signed(message, body),
    ),
    { url: callbackUrl, headers: { 'x-twilio-signature': text, authorization: `Basic ${text}` }, body: garbage },
    { url: `${callbackUrl.split('?')[0]}?to=${encodeURIComponent(recipient)}`, headers: {}, body: garbage },
    { url: `${watched.messaging.url}/callbacks/smpp_carrier/receipts`, headers: {}, body: garbage },
  ];
  return postAll(watched, standIn.provider, callbacks);
};

/** Live sends through a provider that accepts, refuses, fails, and answers malformed responses. */
export const useProvider = async (watched: Watched, standIn: SmsStandIn) => {
  const { messaging } = watched;
  const tenant = await messaging.tenant({ live: 1_000_000 });
  for (const route of ['premium', 'otp'] as const)
    await putRoutes(messaging.tables.live, {
      channel: 'sms',
      route,
      providers: [standIn.provider],
      organizationId: tenant.id,
    });
  await takeWebhooks(watched, tenant.live);
  standIn.script(...PLAYS, { refuse: REFUSALS[standIn.provider] ?? '' });
  const statuses: number[] = [];
  for (let at = 0; at <= PLAYS.length; at++) {
    const answer = noted(
      watched,
      `live send by ${standIn.provider}`,
      await tenant.live.send({ to: recipient, body: text, route: at % 2 ? 'otp' : 'premium' }),
    );
    statuses.push(answer.status);
  }
  expect([standIn.provider, ...statuses]).toEqual([standIn.provider, 201, 429, 502, 502, 502, 502, 502, 422]);
  const [accepted] = standIn.messages;
  if (!accepted) throw new Error('nothing was accepted');
  const answered = await postCallbacks(watched, standIn, accepted);
  expect([standIn.provider, ...answered.slice(0, 4)]).toEqual([standIn.provider, 200, 200, 200, 200]);
  for (const status of answered.slice(4)) expect([400, 403, 404]).toContain(status);
};

/** Starts a stand-in of every provider, and sets it up in live. */
export const setUpProviders = async ({ messaging, secrets }: Watched): Promise<readonly SmsStandIn[]> => {
  const aws = await startAwsEndUserMessagingStandIn();
  aws.endpoint = `${messaging.url}/callbacks/aws_end_user_messaging/receipts`;
  const standIns: SmsStandIn[] = [aws, await startTwilioStandIn(), await startInfobipStandIn()];
  for (const { provider, settings } of standIns) {
    await setUpProvider(messaging, 'sms', provider, { ...settings, timeoutMs: 1_000 });
    const { authToken, apiKey, secretAccessKey } = settings;
    secrets[`${provider} credential`] = String(authToken ?? apiKey ?? secretAccessKey);
  }
  return standIns;
};
