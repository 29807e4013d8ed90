import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { expiryRecord } from '../../infra/local/row-expiry.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { startMessaging } from '../support/api.ts';
import { operatorJson } from '../support/operator.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';

const DAYS = 90;
const DAY_MS = 24 * 3600_000;
const messaging = await use(startMessaging({ env: { ARCHIVE_AFTER_DAYS: String(DAYS) }, expirySeconds: 1 }));
const table = messaging.tables.test;

const operator = operatorJson(messaging.dataDir);
const admin = (...words: string[]) => operator('archive', ...words, '--env', 'test');
const send = async (tenant: Awaited<ReturnType<typeof messaging.tenant>>, to = '+5511987650005') => {
  const sent = await tenant.test.post(
    '/v2/sms/messages',
    { to, body: 'Oi', route: 'otp' },
    { 'idempotency-key': newId('request') },
  );
  expect(sent.status).toBe(201);
  return sent.body.id as Id<'message'>;
};
const isGone = (id: Id<'message'>) => expect.poll(() => table.get(KEYS.message(id)), PATIENCE).toBeUndefined();
/** Lets the time of a row be over. */
const letExpire = (id: Id<'message'>) => table.write({ update: KEYS.message(id), set: { ttl: 1 } });

test('an ended message has its time; when that is over, the operator finds it by id and by day, until it is erased', {
  timeout: 180_000,
}, async () => {
  const tenant = await messaging.tenant();
  const [id, other] = [await send(tenant), await send(tenant, '+5511987650006')];
  const row = await table.get(KEYS.message(id));
  expect(row?.ttl).toBeGreaterThan((Date.now() + (DAYS - 1) * DAY_MS) / 1000);
  await letExpire(id);
  await letExpire(other);
  await isGone(id);
  await isGone(other);
  expect((await tenant.test.get(`/v2/sms/messages/${id}`)).status).toBe(404);
  expect((await tenant.test.get('/v2/sms/messages')).body.items).toEqual([]);

  const [found] = (await admin('get', '--id', id)).items;
  expect(found).toMatchObject({
    kind: 'message',
    organizationId: tenant.id,
    erased: false,
    row: { to: '+5511987650005' },
  });
  const day = String(row?.createdAt).slice(0, 10);
  const listed = await admin('list', '--organization', tenant.id, '--day', day);
  expect(listed.items.map((item: { id: string }) => item.id).sort()).toEqual([id, other].sort());
  expect(JSON.stringify(listed)).not.toContain('+55119');

  expect(await admin('erase', '--organization', tenant.id, '--phone', '+5511987650005')).toEqual({ erased: 1 });
  expect((await admin('get', '--id', id)).items).toEqual([expect.objectContaining({ id, erased: true })]);
  expect((await admin('get', '--id', other)).items).toEqual([expect.objectContaining({ erased: false })]);
});

test('a contact is erased with its phone and e-mail address; of one that is not stored the answer says that its addresses are not', {
  timeout: 180_000,
}, async () => {
  const tenant = await messaging.tenant();
  const create = async (phone: string) =>
    (await tenant.test.post('/contacts', { phone, email: 'ana@loja.example' })).body.id as Id<'contact'>;
  const erase = (contact: string, ...more: string[]) =>
    admin('erase', '--organization', tenant.id, '--contact', contact, ...more);
  const phone = '+5511987650007';
  const message = await send(tenant, phone);
  await letExpire(message);
  await isGone(message);
  const isErased = async () => (await admin('get', '--id', message)).items[0].erased;

  const deleted = await create(phone);
  expect((await tenant.test.call('DELETE', `/contacts/${deleted}`)).status).toBe(204);
  expect(await erase(deleted)).toEqual({
    erased: 1,
    warning:
      'No such contact is stored: of it, only rows under its id are erased. Name its addresses with --phone and --email.',
  });
  expect(await isErased()).toBe(false);
  expect((await erase(deleted, '--email', 'ana@loja.example')).warning).toContain('Name its addresses with --phone.');
  const contact = await create(phone);
  const other = await messaging.tenant();
  await expect(admin('erase', '--organization', other.id, '--contact', contact)).rejects.toThrow(
    /another organization/,
  );
  expect(await isErased()).toBe(false);
  expect(await erase(contact)).toEqual({ erased: 3 });
  expect(await isErased()).toBe(true);
  expect(await erase(deleted, '--email', 'ana@loja.example', '--phone', phone)).toEqual({ erased: 3 });
});

test('rows that were written before the setting leave once the operator begins with them, open ones excepted', {
  timeout: 180_000,
}, async () => {
  const tenant = await messaging.tenant();
  const [old, open] = [await send(tenant), await send(tenant)];
  const createdAt = isoTime(Date.now() - 2 * DAYS * DAY_MS);
  await table.write({ update: KEYS.message(old), set: { createdAt }, remove: ['ttl'] });
  await table.write({ update: KEYS.message(open), set: { createdAt, hold: 'open' }, remove: ['ttl'] });
  expect(await admin('begin', '--after-days', String(DAYS))).toMatchObject({ begun: 1, open: 1 });
  await isGone(old);
  expect((await table.get(KEYS.message(open)))?.ttl).toBeUndefined();
  expect((await admin('list', '--organization', tenant.id, '--day', createdAt.slice(0, 10))).items).toHaveLength(1);
});

test('records that the archiver failed on are archived by the operator, before any contact can be erased', {
  timeout: 180_000,
}, async () => {
  const tenant = await messaging.tenant();
  const id = await send(tenant);
  const row = await table.get(KEYS.message(id));
  const event = { Records: [expiryRecord(table.name, marshall(row), Date.now())] };
  const folder = join(messaging.dataDir, 'archive/test/aws/lambda/mapping/shard');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'failed'), JSON.stringify({ version: '1.0', payload: JSON.stringify(event) }));
  await expect(admin('erase', '--organization', tenant.id, '--everything')).rejects.toThrow(/archive retry/);
  expect((await admin('retry')).items).toMatchObject([{ rows: 1 }]);
  expect((await admin('retry')).items).toEqual([]);
  expect((await admin('get', '--id', id)).items).toHaveLength(1);
  expect(await admin('erase', '--organization', tenant.id, '--everything')).toEqual({ erased: 1 });
  expect((await admin('get', '--id', id)).items).toEqual([expect.objectContaining({ erased: true })]);
});
