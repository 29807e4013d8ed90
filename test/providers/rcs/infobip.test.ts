import { expect, it } from 'vitest';
import exampleReports from '../../../events/providers/infobip.rcs-delivery-reports.json' with { type: 'json' };
import exampleInbound from '../../../events/providers/infobip.rcs-inbound-message.json' with { type: 'json' };
import exampleRequest from '../../../events/providers/infobip.rcs-send-request.json' with { type: 'json' };
import { parseId } from '../../../shared/domain/core/ids.ts';
import type { CallbackReading } from '../../../shared/domain/message/provider-port.ts';
import { startInfobipRcsStandIn } from '../../support/providers/infobip-rcs-stand-in.ts';
import { accepted as acceptedBy, NOW, open } from '../../support/providers/kit.ts';
import { CARD, rcsDispatch } from '../../support/providers/rcs-kit.ts';
import { use } from '../../support/use.ts';
import { describeInfobipReferences, events, lastBody, receiptsOf } from '../shared.ts';

const standIn = await use(startInfobipRcsStandIn(() => NOW));
const provider = (over: object = {}) => open('rcs', 'infobip', { ...standIn.settings, timeoutMs: 10_000, ...over });
const accepted = () => acceptedBy(standIn, provider(), rcsDispatch());
const sentMessage = () => (lastBody(standIn) as { messages: [Record<string, unknown>] }).messages[0];
const rcsReceipts = (reading: CallbackReading) => receiptsOf(reading, 'status', 'reason', 'via');

it('sends a card as it is documented', async () => {
  await provider({ smsSender: 'DemoSender', validityMinutes: 60 }).send(
    rcsDispatch({
      messageId: parseId('message', 'msg_0123456789abcdefghijk'),
      to: '+441134960001',
      callbackUrl: 'https://www.example.com/rcs',
      content: {
        card: {
          title: 'Some title',
          description: 'Some description',
          fileUrl: 'https://www.example.com/video.mp4',
          suggestions: [
            { kind: 'openUrl', label: 'Example open URL', url: 'https://www.example.com/' },
            { kind: 'reply', label: 'Example reply', postback: 'Example postback data' },
            { kind: 'call', label: 'Example dial phone', phone: '+123456789' },
          ],
        },
        fallback: { text: 'Some failover text', encoding: 'GSM-7' },
      },
    }),
  );
  expect(lastBody(standIn)).toEqual(exampleRequest);
});

it.each([{ text: 'Olá' }, { card: CARD }])('names no failover unless the message does: %j', async (content) => {
  await provider().send(rcsDispatch({ content }));
  expect(sentMessage()).not.toHaveProperty('options');
  await provider().send(rcsDispatch({ content: { ...content, fallback: { text: 'Codigo', encoding: 'GSM-7' } } }));
  expect(sentMessage().options).toEqual({ smsFailover: { text: 'Codigo' } });
});

it('uses the label of a reply as its postback when there is none', async () => {
  const suggestion = { kind: 'reply', label: 'Sim' } as const;
  await provider().send(
    rcsDispatch({ content: { card: { title: 'a', description: 'b', suggestions: [suggestion] } } }),
  );
  expect(standIn.messages.at(-1)?.content).toMatchObject({
    card: { suggestions: [{ kind: 'reply', label: 'Sim', postback: 'Sim' }] },
  });
});

it('leaves the addresses of reports to the subscription when the settings say so', async () => {
  await provider({ reportTo: 'subscription' }).send(rcsDispatch());
  expect(Object.keys(sentMessage().webhooks as object)).toEqual(['contentType', 'callbackData']);
});

describeInfobipReferences({ standIn, provider, dispatch: rcsDispatch });

const DELIVERED = { groupId: 3, id: 5, name: 'DELIVERED_TO_HANDSET' };
const AT_OPERATOR = { groupId: 3, id: 2, name: 'DELIVERED_TO_OPERATOR' };
const REJECTED = { groupId: 2, id: 4, name: 'UNDELIVERABLE_REJECTED_OPERATOR' };
it.each([
  [DELIVERED, 'NO_ERROR', {}, [['delivered', undefined, 'rcs']]],
  [DELIVERED, 'NO_ERROR', { channel: 'RCS' }, [['delivered', undefined, 'rcs']]],
  [DELIVERED, 'NO_ERROR', { channel: 'SMS' }, [['delivered', undefined, 'sms']]],
  [DELIVERED, 'NO_ERROR', { channel: 'MMS' }, [['delivered', undefined, undefined]]],
  // A message that RCS has sent may still fall back to SMS.
  [AT_OPERATOR, 'NO_ERROR', { channel: 'RCS' }, [['sent', undefined, undefined]]],
  [AT_OPERATOR, 'NO_ERROR', { channel: 'SMS' }, [['sent', undefined, 'sms']]],
  [REJECTED, 'EC_UNKNOWN_USER', {}, [['failed', 'no_rcs', 'rcs']]],
  [REJECTED, 'EC_ILLEGAL_SUBSCRIBER', { channel: 'SMS' }, [['failed', 'blacklisted', 'sms']]],
  [
    { groupId: 2, id: 9, name: 'UNDELIVERABLE_NOT_DELIVERED' },
    'EC_ABSENT_SUBSCRIBER',
    {},
    [['failed', undefined, 'rcs']],
  ],
  [{ groupId: 1, id: 7, name: 'PENDING_ENROUTE' }, 'EC_UNKNOWN_USER', { channel: 'RCS' }, []],
  [{ groupId: 4, id: 15, name: 'EXPIRED_EXPIRED' }, 'NO_ERROR', {}, [['failed', 'expired', 'rcs']]],
  [{ groupId: 4, id: 29, name: 'EXPIRED_DLR_UNKNOWN' }, 'NO_ERROR', { channel: 'SMS' }, []],
  [{ groupId: 9, id: 900, name: 'OF_THE_FUTURE' }, 'NO_ERROR', {}, []],
] as const)('reads the report %j with %s and %j as %j', async (status, error, over, expected) => {
  const message = await accepted();
  expect(rcsReceipts(await provider().readCallback(standIn.report(message, status, error, over)))).toEqual(expected);
});

