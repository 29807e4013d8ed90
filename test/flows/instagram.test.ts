import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { ACCOUNT_ID, INSTAGRAM_ACCOUNT } from '../support/providers/instagram-kit.ts';
import { startInstagramStandIn } from '../support/providers/instagram-stand-in.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { use } from '../support/use.ts';
import { becomes, keyed, PATIENCE, setUpProvider, walletOf } from './support.ts';

const OPENING = 1_000_000;
const PRICE = 150;
const HOUR_MS = 3600_000;
const messaging = await use(startMessaging());
const meta = await use(startInstagramStandIn());
meta.endpoint = `${messaging.url}/callbacks/instagram_messaging_api/events`;
const owner = await messaging.tenant({ live: OPENING, takesEvents: true });
const account = (meta.settings.accounts as readonly object[])[0];
const accounts = [{ ...account, organizationId: owner.id }];
const settings = { ...meta.settings, accounts };
await setUpProvider(messaging, 'instagram', 'instagram_messaging_api', settings);

let users = 0;
const aUser = () => `178455${String(1_000_000_000 + users++)}`;
const send = ({ live }: Tenant, to: string, body: object = { type: 'text', payload: { text: 'Olá' } }) =>
  live.post('/messages', { channel: 'instagram', to, ...body }, keyed());
const sentTo = (user: string) =>
  vi.waitFor(() => {
    const found = meta.messages.find(({ to }) => to === user);
    if (!found) throw new Error('Instagram never saw the message.');
    return found;
  }, PATIENCE);
const moves = (id: string, fields: object) => becomes(owner.live, `/messages/${id}`, fields);
const eventsOf = async (type: string) =>
  (await messaging.eventsOf('live', owner.id)).filter((event) => event.type === type);
const writes = (user: string, message: object = { mid: randomUUID(), text: 'Oi, tem em azul?' }) =>
  deliver(meta.items(user, INSTAGRAM_ACCOUNT, { message }));
const closed = { meta: { code: 'window_closed' } };

test('a user who wrote can be answered; the message raises one event, and the answer is charged and read', async () => {
  const user = aUser();
  expectProblem(await send(owner, user), 409, closed);
  const message = { mid: randomUUID(), text: 'Oi, tem em azul?' };
  for (const answer of await Promise.all([writes(user, message), writes(user, message)]))
    expect(answer.status).toBe(200);
  const received = (await eventsOf('instagram.message.received')).filter(({ data }) => data.payload !== undefined);
  expect(received).toHaveLength(1);
  const sent = await send(owner, user);
  expect(sent).toMatchObject({ status: 201, body: { instagramAccountId: ACCOUNT_ID } });
  const accepted = await sentTo(user);
  expect(accepted).toMatchObject({ to: user, from: INSTAGRAM_ACCOUNT, text: 'Olá' });
  await moves(sent.body.id, { status: 'sent' });
  for (const _ of [1, 2]) expect((await deliver(meta.receipt(accepted, 'read'))).status).toBe(200);
  await moves(sent.body.id, { status: 'read' });
  const events = (await eventsOf('instagram.message.sent')).filter(({ data }) => data.id === sent.body.id);
  expect(events).toHaveLength(1);
  expect((await walletOf(owner.live)).balanceCoins).toBe(OPENING - PRICE);
  await checkMoney(messaging.tables.live, owner.id);
});

test('a contact is the user that its latest message went to or came from: a send that names it alone reaches that user', async () => {
  const user = aUser();
  const contact = async () =>
    (await owner.live.post('/contacts', { phone: `+55119${String(60_000_000 + users++)}` })).body.id as string;
  const [known, unknown] = [await contact(), await contact()];
  expect((await writes(user)).status).toBe(200);
  const body = { channel: 'instagram', type: 'text', payload: { text: 'Olá' } };
  expectProblem(await owner.live.post('/messages', { ...body, contactId: known }, keyed()), 422);
  const first = await owner.live.post('/messages', { ...body, contactId: known, to: user }, keyed());
  await moves(first.body.id, { status: 'sent' });
  const next = await owner.live.post('/messages', { ...body, contactId: known }, keyed());
  expect(next).toMatchObject({ status: 201, body: { to: user, contactId: known } });
  await moves(next.body.id, { status: 'sent' });
  expect(meta.messages.filter(({ to }) => to === user)).toHaveLength(2);
  expectProblem(await owner.live.post('/messages', { ...body, contactId: unknown }, keyed()), 422);
  const stranger = await messaging.tenant({ live: OPENING, takesEvents: true });
  expectProblem(await stranger.live.post('/messages', { ...body, contactId: known }, keyed()), 422);
});

