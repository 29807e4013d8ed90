import { expect, it } from 'vitest';
import exampleInbound from '../../../events/providers/twilio.inbound-message.json' with { type: 'json' };
import exampleStatus from '../../../events/providers/twilio.status-callback.json' with { type: 'json' };
import { twilioSettings, twilioSignature } from '../../../shared/providers/sms/twilio.ts';
import { accepted as acceptedBy, open } from '../../support/providers/kit.ts';
import { smsDispatch as dispatch } from '../../support/providers/sms-kit.ts';
import { startTwilioStandIn } from '../../support/providers/twilio-stand-in.ts';
import { use } from '../../support/use.ts';
import { receiptsOf } from '../shared.ts';

const standIn = await use(startTwilioStandIn());
const provider = (over: object = {}) => open('sms', 'twilio', { ...standIn.settings, ...over });
const accepted = () => acceptedBy(standIn, provider(), dispatch());

/** The example of Twilio's documentation and of its libraries' tests (twilio.com/docs/usage/security). */
const PUBLISHED = {
  token: '12345',
  url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
  params: new URLSearchParams({
    Digits: '1234',
    CallSid: 'CA1234567890ABCDE',
    To: '+18005551212',
    Caller: '+14158675309',
    From: '+14158675309',
  }),
  signature: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
};

it("makes the signature that Twilio's documentation publishes, whatever the order of the parameters", () => {
  const { token, url, params, signature } = PUBLISHED;
  expect(twilioSignature(token, url, params)).toBe(signature);
  expect(twilioSignature(token, url, new URLSearchParams([...params].reverse()))).toBe(signature);
});

it('accepts a signature over the URL with its default port or without it', async () => {
  const message = await accepted();
  const signed = standIn.receipt(message, 'delivered');
  for (const spelling of [message.callbackUrl, message.callbackUrl.replace('callbacks.test', 'callbacks.test:443')]) {
    expect((await provider().readCallback({ ...signed, url: spelling })).kind).toBe('events');
  }
});

it('refuses a receipt whose URL was changed to another message', async () => {
  const message = await accepted();
  const signed = standIn.receipt(message, 'delivered');
  const url = signed.url.replace(/messageId=.*/, 'messageId=msg_000000000000000000000');
  expect(await provider().readCallback({ ...signed, url })).toMatchObject({ kind: 'forged' });
});

it('sends Twilio the callback URL with our reference in it', async () => {
  const sent = dispatch({ callbackUrl: 'https://callbacks.test/callbacks/twilio' });
  await provider().send(sent);
  expect(standIn.messages.at(-1)?.callbackUrl).toBe(
    `https://callbacks.test/callbacks/twilio?messageId=${sent.messageId}`,
  );
});

it('lets a Messaging Service choose the sender of a message that names none', async () => {
  const messagingServiceSid = `MG${'2'.repeat(32)}`;
  await provider({ from: undefined, messagingServiceSid }).send(dispatch());
  const form = new URLSearchParams(standIn.requests.at(-1)?.body);
  expect([form.get('MessagingServiceSid'), form.get('From')]).toEqual([messagingServiceSid, null]);
});

it('sends with an API key and still checks callbacks with the auth token', async () => {
  const withKey = provider({ apiKeySid: `SK${'3'.repeat(32)}`, apiKeySecret: 'key-secret' });
  await withKey.send(dispatch());
  expect(standIn.requests.at(-1)?.headers.authorization).toBe(
    `Basic ${Buffer.from(`SK${'3'.repeat(32)}:key-secret`).toString('base64')}`,
  );
  const message = await accepted();
  expect((await withKey.readCallback(standIn.receipt(message, 'sent'))).kind).toBe('events');
});

it.each([
  ['queued', []],
  ['sending', []],
  ['accepted', []],
  ['a status of the future', []],
  ['sent', ['sent']],
  ['delivered', ['delivered']],
  ['read', ['delivered']],
  ['undelivered', ['undelivered']],
  ['failed', ['failed']],
  ['canceled', ['failed']],
])('reads the status %s as %j', async (MessageStatus, expected) => {
  const message = await accepted();
  const reading = await provider().readCallback(standIn.status(message, { MessageStatus }));
  expect(receiptsOf(reading, 'status')).toEqual(expected.map((status) => [status]));
});

it.each([
  ['21268', 'invalid_number'],
  ['21635', 'invalid_number'],
  ['30003', undefined],
  ['30004', 'blacklisted'],
  ['30006', 'invalid_number'],
  ['30007', 'carrier_rejected'],
  ['30008', undefined],
  ['30019', 'carrier_rejected'],
  ['30036', 'expired'],
  ['39999', undefined],
])('gives the error code %s the reason %s', async (ErrorCode, reason) => {
  const message = await accepted();
  const reading = await provider().readCallback(standIn.status(message, { MessageStatus: 'undelivered', ErrorCode }));
  const [event] = reading.kind === 'events' ? reading.events : [];
  expect(event?.kind === 'receipt' && event.reason).toBe(reason);
  expect(event?.kind === 'receipt' && event.receipt?.statusDescription).toContain(ErrorCode);
});

it.each([exampleStatus, exampleInbound])('reads the documented callback', async ({ url, form }) => {
  const body = new URLSearchParams(form as unknown as Record<string, string>).toString();
  const authToken = 'a-test-token';
  const headers = { 'x-twilio-signature': twilioSignature(authToken, url, new URLSearchParams(body)) };
  const reading = await provider().readCallback({ url, headers, body });
  expect(reading).toMatchObject({ kind: 'events', events: [expect.anything()] });
});

it('has no status query, since Twilio keeps no reference of ours', () => {
  expect(provider().queryStatus).toBeUndefined();
});

it.each([
  { authToken: undefined },
  { from: undefined },
  { apiKeySid: `SK${'3'.repeat(32)}` },
  { accountSid: 'AC1' },
  { unheardOf: 1 },
])('refuses settings that cannot work: %j', (over) => {
  expect(twilioSettings.safeParse({ ...standIn.settings, ...over }).success).toBe(false);
});
