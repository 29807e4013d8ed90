import { expect, it } from 'vitest';
import example from '../../../events/providers/instagram-messaging-api.callback.json' with { type: 'json' };
import exampleRequest from '../../../events/providers/instagram-messaging-api.send-request.json' with { type: 'json' };
import type { InboundEvent } from '../../../shared/domain/message/provider-port.ts';
import { messagingApiSettings } from '../../../shared/providers/instagram/messaging-api.ts';
import {
  ACCOUNT_ID,
  INSTAGRAM_ACCOUNT,
  INSTAGRAM_USER,
  instagramDispatch,
} from '../../support/providers/instagram-kit.ts';
import { ORGANIZATION_ID, startInstagramStandIn } from '../../support/providers/instagram-stand-in.ts';
import { NOW, open } from '../../support/providers/kit.ts';
import { signedByMeta } from '../../support/providers/meta-api.ts';
import { use } from '../../support/use.ts';
import { lastBody } from '../shared.ts';

const standIn = await use(startInstagramStandIn(() => NOW));
const provider = () => open('instagram', 'instagram_messaging_api', { ...standIn.settings, timeoutMs: 5_000 });
const read = (body: unknown) => provider().readCallback(signedByMeta(standIn.endpoint, JSON.stringify(body)));

it('sends an image as documented', async () => {
  const payload = { media: { kind: 'image', url: 'https://www.example.com/image.jpg' } };
  await provider().send(instagramDispatch({ content: { payload, from: ACCOUNT_ID } }));
  expect(lastBody(standIn)).toEqual(exampleRequest);
  expect(standIn.requests.at(-1)?.path).toBe('/v24.0/me/messages');
});

it('refuses to send from an account that the settings do not name', async () => {
  const before = standIn.requests.length;
  for (const from of [undefined, INSTAGRAM_ACCOUNT, 'iga_other']) {
    const answer = await provider().send(instagramDispatch({ content: { payload: { text: 'Oi' }, from } }));
    expect(answer).toMatchObject({ kind: 'refused', cause: 'sender' });
  }
  expect(standIn.requests.length).toBe(before);
});

it.each(['iga_1', `iga_${'0'.repeat(22)}`, `num_${'0'.repeat(21)}`])(
  'takes no account whose id is not iga_ and 21 letters or digits: %s',
  (id) => {
    const [account] = standIn.settings.accounts as readonly object[];
    const settings = { ...standIn.settings, accounts: [{ ...account, id }] };
    expect(messagingApiSettings.safeParse(settings).error?.issues[0]?.path).toEqual(['accounts', 0, 'id']);
  },
);

it('lists its accounts with their organizations, without a token', () => {
  expect(provider().accounts).toEqual([
    { id: ACCOUNT_ID, organizationId: ORGANIZATION_ID, account: INSTAGRAM_ACCOUNT },
  ]);
});

it.each(['10/2018065', '10/2018278', '10/2534022'])(
  'refuses a message outside of the window with its reason: %s',
  async (code) => {
    standIn.script({ refuse: `400:${code}` });
    expect(await provider().send(instagramDispatch())).toMatchObject({ kind: 'refused', reason: 'window_closed' });
  },
);

it('refuses a conversation that another app owns as a fault of the sender', async () => {
  standIn.script({ refuse: '400:100/2534037' });
  expect(await provider().send(instagramDispatch())).toMatchObject({ kind: 'refused', cause: 'sender' });
});

it('reads messages, story replies, postbacks, reactions and reads as documented; ignores echoes and deleted messages', async () => {
  const reading = await read(example);
  if (reading.kind !== 'events') throw new Error(reading.kind);
  expect(reading.unreadable).toBeUndefined();
  const inbound = reading.events.filter((event): event is InboundEvent => event.kind === 'inbound');
  expect(inbound[0]).toEqual({
    kind: 'inbound',
    channel: 'instagram',
    providerMessageId: 'mid.text',
    from: INSTAGRAM_USER,
    to: INSTAGRAM_ACCOUNT,
    at: 1_502_905_976_377,
    type: 'text',
    text: 'Oi, tem em azul?',
    payload: {},
  });
  expect(inbound.map(({ type, text, inReplyTo, payload }) => [type, text, inReplyTo, payload])).toEqual([
    ['text', 'Oi, tem em azul?', undefined, {}],
    ['text', 'Esse', 'mid.ours', {}],
    ['text', 'Amei!', undefined, { story: { url: expect.any(String), id: '17890000000000001' } }],
    ['interactive', 'Sim', undefined, { interactive: { type: 'quick_reply', quick_reply: { payload: 'sim' } } }],
    [
      'media',
      undefined,
      undefined,
      {
        media: { kind: 'image', url: 'https://lookaside.fbsbx.com/1' },
        attachments: [expect.anything(), expect.anything()],
      },
    ],
    ['media', undefined, undefined, { media: { kind: 'document', url: 'https://lookaside.fbsbx.com/3' } }],
    ['interactive', undefined, undefined, { interactive: { type: 'story_mention', payload: expect.anything() } }],
    ['text', 'Vi o anúncio', undefined, {}],
    ['interactive', undefined, undefined, { interactive: { type: 'unsupported' } }],
    [
      'interactive',
      'Começar',
      undefined,
      { interactive: { type: 'postback', postback: { title: 'Começar', payload: 'GET_STARTED' } } },
    ],
    [
      'interactive',
      undefined,
      'mid.ours',
      { interactive: { type: 'reaction', reaction: { message_id: 'mid.ours', reaction: 'love', emoji: '❤' } } },
    ],
  ]);
  expect(inbound[7]?.referral).toMatchObject({ source: 'ADS' });
  expect(reading.events.filter(({ kind }) => kind === 'receipt')).toEqual([
    { kind: 'receipt', providerMessageId: 'mid.ours', status: 'read', at: 1_502_905_976_377 },
  ]);
});

it('reads messages sent as changes, as to apps with Instagram login, and no comments', async () => {
  const [text] = example.entry[0]?.messaging ?? [];
  const changes = [
    { field: 'messages', value: { ...text, timestamp: String(text?.timestamp) } },
    { field: 'comments', value: { id: '1', text: 'Lindo!' } },
  ];
  const reading = await read({ object: 'instagram', entry: [{ id: INSTAGRAM_ACCOUNT, time: 1, changes }] });
  expect(reading).toMatchObject({ kind: 'events', events: [{ kind: 'inbound', providerMessageId: 'mid.text' }] });
});