test('after a day only a human agent may send, and after a week no sender may', async () => {
  const user = aUser();
  expect((await writes(user)).status).toBe(200);
  const { body } = await owner.live.get('/messages', { limit: 1 });
  expect(body.items[0]).toMatchObject({ direction: 'inbound', channel: 'instagram' });
  const hash = (await messaging.vault('live', 'recipients')).blindIndex(owner.id, 'platform', user);
  const wroteAgo = (hours: number) =>
    messaging.tables.live.write({
      update: KEYS.lastInbound(owner.id, 'instagram', hash, ''),
      set: { at: Date.now() - hours * HOUR_MS },
    });
  const byPerson = { type: 'text', payload: { text: 'Aqui é a Bia', tag: 'HUMAN_AGENT' } };
  await wroteAgo(25);
  expectProblem(await send(owner, user), 409, closed);
  const sent = await send(owner, user, byPerson);
  expect(sent.status).toBe(201);
  expect((await sentTo(user)).content).toEqual({ payload: byPerson.payload });
  await moves(sent.body.id, { status: 'sent' });
  await wroteAgo(24 * 7 + 1);
  expectProblem(await send(owner, user, byPerson), 409, closed);
});

test('a message that Instagram refuses as outside the window fails with that reason and costs nothing', async () => {
  const user = aUser();
  await writes(user);
  const before = (await walletOf(owner.live)).balanceCoins;
  meta.script({ refuse: '400:10/2534022' });
  const sent = await send(owner, user);
  await moves(sent.body.id, { status: 'failed', reason: 'window_closed' });
  expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: before, heldCoins: 0 });
});

test('media is sent; templates, captions and other buttons are refused with their path', async () => {
  const user = aUser();
  await writes(user);
  const media = { media: { kind: 'image', url: 'https://cdn.example.com.br/pedido.png' } };
  expect((await send(owner, user, { type: 'media', payload: media })).status).toBe(201);
  expect((await sentTo(user)).content).toEqual({ payload: media });
  const refused: readonly (readonly [object, string])[] = [
    [{ type: 'template', payload: { template: { name: 'a', language: 'pt-BR' } } }, 'payload'],
    [{ type: 'media', payload: { media: { ...media.media, caption: 'a' } } }, 'payload.media.caption'],
    [{ type: 'media', payload: { media: { kind: 'image' } } }, 'payload.media'],
    [{ type: 'media', payload: { media: { kind: 'image', url: 'http://cdn.example.com.br/a' } } }, 'payload.media.url'],
    [{ type: 'text', payload: { text: 'ç'.repeat(501) } }, 'payload.text'],
    [{ type: 'text', payload: { text: 'a', tag: 'ACCOUNT_UPDATE' } }, 'payload.tag'],
    [{ type: 'interactive', payload: { interactive: { type: 'flow' } } }, 'payload.interactive.type'],
  ];
  for (const [body, path] of refused) {
    const answer = await send(owner, user, body);
    expectProblem(answer, 422);
    expect(answer.body.errors[0].path).toBe(path);
  }
});

test('another organization can neither send from the account nor see its messages', async () => {
  const user = aUser();
  await writes(user);
  const other = await messaging.tenant({ live: OPENING, takesEvents: true });
  const text = { type: 'text', payload: { text: 'x' } };
  expectProblem(await send(other, user, text), 412);
  expectProblem(await send(other, user, { ...text, instagramAccountId: ACCOUNT_ID }), 422, {
    errors: ['instagramAccountId'],
  });
  expect((await other.live.get('/messages')).body.total).toBe(0);
});

test('the sandbox sends without a window, from any account', async () => {
  const { test: client } = owner;
  const sent = await client.post(
    '/messages',
    { channel: 'instagram', to: aUser(), type: 'text', payload: { text: 'Olá' } },
    keyed(),
  );
  expect(sent.status).toBe(201);
});
