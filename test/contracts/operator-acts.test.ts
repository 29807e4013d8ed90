import { beforeEach, expect, it, vi } from 'vitest';
import { STAGE_LOG } from '../../shared/domain/audit/entry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';

Object.assign(process.env, {
  STAGE: 'test',
  TABLE_NAME: 'none',
  LIVE_TABLE_NAME: 'none',
  PUBLIC_URL: 'http://127.0.0.1:9',
});
const { Table } = await import('../../shared/storage/client/table.ts');
const { recordAct, recordView } = await import('../../shared/wiring/operator/acts.ts');

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-26T12:00:00.000Z');
const stores = () => vi.spyOn(Table.prototype, 'transact').mockResolvedValue({ ok: true });
let transact: ReturnType<typeof stores>;
let now = NOON;
beforeEach(() => {
  now += 24 * HOUR_MS;
  vi.spyOn(Date, 'now').mockImplementation(() => now);
  transact = stores();
});

/** The entries that were stored, each once, in their order. */
const entries = () => {
  const rows = transact.mock.calls.flatMap(([writes]) =>
    writes.flatMap((write) => ('put' in write ? [write.put] : [])),
  );
  const found = new Map(rows.map(({ id, org, actor, action, object, ip }) => [id, { org, actor, action, object, ip }]));
  return [...found.values()];
};

const operator = (): Actor => ({
  organizationId: newId('organization'),
  env: 'test',
  credentialId: newId('session'),
  kind: 'session',
  accountId: newId('account'),
  scopes: new Set(['operator:read', 'operator:write']),
  request: { id: 'req-1', ip: '192.0.2.1' },
});

it('an act is in the log of the stage, with the account and the address of its operator', async () => {
  const actor = operator();
  await recordAct(actor, { action: 'work.retried', object: 'send_message' });
  const by = { kind: 'operator', id: actor.accountId };
  expect(entries()).toEqual([
    { org: STAGE_LOG, actor: by, action: 'work.retried', object: 'send_message', ip: '192.0.2.1' },
  ]);
});

it('an act that concerns an organization is in its log too, which names neither the operator nor the address', async () => {
  const [actor, organizationId] = [operator(), newId('organization')];
  const act = { action: 'organization.viewed', object: organizationId } as const;
  await recordAct(actor, act, organizationId);
  expect(transact).toHaveBeenCalledOnce();
  expect(entries()).toEqual([
    { ...act, org: STAGE_LOG, actor: { kind: 'operator', id: actor.accountId }, ip: '192.0.2.1' },
    { ...act, org: organizationId, actor: { kind: 'operator', id: 'operator' }, ip: undefined },
  ]);
});

it('an act is recorded before it is done: without its entry it fails', async () => {
  const fault = new Error('canary');
  transact.mockRejectedValue(fault);
  await expect(recordAct(operator(), { action: 'work.retried', object: 'send_message' })).rejects.toBe(fault);
});

it('views are recorded once an hour, for each operator and each part of the stage', async () => {
  const [ana, bia] = [operator(), operator()];
  const view = async () => {
    for (const actor of [ana, bia]) for (const at of ['queues', 'work'] as const) await recordView(actor, at);
  };
  await view();
  now += HOUR_MS - 1;
  await view();
  const seen = entries().map(({ actor, object }) => [(actor as { id: string }).id, object]);
  expect(seen).toEqual([ana, bia].flatMap(({ accountId }) => ['queues', 'work'].map((at) => [accountId, at])));
  now += 1;
  await view();
  expect(entries()).toHaveLength(8);
});

it('a view whose entry could not be stored is recorded at the next', async () => {
  const actor = operator();
  transact.mockRejectedValueOnce(new Error('canary'));
  await expect(recordView(actor, 'providers')).rejects.toThrow('canary');
  await recordView(actor, 'providers');
  expect(transact).toHaveBeenCalledTimes(2);
});
