import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallbackRequest, SmsAnswer, SmsProvider, SmsProviderName } from '../../../shared/domain/sms/provider.ts';
import { SMS_PROVIDER_DECLARATIONS } from '../../../shared/providers/sms/index.ts';
import { startAwsEndUserMessagingStandIn } from '../../support/providers/aws-end-user-messaging-stand-in.ts';
import { startInfobipStandIn } from '../../support/providers/infobip-stand-in.ts';
import {
  type AcceptedSms,
  deliver,
  type Play,
  type ReceiptOutcome,
  type SmsStandIn,
  THROTTLED_SECONDS,
} from '../../support/providers/stand-in.ts';
import { startTwilioStandIn } from '../../support/providers/twilio-stand-in.ts';
import { accepted, dispatch, NOW, open, TEXT, TO } from './support.ts';

type Cause = Extract<SmsAnswer, { kind: 'refused' }>['cause'];

/** Every cause that a provider has words for, in these words. */
const REFUSALS: Readonly<Record<string, Partial<Record<Cause, readonly string[]>>>> = {
  twilio: {
    recipient: ['21211', '21614', '30005'],
    content: ['21617', '21602'],
    blacklisted: ['21610'],
    throttled: ['20429', '14107', '21611'],
    credit: ['20005', '30002', '90010'],
    credentials: ['20003'],
    unavailable: ['21606', '21408', '21703', '21999'],
  },
  infobip: {
    recipient: ['8:REJECTED_PREFIX_MISSING', '52:REJECTED_DESTINATION'],
    content: ['25:REJECTED_MESSAGE_TOO_LONG', '87:SIGNALS_BLOCKED'],
    blacklisted: ['14:REJECTED_DESTINATION_BLOCKLISTED', '10:REJECTED_DND'],
    throttled: ['20:REJECTED_FLOODING_FILTER'],
    credit: ['12:REJECTED_NOT_ENOUGH_CREDITS', '17:REJECTED_PREPAID_PACKAGE_EXPIRED'],
    credentials: ['401', '403'],
    unavailable: ['6:REJECTED_NETWORK', '19:REJECTED_ROUTE_NOT_AVAILABLE', '400', '999:REJECTED_OF_THE_FUTURE'],
  },
  aws_end_user_messaging: {
    recipient: ['ValidationException:FIELD_VALIDATION_FAILED:destinationPhoneNumber'],
    content: ['ValidationException:FIELD_VALIDATION_FAILED:messageBody', 'ValidationException:MAXIMUM_SIZE_EXCEEDED'],
    blacklisted: ['ConflictException:DESTINATION_PHONE_NUMBER_OPTED_OUT'],
    throttled: ['ThrottlingException'],
    credit: ['ServiceQuotaExceededException:MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT'],
    credentials: ['AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException'],
    unavailable: [
      'ConflictException:RESOURCE_NOT_ACTIVE',
      'ResourceNotFoundException',
      'ServiceQuotaExceededException:DAILY_DESTINATION_CALL_LIMIT',
    ],
  },
};

const STAND_INS: Readonly<Record<string, () => Promise<SmsStandIn>>> = {
  twilio: startTwilioStandIn,
  infobip: () => startInfobipStandIn(() => NOW),
  aws_end_user_messaging: startAwsEndUserMessagingStandIn,
};
/** A setting of each provider that its stand-in does not take. */
const WRONG_CREDENTIALS: Readonly<Record<string, object>> = {
  twilio: { authToken: 'another' },
  infobip: { apiKey: 'another' },
  aws_end_user_messaging: { accessKeyId: 'AKIDANOTHER' },
};
const OUTCOMES: readonly ReceiptOutcome[] = [
  'sent',
  'delivered',
  'invalid_number',
  'carrier_rejected',
  'blacklisted',
  'expired',
];
const TIMEOUT_MS = 300;

