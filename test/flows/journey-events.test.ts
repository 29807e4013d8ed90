import { expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { takeEvents } from '../support/takers.ts';
import { journeysOf, line, webhook } from './journeys-kit.ts';

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

test('an activation and a pause raise their events, each once, and nothing else does', async () => {
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
  const [webhookRow] = await table.queryAll({ partition: KEYS.webhook(organizationId as Id<'organization'>, '').pk });
  const feed = async () =>
    (await client.get(`/webhooks/${webhookRow?.id}/events`)).body.items
      .filter(({ type }: { type: string }) => type.startsWith('journey.'))
      .map(({ type, data }: { type: string; data: object }) => [type, data]);
  await expect.poll(async () => (await feed()).length, { timeout: 20_000 }).toBe(3);
  expect((await feed()).toSorted()).toEqual([
    ['journey.activated', { journeyId: id, versao: 1, ativadaEm: expect.any(String) }],
    ['journey.activated', { journeyId: next, versao: 2, versaoDe: id, ativadaEm: expect.any(String) }],
    [
      'journey.paused',
      { journeyId: id, versao: 1, pausadaPor: { motivo: 'operador', passo: '', em: expect.any(String) } },
    ],
  ]);
});
