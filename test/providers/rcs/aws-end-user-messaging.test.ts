import { describe, expect, it } from 'vitest';
import exampleDelivered from '../../../events/providers/aws-end-user-messaging.rcs-delivered.json' with {
  type: 'json',
};
import exampleRead from '../../../events/providers/aws-end-user-messaging.rcs-read.json' with { type: 'json' };
import exampleRequest from '../../../events/providers/aws-end-user-messaging.rcs-send-request.json' with {
  type: 'json',
};
import exampleSuggestion from '../../../events/providers/aws-end-user-messaging.rcs-suggestion.json' with {
  type: 'json',
};
import type { RcsContent } from '../../../shared/domain/channels/rcs/content.ts';
import { parseId } from '../../../shared/domain/core/ids.ts';
import type { CallbackReading } from '../../../shared/domain/message/provider-port.ts';
import { startAwsEndUserMessagingRcsStandIn } from '../../support/providers/aws-end-user-messaging-rcs-stand-in.ts';
import { accepted as acceptedBy, NOW, open } from '../../support/providers/kit.ts';
import { CARD, rcsDispatch } from '../../support/providers/rcs-kit.ts';
import { use } from '../../support/use.ts';
import { events, itNeverRetriesASend, lastBody, receiptsOf } from '../shared.ts';

const AGENT = 'rcs-agent-1234567890';
const FALLBACK = { text: 'Codigo 9182', encoding: 'GSM-7' } as const;
const standIn = await use(startAwsEndUserMessagingRcsStandIn(() => NOW));
const provider = (over: object = {}) =>
  open('rcs', 'aws_end_user_messaging', { ...standIn.settings, timeoutMs: 10_000, ...over });
const accepted = (content: RcsContent = { text: 'Olá' }) => acceptedBy(standIn, provider(), rcsDispatch({ content }));
const rcsReceipts = (reading: CallbackReading) => receiptsOf(reading, 'status', 'reason', 'via');

it('sends the documented request, with our reference in the context', async () => {
  const text = exampleRequest.RcsMessageContent.Content.TextMessage.Body;
  await provider({ originationIdentity: AGENT, fallbackIdentity: '+18005550199', timeToLiveSeconds: 60 }).send(
    rcsDispatch({
      messageId: parseId('message', exampleRequest.Context.messageId),
      to: exampleRequest.DestinationPhoneNumber,
      content: { text, fallback: { text, encoding: 'GSM-7' } },
    }),
  );
  expect(lastBody(standIn)).toEqual(exampleRequest);
});

it.each([{ text: 'Olá' }, { card: CARD }])(
  'has no SMS fallback unless the message names its text, though a pool could send one: %j',
  async (content) => {
    await provider().send(rcsDispatch({ content }));
    expect(Object.keys(lastBody(standIn))).not.toContain('FallbackConfiguration');
    await provider().send(rcsDispatch({ content: { ...content, fallback: FALLBACK } }));
    expect(lastBody(standIn).FallbackConfiguration).toEqual({ Channel: 'SMS', MessageBody: FALLBACK.text });
  },
);

describe('before a request', () => {
  const expectRefused = async (over: object, content: RcsContent, cause: string) => {
    const before = standIn.requests.length;
    expect(await provider(over).send(rcsDispatch({ content }))).toMatchObject({ kind: 'refused', cause });
    expect(standIn.requests.length).toBe(before);
  };

  it('a button that opens a URL other than https is refused as content', async () => {
    const suggestion = { kind: 'openUrl', label: 'Abrir', url: 'http://loja.example.com.br' } as const;
    await expectRefused({}, { card: { title: 'a', description: 'b', suggestions: [suggestion] } }, 'content');
  });

  it('an agent without an identity for its fallback is refused as the sender', async () => {
    for (const originationIdentity of [AGENT, `arn:aws:sms-voice:sa-east-1:123456789012:rcs-agent/${AGENT}`])
      await expectRefused({ originationIdentity }, { text: 'Olá', fallback: FALLBACK }, 'sender');
  });
});

it.each([
  { originationIdentity: AGENT, fallbackIdentity: 'LOJA' },
  { originationIdentity: 'arn:aws:sms-voice:sa-east-1:123456789012:pool/pool-1' },
])('falls back with an identity of its own or one of the pool: %j', async (over) => {
  expect(await provider(over).send(rcsDispatch({ content: { text: 'Olá', fallback: FALLBACK } }))).toMatchObject({
    kind: 'accepted',
  });
});

itNeverRetriesASend(['ThrottlingException', 'InternalServerException'], { standIn, provider, dispatch: rcsDispatch });