/** A forger's callbacks: what was signed, made to say something else. */
const FORGERIES: Readonly<Record<string, (signed: CallbackRequest) => CallbackRequest>> = {
  'a body altered after signing': (signed) => ({
    ...signed,
    body: signed.body.replace('5511987654321', '5511987654320'),
  }),
  'no proof at all': ({ url, headers, body }) => ({
    url,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'content-type')),
    body: body.replace(/"Signature":"[^"]*"/, '"Signature":""'),
  }),
  'a signature of the right form by another key': (signed) => ({
    ...signed,
    headers: Object.fromEntries(
      Object.entries(signed.headers).map(([name, value]) => [
        name,
        name.endsWith('signature') ? swapped(value) : value,
      ]),
    ),
    body: signed.body.replace(/"Signature":"([^"]*)"/, (_, value: string) => `"Signature":"${swapped(value)}"`),
  }),
};
const swapped = (value: string) =>
  value.startsWith('A') ? `B${value.slice(1)}` : value.startsWith('a') ? `b${value.slice(1)}` : `a${value.slice(1)}`;

it('holds every registered provider to this suite', () => {
  expect(SMS_PROVIDER_DECLARATIONS.map(({ name }) => name).sort()).toEqual(Object.keys(STAND_INS).sort());
});

describe.each(Object.entries(STAND_INS))('%s', (name, start) => {
  let standIn: SmsStandIn;
  let provider: SmsProvider;
  let message: AcceptedSms;
  beforeAll(async () => {
    standIn = await start();
    provider = open(name, { ...standIn.settings, timeoutMs: TIMEOUT_MS });
    message = await accepted(standIn, provider);
  });
  afterAll(() => standIn.close());

  const refused = async (play: Play) => {
    standIn.script(play);
    return provider.send(dispatch());
  };
  const noPersonalData = (answer: unknown) => expect(JSON.stringify(answer)).not.toMatch(/5511|9182|segredo/);

  it('names itself as it is registered', () => expect(provider.name).toBe(name as SmsProviderName));

  it('hands the exact text over once and keeps the id of what was accepted', async () => {
    const before = standIn.messages.length;
    const sent = dispatch({ text: 'ç€[]{}~\n+&=% ü 🙂', encoding: 'UCS-2' });
    const answer = await provider.send(sent);
    const [found, ...more] = standIn.messages.slice(before);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ messageId: sent.messageId, to: TO, text: sent.text });
    expect(answer).toEqual({ kind: 'accepted', providerMessageId: found?.providerMessageId });
  });

  it('sends under the sender that a message names', async () => {
    const sent = dispatch({ senderId: '+5511400009999' });
    await provider.send(sent);
    expect(standIn.messages.at(-1)).toMatchObject({ messageId: sent.messageId, from: '+5511400009999' });
  });

  describe.each(Object.entries(REFUSALS[name] ?? {}))('a refusal by cause: %s', (cause, codes) => {
    it.each(codes)('%s is certain and carries neither recipient nor text', async (code) => {
      const before = standIn.messages.length;
      const answer = await refused({ refuse: code });
      expect(answer).toMatchObject({ kind: 'refused', cause });
      expect(standIn.messages.length).toBe(before);
      noPersonalData(answer);
    });
  });

  it('passes on how long a throttled caller shall wait', async () => {
    expect(await refused('throttle')).toMatchObject({
      kind: 'refused',
      cause: 'throttled',
      retryAfterSeconds: THROTTLED_SECONDS,
    });
  });

  it('is refused for credentials that the provider does not know', async () => {
    const stranger = open(name, { ...standIn.settings, ...WRONG_CREDENTIALS[name] });
    expect(await stranger.send(dispatch())).toMatchObject({ kind: 'refused', cause: 'credentials' });
  });

  it.each([
    'server_error',
    'hang',
    'accept_and_hang',
    'reset',
    'accept_and_reset',
    'malformed',
    'wrong_content_type',
  ] as const)('calls an ambiguous answer unknown and asks once only: %s', async (play) => {
    const before = standIn.requests.length;
    const answer = await refused(play);
    expect(answer).toMatchObject({ kind: 'unknown' });
    noPersonalData(answer);
    expect(standIn.requests.length).toBe(before + 1);
  });

  it('gives up in the time that its settings allow', async () => {
    const began = performance.now();
    await refused('hang');
    expect(performance.now() - began).toBeLessThan(TIMEOUT_MS + 1_000);
  });

  it('knows that nothing was sent when nobody listens', async () => {
    const closed = await start();
    await closed.close();
    const answer = await open(name, { ...closed.settings, timeoutMs: TIMEOUT_MS }).send(dispatch());
    expect(answer).toMatchObject({ kind: 'refused', cause: 'unavailable' });
  });

  it.each(OUTCOMES)('reads a signed receipt: %s', async (outcome) => {
    const reading = await provider.readCallback(standIn.receipt(message, outcome));
    const reason = outcome === 'sent' || outcome === 'delivered' ? undefined : outcome;
    const status = reason ? expect.stringMatching(/^(failed|undelivered)$/) : outcome;
    expect(reading).toMatchObject({
      kind: 'events',
      events: [
        {
          kind: 'receipt',
          messageId: message.messageId,
          providerMessageId: message.providerMessageId,
          status,
          ...(reason ? { reason } : {}),
          receipt: { to: TO, reference: message.messageId, channel: 'SMS' },
        },
      ],
    });
  });

  it.each(OUTCOMES)('reads the same receipt twice as the same: %s', async (outcome) => {
    const callback = standIn.receipt(message, outcome);
    expect(await provider.readCallback(callback)).toEqual(await provider.readCallback(callback));
  });

  it('reads a reply and the same reply again as one', async () => {
    const callback = standIn.reply(message, 'SIM, até amanhã & obrigado + 1');
    const reading = await provider.readCallback(callback);
    expect(reading).toMatchObject({
      kind: 'events',
      events: [{ kind: 'reply', from: TO, body: 'SIM, até amanhã & obrigado + 1' }],
    });
    expect(await provider.readCallback(callback)).toEqual(reading);
  });

  describe.each(['receipt', 'reply'] as const)('a forged %s', (kind) => {
    it.each(Object.entries(FORGERIES))('is refused: %s', async (_, forge) => {
      const signed = kind === 'receipt' ? standIn.receipt(message, 'delivered') : standIn.reply(message, 'SIM');
      expect((await provider.readCallback(signed)).kind).toBe('events');
      expect(await provider.readCallback(forge(signed))).toMatchObject({ kind: 'forged' });
    });
  });

  it.each(['', '{}', '[]', 'null', '{"results":[{}]}', '{"eventType":1}', 'MessageSid=', TEXT])(
    'calls a signed body of no known form malformed: %j',
    async (body) => {
      expect(await provider.readCallback(standIn.signed(message, body))).toMatchObject({ kind: 'malformed' });
    },
  );

  it('reads a callback as it comes over HTTP', async () => {
    const received: Omit<CallbackRequest, 'url'>[] = [];
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const headers = Object.entries(request.headers).map(([header, value]) => [header, String(value)]);
      received.push({ headers: Object.fromEntries(headers), body: await text(request) });
      response.end();
    };
    const endpoint = createServer((request, response) => void serve(request, response));
    await new Promise<void>((ready) => endpoint.listen(0, '127.0.0.1', ready));
    const callback = standIn.receipt(message, 'delivered');
    await deliver({ ...callback, url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}` });
    endpoint.closeAllConnections();
    endpoint.close();
    const [posted] = received;
    expect(posted && (await provider.readCallback({ ...posted, url: callback.url }))).toMatchObject({ kind: 'events' });
  });

  it('never throws over what strangers post', async () => {
    for (const body of [
      '',
      '\u0000',
      '{"Type":"Notification"}',
      '%E0%A4%A',
      '{"__proto__":{"a":1}}',
      '['.repeat(5_000),
    ]) {
      for (const url of ['https://callbacks.test/x', 'no address']) {
        const { kind } = await provider.readCallback({ url, headers: {}, body });
        expect(['forged', 'malformed']).toContain(kind);
      }
    }
  });
});
