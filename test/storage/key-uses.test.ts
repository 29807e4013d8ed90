import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createOrganization, operatorOf } from '../../infra/provisioning/organizations.ts';
import { keyUses, USE_INTERVAL_MS } from '../../shared/domain/access/key-uses.ts';
import { keyView } from '../../shared/domain/access/key-views.ts';
import { type ApiKey, createKey } from '../../shared/domain/access/keys.ts';
import { rotateKey } from '../../shared/domain/access/rotate-key.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { recordKeyUse } from '../../shared/storage/access/key-uses.ts';
import { keyStore } from '../../shared/storage/access/keys.ts';
import { accepted } from '../support/accepted.ts';
import { startAccess } from '../support/access.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { idNamed } from '../support/ids.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';

const NOW = Date.parse('2026-03-02T12:00:00.000Z');
const stages = await use(startAccess());
const { organizationId } = await createOrganization(stages.tables, { name: 'Loja Azul' });
const store = keyStore(stages.tables.test);
const issue = async () =>
  accepted(await createKey(store, operatorOf(organizationId, 'test'), { name: 'k', scopes: ['sms:read'] }, NOW));
const call = (secret: string, at: number, from?: string) => stages.authorize('test', `Bearer ${secret}`, at, from);
const shown = async (id: Id<'apiKey'>) => {
  const key = await store.read(id);
  const { lastUsedAt, lastUsedIp } = keyView(key as ApiKey, NOW);
  return [lastUsedAt, lastUsedIp];
};
/** A call waits for its use to be written for 100 ms at most: a slow machine shows it later. */
const isShown = (id: Id<'apiKey'>, expected: readonly unknown[]) =>
  expect.poll(() => shown(id), PATIENCE).toEqual(expected);

describe('the latest use of a key', () => {
  test('is absent before the first call, then its time and address', async () => {
    const { key, secret } = await issue();
    expect(await shown(key.id)).toEqual([undefined, undefined]);
    expect(await call(secret.text, NOW + 1, '198.51.100.7')).toBeDefined();
    await isShown(key.id, ['2026-03-02T12:00:00.001Z', '198.51.100.7']);
  });

  test('is written once in five minutes, by all processes together', async () => {
    const { key, secret } = await issue();
    await Promise.all(Array.from({ length: 20 }, (_, at) => call(secret.text, NOW + at, `198.51.100.${at}`)));
    await isShown(key.id, [expect.any(String), expect.any(String)]);
    const [first] = await shown(key.id);
    await call(secret.text, NOW + USE_INTERVAL_MS - 1);
    expect((await shown(key.id))[0]).toBe(first);
    await call(secret.text, NOW + USE_INTERVAL_MS + 20, '2001:db8::1');
    await isShown(key.id, ['2026-03-02T12:05:00.020Z', '2001:db8::1']);
  });

  test('is of all its secrets, and a rotation keeps it', async () => {
    const { key, secret } = await issue();
    await call(secret.text, NOW);
    await isShown(key.id, ['2026-03-02T12:00:00.000Z', expect.any(String)]);
    const after = accepted(await rotateKey(store, operatorOf(organizationId, 'test'), { id: key.id }, NOW + 1));
    expect((await shown(key.id))[0]).toBe('2026-03-02T12:00:00.000Z');
    await call(after.secret.text, NOW + USE_INTERVAL_MS);
    await isShown(key.id, ['2026-03-02T12:05:00.000Z', expect.any(String)]);
  });

  test('costs a process one write in five minutes, and is tried again after a failed one', async () => {
    const { key } = await issue();
    const proxy = await startFaultProxy(stages.endpoint);
    const { client, table } = stages.through(proxy.endpoint);
    const writes: Promise<void>[] = [];
    const uses = keyUses((id, use) => {
      const write = recordKeyUse(table)(id, use);
      writes.push(write);
      return write;
    });
    const caller = { credentialId: key.id, kind: 'key' } as const;
    for (let at = 0; at < 10; at++) await uses.note(caller, { at: NOW + at });
    await Promise.all(writes);
    expect(proxy.calls.get('UpdateItem')).toBe(1);
    await uses.note(caller, { at: NOW + USE_INTERVAL_MS });
    await Promise.all(writes);
    expect(proxy.calls.get('UpdateItem')).toBe(2);
    client.destroy();
    await proxy.close();
    let tries = 0;
    const failing = keyUses(async () => {
      tries += 1;
      throw new Error('The table is away.');
    });
    for (let at = 0; at < 3; at++) await failing.note(caller, { at: NOW });
    expect(tries).toBe(3);
  });

  test('refuses and delays no request while it cannot be written', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const hanging = keyUses(() => new Promise(() => undefined));
    const passed = vi.fn();
    const caller = { credentialId: idNamed('apiKey', 'a'), kind: 'key' } as const;
    void hanging.note(caller, { at: NOW, ip: '198.51.100.7' }).then(passed);
    await vi.advanceTimersByTimeAsync(100);
    expect(passed).toHaveBeenCalledOnce();
  });
});
