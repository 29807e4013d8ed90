import { expect, test } from 'vitest';
import type { Client } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes } from './support.ts';

const messaging = await sharedMessaging();

let phones = 0;
const create = async (client: Client, fields: object = {}) => {
  const phone = `+55119872${10_000 + 10 * phones++}`;
  return (await client.post('/contacts', { phone, ...fields })).body as { id: string; phone: string };
};
/** All entries of a paged list, page by page. */
const walk = async (client: Client, path: string, limit: number) => {
  const items: Client extends { get(path: string): Promise<{ body: infer Body }> } ? Body[] : never = [];
  for (let cursor = ''; ; ) {
    const { body } = await client.get(`${path}?limit=${limit}${cursor}`);
    items.push(...body.items);
    if (body.nextCursor === undefined) return items;
    cursor = `&cursor=${body.nextCursor}`;
  }
};

test('two contacts of a person are merged: one response, one timeline, one list entry, and events for both', async () => {
  const { test: client } = await messaging.tenant();
  const target = await create(client, { name: 'Ana', tags: ['vip'] });
  const duplicate = await create(client, { email: 'ana@example.com', tags: ['novo'], cpf: '529.982.247-25' });
  const sent = (await client.send({ to: duplicate.phone, contactId: duplicate.id })).body.id;
  const contact = { contactId: duplicate.id };
  await client.post('/v2/events', { name: 'compra', eventId: 'pedido-1', contact, value: 10 });
  const list = (await client.post('/v2/lists', { name: 'Clientes' })).body.id;
  await client.post(`/v2/lists/${list}/members`, { contactIds: [target.id, duplicate.id] });

  const path = `/contacts/${target.id}`;
  const merged = await client.post(`${path}/merge`, { contactId: duplicate.id });
  expect(merged).toMatchObject({
    status: 200,
    body: {
      id: target.id,
      phone: target.phone,
      otherPhones: [duplicate.phone],
      email: 'ana@example.com',
      tags: ['vip', 'novo'],
      documentos: { cpf: '***.982.247-**' },
    },
  });
  expect((await client.get(path)).body).toEqual(merged.body);
  expect((await client.post(`${path}/merge`, { contactId: duplicate.id })).body).toEqual(merged.body);
  const gone = await client.get(`/contacts/${duplicate.id}`);
  expectProblem(gone, 404);
  expect(gone.body.meta).toEqual({ mergedInto: target.id });
  expect((await client.get(`/v2/lists/${list}`)).body.size).toBe(1);
  const found = (await client.get('/contacts', { q: duplicate.phone.slice(1) })).body;
  expect(found.items.map(({ id }: { id: string }) => id)).toEqual([target.id]);
  await becomes(client, `/messages/${sent}`, { contactId: target.id });
  await becomes(client, `${path}/timeline`, {
    items: expect.arrayContaining([
      expect.objectContaining({ kind: 'event', detail: 'compra' }),
      expect.objectContaining({ kind: 'sent', messageId: sent }),
    ]),
  });
  expectProblem(await client.post(`${path}/merge`, { contactId: target.id }), 422);
  const { test: other } = await messaging.tenant();
  const theirs = await create(other);
  expectProblem(await client.post(`${path}/merge`, { contactId: theirs.id }), 404);
  expectProblem(await other.post(`/contacts/${theirs.id}/merge`, { contactId: target.id }), 404);
});

test('likely duplicates share the address of a contact, or are known by its id in a CRM; those of other organizations are not revealed', async () => {
  const { test: client } = await messaging.tenant();
  const { test: stranger } = await messaging.tenant();
  const email = 'casa@example.com';
  const contact = await create(client, { email, externalIds: { hubspot: '481516' } });
  const [byEmail, byBoth] = [await create(client, { email }), await create(client, { email, externalId: '481516' })];
  await create(client, { email: 'other@example.com' });
  await create(stranger, { email, externalId: '481516' });
  const path = `/contacts/${contact.id}/duplicates`;
  await becomes(client, path, { items: { length: 2 } });
  const found = (await client.get(path)).body.items as { contact: { id: string }; by: string[] }[];
  expect(new Map(found.map(({ contact: { id }, by }) => [id, by]))).toEqual(
    new Map([
      [byBoth.id, ['email', 'externalId']],
      [byEmail.id, ['email']],
    ]),
  );
  expectProblem(await stranger.get(path), 404);
});

test('a timeline has what a customer did among the messages, by when it happened, page by page without gaps and repeats', async () => {
  const { test: client } = await messaging.tenant();
  const { id, phone } = await create(client);
  const at = Date.now();
  for (const hour of [1, 2, 3, 4, 5]) {
    const occurredAt = new Date(at - hour * 3_600_000).toISOString();
    await client.post('/v2/events', { name: `e${hour}`, eventId: `${hour}`, contact: { contactId: id }, occurredAt });
  }
  const { body: sent } = await client.send({ to: phone, contactId: id });
  await becomes(client, `/messages/${sent.id}`, { status: 'delivered' });
  await client.post('/v2/events', { name: 'e0', eventId: '0', contact: { contactId: id }, value: 7 });
  for (const limit of [1, 2, 3, 100]) {
    const items = await walk(client, `/contacts/${id}/timeline`, limit);
    expect(items.map(({ detail }) => detail)).toEqual(['e0', 'sms: delivered', 'e1', 'e2', 'e3', 'e4', 'e5']);
    expect(items[0]).toMatchObject({
      kind: 'event',
      messageId: sent.id,
      event: { eventId: '0', value: 7, currency: 'BRL', attribution: { messageId: sent.id, channel: 'sms' } },
    });
  }
});

test('an export has events, lists, and messages to the phones and address without a contact, and none of another contact', async () => {
  const { test: client } = await messaging.tenant();
  const contact = await create(client, { email: 'so.ana@example.com' });
  const duplicate = await create(client);
  const other = await create(client);
  const listId = (await client.post('/v2/lists', { name: 'Clientes' })).body.id;
  await client.post(`/v2/lists/${listId}/members`, { contactIds: [contact.id] });
  await client.send({ to: duplicate.phone, body: 'ao outro telefone' });
  await client.send({ to: contact.phone, body: 'sem nome' });
  await client.send({ to: contact.phone, contactId: contact.id, body: 'com nome' });
  await client.send({ to: contact.phone, contactId: other.id, body: 'de outra pessoa' });
  await client.post('/v2/events', { name: 'compra', eventId: '1', contact: { contactId: contact.id } });
  await client.post(`/contacts/${contact.id}/merge`, { contactId: duplicate.id });
  const first = (await client.get(`/contacts/${contact.id}/export`)).body;
  expect(first.lists).toEqual([{ id: listId, name: 'Clientes' }]);
  for (const limit of [1, 2, 100]) {
    const items = await walk(client, `/contacts/${contact.id}/export`, limit);
    const what = items.map(({ event, message }) => event?.name ?? message.payload.text);
    expect(what).toEqual(['compra', 'com nome', 'sem nome', 'ao outro telefone']);
  }
});