it.each([
  ['RCS message delivered', [['delivered', undefined, 'rcs']]],
  ['RCS message failed', [['failed', 'no_rcs', 'rcs']]],
  ['RCS with failover RCS message delivered', [['delivered', undefined, 'rcs']]],
  ['RCS with failover RCS message failed', []],
  ['RCS with failover SMS message delivered', [['delivered', undefined, 'sms']]],
  ['RCS with failover SMS message failed', [['failed', 'blacklisted', 'sms']]],
] as const)('reads the documented report "%s" as %j', async (name, expected) => {
  const message = await accepted();
  const signed = standIn.signed(message, JSON.stringify(exampleReports[name]));
  expect(rcsReceipts(await provider().readCallback(signed))).toEqual(expected);
});

it('reads who saw a message from `from`, and the time with its own time zone', async () => {
  const message = await accepted();
  expect(await provider().readCallback(standIn.seen(message))).toMatchObject({
    events: [
      {
        status: 'read',
        at: Date.parse('2019-11-09T15:01:00.000Z'),
        receipt: { to: message.to, status: 'SEEN', channel: 'RCS' },
      },
    ],
  });
});

it('reads a tapped suggestion as in the published example: sender, agent, message replied to, postback', async () => {
  const message = await accepted();
  expect(await provider().readCallback(standIn.signed(message, JSON.stringify(exampleInbound)))).toEqual(
    events({
      kind: 'inbound',
      providerMessageId: 'msg-abc123',
      channel: 'rcs',
      from: '+385911234567',
      to: 'DemoSender',
      type: 'interactive',
      text: 'suggestionText',
      payload: {
        interactive: {
          type: 'button_reply',
          button_reply: { id: 'suggestionPostbackData', title: 'suggestionText' },
        },
      },
      inReplyTo: 'msg-xyz456',
      at: Date.parse('2026-03-03T14:22:30.000Z'),
    }),
  );
});

it.each([
  [
    { type: 'TEXT', text: 'SIM' },
    { type: 'text', text: 'SIM', payload: {} },
  ],
  [
    { type: 'LOCATION', latitude: -23.5, longitude: -46.6 },
    { type: 'interactive', payload: { interactive: { location: { latitude: -23.5, longitude: -46.6 } } } },
  ],
  [
    { type: 'FILE', url: 'https://files.example/a.jpg', contentType: 'image/jpeg', size: 9 },
    { type: 'media', payload: { media: { kind: 'image', url: 'https://files.example/a.jpg' } } },
  ],
  [
    { type: 'FILE', url: 'https://files.example/a', name: 'a.pdf' },
    { type: 'media', payload: { media: { kind: 'document', filename: 'a.pdf' } } },
  ],
])('reads inbound content: %j', async (content, event) => {
  const message = await accepted();
  const reading = await provider().readCallback(standIn.inbound(message, content));
  expect(reading).toMatchObject({ events: [{ kind: 'inbound', channel: 'rcs', from: message.to, ...event }] });
});

it('acknowledges content of an unknown type without an event', async () => {
  const callback = standIn.inbound(await accepted(), { type: 'EMOJI_STORM', amount: 9 });
  expect(await provider().readCallback(callback)).toEqual(events());
});

it.each([
  ['a report without a status', { messageId: 'a', to: '5511987654321' }],
  ['text without text', { ...exampleInbound.results[0], message: { type: 'TEXT' } }],
  ['a seen report without a time', { messageId: 'a', from: '5511987654321' }],
])('counts an entry that cannot be read, and reads the others: %s', async (_, entry) => {
  const [report] = exampleReports['RCS message delivered'].results;
  const body = JSON.stringify({ results: [entry, report, exampleInbound.results[0]] });
  const reading = await provider().readCallback(standIn.signed(await accepted(), body));
  expect(reading).toMatchObject({ ...events({ kind: 'receipt' }, { kind: 'inbound' }), unreadable: 1 });
});