it.each([
  ['RCS_QUEUED', 'QUEUED', []],
  ['RCS_SENT', 'SENT', [['sent', undefined, undefined]]],
  ['RCS_SENT', 'PENDING', []],
  ['RCS_DELIVERED', 'DELIVERED', [['delivered', undefined, 'rcs']]],
  ['RCS_DELIVERED', 'PENDING', []],
  ['RCS_DELIVERED', 'UNDELIVERABLE', [['failed', 'no_rcs', 'rcs']]],
  ['RCS_DELIVERED', 'REJECTED', [['failed', 'carrier_rejected', 'rcs']]],
  ['RCS_READ', 'READ', [['read', undefined, 'rcs']]],
  ['RCS_FAILED', 'FAILED', [['failed', undefined, 'rcs']]],
  ['RCS_TTL_EXPIRED', 'TTL_EXPIRATION_REVOKED', [['failed', 'expired', 'rcs']]],
  ['RCS_TTL_EXPIRED', 'TTL_EXPIRATION_REVOKE_FAILED', []],
  ['RCS_PROTECT_BLOCKED', 'PROTECT_BLOCKED', [['failed', 'blacklisted', 'rcs']]],
  ['RCS_OF_THE_FUTURE', 'DELIVERED', []],
  ['CONVERSATION_STARTED', 'PENDING', []],
] as const)('reads the event %s (%s) as %j', async (type, messageStatus, expected) => {
  const message = await accepted();
  expect(rcsReceipts(await provider().readCallback(standIn.event(message, type, { messageStatus })))).toEqual(expected);
});

it.each([
  ['RCS_FAILED', 'UNDELIVERABLE', []],
  ['RCS_FAILED', 'REJECTED', []],
  ['RCS_TTL_EXPIRED', 'TTL_EXPIRATION_REVOKED', []],
  ['RCS_PROTECT_BLOCKED', 'PROTECT_BLOCKED', [['failed', 'blacklisted', 'rcs']]],
  ['RCS_DELIVERED', 'DELIVERED', [['delivered', undefined, 'rcs']]],
  ['RCS_FALLEN_BACK_TO_SMS', 'FALLEN_BACK_TO_SMS', [['sent', undefined, 'sms']]],
  ['TEXT_DELIVERED', 'DELIVERED', [['delivered', undefined, 'sms']]],
  ['TEXT_UNREACHABLE', 'UNREACHABLE', [['failed', undefined, 'sms']]],
  ['TEXT_CARRIER_BLOCKED', 'CARRIER_BLOCKED', [['failed', 'carrier_rejected', 'sms']]],
] as const)('lets the SMS fallback decide where there is one: %s (%s) is %j', async (type, messageStatus, expected) => {
  const message = await accepted({ text: 'Olá', fallback: FALLBACK });
  expect(rcsReceipts(await provider().readCallback(standIn.event(message, type, { messageStatus })))).toEqual(expected);
});

it('reads the documented events, which identify the message by the id of AWS alone', async () => {
  const read = (example: object) => provider().readCallback(standIn.notification(JSON.stringify(example)));
  const common = { kind: 'receipt', providerMessageId: 'test-sc1-004', via: 'rcs' };
  expect(await read(exampleDelivered)).toMatchObject({
    events: [{ ...common, status: 'delivered', at: 1781661267660, receipt: { to: '+13022640220', channel: 'RCS' } }],
  });
  expect(await read(exampleRead)).toMatchObject({ events: [{ ...common, status: 'read', at: 1781661267203 }] });
});

it('reads a tapped suggestion as in the published example: the phone gets its plus, the postback is kept', async () => {
  expect(await provider().readCallback(standIn.notification(JSON.stringify(exampleSuggestion)))).toEqual(
    events({
      kind: 'inbound',
      providerMessageId: exampleSuggestion.inboundMessageId,
      channel: 'rcs',
      from: '+12679164820',
      to: exampleSuggestion.destinationNumber,
      type: 'interactive',
      text: 'Open',
      payload: { interactive: { type: 'button_reply', button_reply: { id: 'Open', title: 'Open' } } },
      at: expect.any(Number),
    }),
  );
});

it.each(['SIM', '{"type":"NOTHING OF AWS"}', '{curly'])('reads inbound text, whatever it is: %s', async (text) => {
  const message = await accepted();
  expect(await provider().readCallback(standIn.twoWay(message, text))).toMatchObject({
    events: [{ kind: 'inbound', type: 'text', text, from: message.to, inReplyTo: message.providerMessageId }],
  });
});

it.each(['RCS_TYPING', 'CONVERSATION_STARTED'])('acknowledges a notice %s without an event', async (type) => {
  const notice = JSON.stringify({ type, receivedAt: '2026-06-17T17:36:29.937+0000' });
  expect(await provider().readCallback(standIn.twoWay(await accepted(), notice))).toEqual(events());
});

it('stores with a receipt which channel reported it', async () => {
  const message = await accepted({ text: 'Olá', fallback: FALLBACK });
  const channel = async (type: string) => {
    const reading = await provider().readCallback(standIn.event(message, type));
    const [event] = reading.kind === 'events' ? reading.events : [];
    return event?.kind === 'receipt' && event.receipt?.channel;
  };
  const channels = [await channel('RCS_SENT'), await channel('RCS_READ'), await channel('TEXT_DELIVERED')];
  expect(channels).toEqual(['RCS', 'RCS', 'SMS']);
});
