import { describe, expect, test } from 'vitest';
import { isPassword } from '../../shared/domain/smpp/password.ts';
import { smppAccountStore } from '../../shared/storage/smpp/accounts.ts';
import type { Client } from '../support/api.ts';
import { operatorJson } from '../support/operator.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const PATH = '/v2/smpp/accounts';
const messaging = await sharedMessaging();
const admin = operatorJson(messaging.dataDir);
const create = (client: Client, fields: Readonly<Record<string, unknown>> = {}) =>
  client.post(PATH, { name: 'Billing', route: 'premium', ...fields });
const change = (client: Client, id: string, body: unknown) => client.call('PATCH', `${PATH}/${id}`, { body });
const store = smppAccountStore(messaging.tables.test);

describe('an account', () => {
  test('has what it was created with, its defaults, and a password that is shown this once and stored as a hash', async () => {
    const { test: client } = await messaging.tenant();
    const { status, body } = await create(client);
    expect(status).toBe(201);
    const { password, ...account } = body;
    expect(account).toMatchObject({ name: 'Billing', route: 'premium', maxBinds: 4, window: 32, dlrFormat: 'minutes' });
    expect(account.id).toMatch(/^smp_[0-9A-Za-z]{21}$/);
    expect(account.systemId).toMatch(/^test_[0-9A-Za-z]{10}$/);
    expect(password).toMatch(/^[0-9A-Za-z]{8}$/);
    expect((await client.get(`${PATH}/${account.id}`)).body).toEqual(account);
    expect((await client.get(PATH)).body).toEqual({ items: [account] });

    const stored = await store.find(account.systemId);
    expect(JSON.stringify(stored)).not.toContain(password);
    expect(await isPassword(password, stored?.passwordHash ?? '')).toBe(true);
    expect(await isPassword(`${password.slice(1)}x`, stored?.passwordHash ?? '')).toBe(false);
  });

  test('is of the environment of its credential alone', async () => {
    const { test: client, live } = await messaging.tenant();
    const { body } = await create(client);
    expect((await create(live)).body.systemId).toMatch(/^live_/);
    expectProblem(await live.get(`${PATH}/${body.id}`), 404);
    expectProblem(await change(live, body.id, { name: 'x' }), 404);
    expectProblem(await live.call('DELETE', `${PATH}/${body.id}`), 404);
    expectProblem(await live.post(`${PATH}/${body.id}/rotate-password`, undefined), 404);
  });

  test.each([
    ['route', { route: 'la_dedicada' }],
    ['route', { route: undefined }],
    ['name', { name: '' }],
    ['maxBinds', { maxBinds: 0 }],
    ['maxBinds', { maxBinds: 51 }],
    ['window', { window: 257 }],
    ['window', { window: 1.5 }],
    ['senderId', { senderId: 'Não' }],
    ['allowedIps', { allowedIps: [] }],
    ['allowedIps.0', { allowedIps: ['203.0.113.9/24'] }],
    ['dlrFormat', { dlrFormat: 'hex' }],
    ['systemId', { systemId: 'mine' }],
  ])('is refused by the place %j for %j', async (path, fields) => {
    const { test: client } = await messaging.tenant();
    const answer = await create(client, fields);
    expectProblem(answer, 422);
    expect(answer.body.errors[0].path).toBe(path);
    expect((await client.get(PATH)).body.items).toEqual([]);
  });

  test('changes in what is named, and lets go of what is set to null', async () => {
    const { test: client } = await messaging.tenant();
    const { password: _, ...before } = (await create(client, { senderId: 'LOJA', allowedIps: ['203.0.113.0/24'] }))
      .body;
    const changed = await change(client, before.id, { name: 'Other', route: 'otp', window: 7, dlrFormat: 'seconds' });
    expect(changed.body).toEqual({
      ...before,
      name: 'Other',
      route: 'otp',
      window: 7,
      dlrFormat: 'seconds',
      updatedAt: changed.body.updatedAt,
    });
    const cleared = (await change(client, before.id, { senderId: null, allowedIps: null })).body;
    expect(cleared).not.toHaveProperty('senderId');
    expect(cleared).not.toHaveProperty('allowedIps');
    expect((await client.get(`${PATH}/${before.id}`)).body).toEqual(cleared);
    expectProblem(await change(client, before.id, {}), 422);
    expectProblem(await change(client, before.id, { route: null }), 422);
  });

  test('keeps each of many concurrent changes', async () => {
    const { test: client } = await messaging.tenant();
    const { body } = await create(client);
    const changes = [
      { name: 'Other' },
      { route: 'otp' },
      { window: 9 },
      { maxBinds: 2 },
      { dlrFormat: 'seconds' },
      { senderId: 'LOJA' },
    ];
    const answers = await Promise.all(changes.map((one) => change(client, body.id, one)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect((await client.get(`${PATH}/${body.id}`)).body).toMatchObject(Object.assign({}, ...changes));
  });

  test('has another password after a rotation, and the former one no more', async () => {
    const { test: client } = await messaging.tenant();
    const { body: before } = await create(client);
    const { status, body: after } = await client.post(`${PATH}/${before.id}/rotate-password`, undefined);
    expect(status).toBe(200);
    expect(after).toMatchObject({ id: before.id, systemId: before.systemId });
    const stored = (await store.find(before.systemId))?.passwordHash ?? '';
    expect([await isPassword(before.password, stored), await isPassword(after.password, stored)]).toEqual([
      false,
      true,
    ]);
  });

  test('is gone after its deletion, with its system_id, and a repeat is 404', async () => {
    const { test: client } = await messaging.tenant();
    const { body } = await create(client);
    expect((await client.call('DELETE', `${PATH}/${body.id}`)).status).toBe(204);
    expectProblem(await client.get(`${PATH}/${body.id}`), 404);
    expect(await store.find(body.systemId)).toBeUndefined();
    expectProblem(await client.call('DELETE', `${PATH}/${body.id}`), 404);
    expect((await client.get(PATH)).body).toEqual({ items: [] });
  });
});

describe('who may', () => {
  test('read needs keys:read, change keys:write', async () => {
    const { test: client } = await messaging.tenant();
    const { body } = await create(client);
    const reader = await messaging.limited(client, ['keys:read', 'sms:send', 'sms:read']);
    expect((await reader.get(PATH)).status).toBe(200);
    expectProblem(await create(reader), 403);
    expectProblem(await change(reader, body.id, { name: 'x' }), 403);
    const writer = await messaging.limited(client, ['keys:write', 'sms:send', 'sms:read']);
    expectProblem(await writer.get(PATH), 403);
    expect((await create(writer)).status).toBe(201);
  });

  test('make an account, or see its password, holds what the account may do', async () => {
    const { test: client } = await messaging.tenant();
    const { body } = await create(client);
    for (const scopes of [['keys:write'], ['keys:write', 'sms:send'], ['keys:write', 'sms:read']]) {
      const weak = await messaging.limited(client, scopes);
      expectProblem(await create(weak), 403);
      expectProblem(await weak.post(`${PATH}/${body.id}/rotate-password`, undefined), 403);
      expectProblem(await change(weak, body.id, { allowedIps: null }), 403);
      expect((await change(weak, body.id, { name: 'Renamed' })).status).toBe(200);
    }
    expect((await client.get(PATH)).body.items).toHaveLength(1);
    const weak = await messaging.limited(client, ['keys:write']);
    expect((await weak.call('DELETE', `${PATH}/${body.id}`)).status).toBe(204);
  });
});

describe('the operator', () => {
  test('creates, lists, rotates and deletes accounts of an organization', async () => {
    const { id, test: client } = await messaging.tenant();
    const own = ['--organization', id, '--env', 'test'];
    const made = await admin(
      'smpp',
      'create',
      ...own,
      '--name',
      'Theirs',
      '--route',
      'otp',
      '--window',
      '8',
      '--allowed-ips',
      '203.0.113.7',
    );
    expect(made).toMatchObject({ route: 'otp', window: 8, allowedIps: ['203.0.113.7'] });
    const { password, ...account } = made;
    expect((await client.get(`${PATH}/${account.id}`)).body).toEqual(account);
    expect(await admin('smpp', 'list', ...own)).toEqual({ items: [account] });
    const rotated = await admin('smpp', 'rotate-password', ...own, '--account', account.id);
    expect(rotated.password).not.toBe(password);
    expect(await admin('smpp', 'delete', ...own, '--account', account.id)).toEqual({ id: account.id, deleted: true });
    await expect(admin('smpp', 'delete', ...own, '--account', account.id)).rejects.toThrow(/no such SMPP account/);
    await expect(admin('smpp', 'create', ...own, '--name', 'x', '--route', 'otp', '--window', '257')).rejects.toThrow(
      /at most 256/,
    );
    await expect(
      admin('smpp', 'create', ...own, '--name', 'x', '--route', 'otp', '--allowed-ips', 'x'),
    ).rejects.toThrow(/CIDR/);
    const acts = (await client.get('/v2/audit', { object: account.id })).body.items;
    expect(acts.map(({ action, actor }: { action: string; actor: { kind: string } }) => [action, actor.kind])).toEqual(
      ['deleted', 'password_rotated', 'created'].map((verb) => [`smpp_account.${verb}`, 'operator']),
    );
  });
});
