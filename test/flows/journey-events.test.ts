import { expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Client } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { takeEvents } from '../support/takers.ts';
import { use } from '../support/use.ts';
import { JOURNEYS, journeysOf, line, webhook } from './journeys-kit.ts';

const messaging = await sharedMessaging();
const table = messaging.tables.test;

test('each act on a journey is entered in the audit log, with the names of fields and nothing that was sent', async () => {
  const { test: client } = await messaging.tenant();
  const { create, patch, did, remove } = journeysOf(client);
  const first = await create({ name: 'Marcado77', ...line(webhook('erp', 'https://hooks.loja.com.br/Marcado77')) });
  await patch(first.id, { name: 'Marcado77 2' });
  await did(first.id, 'activate');
  const second = (await patch(first.id, { name: 'Marcado77 3' })).body;
  await remove(second.id);
  await did(first.id, 'rotate-secret', {});
  await did(first.id, 'pause');
  await did(first.id, 'archive');
  // Repeats change nothing, and are no acts.
  await did(first.id, 'archive');
  const { body, text } = await client.get('/v2/audit', { limit: '50' });
  const entries = body.items.filter(({ action }: { action: string }) => action.startsWith('journey.'));
  expect(
    entries.map(({ action, object }: { action: string; object: string }) => [action, object]).toReversed(),
  ).toEqual([
    ['journey.created', first.id],
    ['journey.changed', first.id],
    ['journey.activated', first.id],
    ['journey.created', second.id],
    ['journey.deleted', second.id],
    ['journey.secret_rotated', first.id],
    ['journey.paused', first.id],
    ['journey.archived', first.id],
  ]);
  expect(entries.at(-2).details).toEqual({ fields: ['name'] });
  expect(text).not.toContain('Marcado77');
});

/** The events of journeys that the taker of an organization is to be sent. */
const journeyFeed = async (client: Client, organizationId: Id<'organization'>) => {
  const [row] = await table.queryAll({ partition: KEYS.webhook(organizationId, '').pk });
  const { body } = await client.get(`/webhooks/${row?.id}/events`);
  const items: { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[] = body.items;
  return items.filter(({ type }) => type.startsWith('journey.')).map(({ type, data }) => [type, data] as const);
};

test('an activation and a pause raise their events, each once, and no other act does', async () => {
  const { id: organizationId, test: client } = await messaging.tenant();
  await takeEvents(table, 'test', organizationId as Id<'organization'>);
  const { create, patch, did } = journeysOf(client);
  const { id } = await create();
  await did(id, 'activate');
  await did(id, 'activate');
  await did(id, 'pause');
  await did(id, 'pause');
  const { id: next } = (await patch(id, { name: 'Dois' })).body;
  await did(next, 'activate');
  await did(next, 'archive');
  const feed = () => journeyFeed(client, organizationId as Id<'organization'>);
  await expect.poll(async () => (await feed()).length, PATIENCE).toBe(3);
  expect((await feed()).toSorted()).toEqual([
    ['journey.activated', { journeyId: id, versao: 1, ativadaEm: expect.any(String) }],
    ['journey.activated', { journeyId: next, versao: 2, versaoDe: id, ativadaEm: expect.any(String) }],
    [
      'journey.paused',
      { journeyId: id, versao: 1, pausadaPor: { motivo: 'operador', passo: '', em: expect.any(String) } },
    ],
  ]);
});

test('a run whose webhook is refused permanently ends in erro, is counted as such, and raises journey.run_failed once', async () => {
  const receiver = await use(startReceiver());
  receiver.answer(() => 410);
  const { id: organizationId, test: client } = await messaging.tenant();
  await takeEvents(table, 'test', organizationId as Id<'organization'>);
  const { create, did, list } = journeysOf(client);
  const { id: contactId } = (await client.post('/contacts', { phone: '+5511987640001' })).body;
  const { id } = await create({ gatilho: { tipo: 'manual' }, ...line(webhook('erp', receiver.url)) });
  await did(id, 'activate');
  const entered = await client.post(`${JOURNEYS}/${id}/entries`, { contactIds: [contactId] });
  const [{ runId }] = entered.body.items;
  const failed = async () =>
    (await journeyFeed(client, organizationId as Id<'organization'>)).filter(([type]) => type === 'journey.run_failed');
  await expect.poll(async () => (await failed()).length, PATIENCE).toBeGreaterThan(0);
  expect(await failed()).toEqual([
    ['journey.run_failed', expect.objectContaining({ journeyId: id, runId, contactId, passo: 'erp', motivo: '410' })],
  ]);
  expect((await client.get(`${JOURNEYS}/${id}/runs/${runId}`)).body).toMatchObject({ status: 'erro' });
  expect(await list()).toMatchObject([{ id, execucoes: { ativa: 0, concluida: 0, cancelada: 0, erro: 1 } }]);
});
