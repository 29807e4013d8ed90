import { beforeAll, describe, expect, test, vi } from 'vitest';
import { isoTime } from '../../shared/domain/core/time.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { activityRows } from '../../shared/storage/activities/activity-rows.ts';
import type { Client, Tenant } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
const table = messaging.tables.test;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  tenant = await messaging.tenant({ takesEvents: true });
  client = tenant.test;
});
const create = async (fields: object = {}) => {
  const { status, body, text } = await client.post('/activities', { tipo: 'ligacao', titulo: 'Ligar', ...fields });
  expect(status, text).toBe(201);
  return body;
};
const inMinutes = (minutes: number) => isoTime(Date.now() + minutes * 60_000);

describe('an activity', () => {
  test('is created, read, changed, completed, reopened and deleted', async () => {
    const contatoId = (await client.post('/contacts', { phone: '+5511988880001' })).body.id;
    const fields = { descricao: 'Prazo\ne preço', venceEm: inMinutes(60), lembreteMinutos: 15, contatoId };
    const made = await create(fields);
    expect(made).toEqual({
      id: expect.stringMatching(/^atv_/),
      tipo: 'ligacao',
      titulo: 'Ligar',
      concluida: false,
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
      ...fields,
    });
    const path = `/activities/${made.id}`;
    expect((await client.get(path)).body).toEqual(made);
    const changed = await client.call('PATCH', path, {
      body: { titulo: ' Escrever ', descricao: null, contatoId: null },
    });
    expect(changed.body).toMatchObject({ titulo: 'Escrever', venceEm: fields.venceEm });
    expect(changed.body).not.toHaveProperty('descricao');
    expect(changed.body).not.toHaveProperty('contatoId');
    const done = (await client.post(`${path}/complete`, {})).body;
    expect(done).toMatchObject({ concluida: true, concluidaEm: expect.any(String) });
    expect((await client.post(`${path}/complete`, {})).body).toEqual(done);
    const reopened = await client.call('PATCH', path, { body: { concluida: false } });
    expect(reopened.body).not.toHaveProperty('concluidaEm');
    expect((await client.call('DELETE', path)).status).toBe(204);
    expectProblem(await client.get(path), 404);
    expectProblem(await client.call('DELETE', path), 404);
  });

  test('is refused with the field that is wrong', async () => {
    const invalid: readonly (readonly [object, string])[] = [
      [{ tipo: 'almoco' }, 'tipo'],
      [{ titulo: 'duas\nlinhas' }, 'titulo'],
      [{ titulo: 'x'.repeat(201) }, 'titulo'],
      [{ descricao: 'a\u0000b' }, 'descricao'],
      [{ venceEm: 'amanhã' }, 'venceEm'],
      [{ venceEm: '0000-01-01T00:00:00Z' }, 'venceEm'],
      [{ venceEm: '1000-01-01T00:00:00+01:00' }, 'venceEm'],
      [{ venceEm: '9999-12-31T23:59:59-03:00' }, 'venceEm'],
      [{ lembreteMinutos: 10 }, 'lembreteMinutos'],
      [{ lembreteMinutos: 40_321, venceEm: inMinutes(1) }, 'lembreteMinutos'],
      [{ contatoId: 'cnt_x' }, 'contatoId'],
      [{ cardId: 'x' }, 'cardId'],
      [{ desconhecido: 1 }, ''],
    ];
    for (const [fields, path] of invalid) {
      const answer = await client.post('/activities', { tipo: 'ligacao', titulo: 'Ligar', ...fields });
      expectProblem(answer, 422, path === '' ? {} : { errors: [path] });
    }
  });

  test('may name active people of the organization only', async () => {
    const invited = (await client.post('/v2/accounts', { name: 'Ana', email: 'ana@example.com', role: 'viewer' })).body;
    for (const responsavelId of [invited.id, 'acc_4hJ9sKq2LmN8pRt5VwXz1', 'ana']) {
      const answer = await client.post('/activities', { tipo: 'ligacao', titulo: 'Ligar', responsavelId });
      expectProblem(answer, 422, {
        errors: ['responsavelId'],
        meta: { code: 'VINCULO_INVALIDO', campo: 'responsavelId' },
      });
    }
  });
});

describe('the list of activities', () => {
  test('is by when they are due, with a total on all pages', async () => {
    const fresh = (await messaging.tenant()).test;
    const post = (titulo: string, venceEm?: string) =>
      fresh.post('/activities', { tipo: 'tarefa', titulo, ...(venceEm ? { venceEm } : {}) });
    await post('nunca');
    await post('depois', inMinutes(120));
    await post('antes', inMinutes(60));
    const titles = async (query: Record<string, string>) => {
      const { body } = await fresh.get('/activities', query);
      return [body.total, body.items.map(({ titulo }: { titulo: string }) => titulo)];
    };
    await vi.waitFor(async () => expect(await titles({})).toEqual([3, ['antes', 'depois', 'nunca']]), PATIENCE);
    expect(await titles({ limit: '1', skip: '1' })).toEqual([3, ['depois']]);
    expect(await titles({ concluida: 'true' })).toEqual([0, []]);
    expect(await titles({ ate: inMinutes(90), tipo: 'tarefa' })).toEqual([1, ['antes']]);
    expect(await titles({ cardId: 'crd_4hJ9sKq2LmN8pRt5VwXz1' })).toEqual([0, []]);
    for (const query of [{ limit: '201' }, { skip: '-1' }, { de: 'ontem' }, { concluida: 'sim' }])
      expectProblem(await fresh.get('/activities', query), 422);
  });
});

describe('activity.due', () => {
  test('reaches the outbox at the reminder, by the dispatcher, without title and description', async () => {
    const { id } = await create({ titulo: 'Segredo', venceEm: inMinutes(10), lembreteMinutos: 5 });
    const row = (await table.get(KEYS.activity(id))) ?? expect.fail('an activity');
    // As if its time had passed.
    const activity = activityRows.read(row);
    const earlier = { ...activity, dueAt: Date.now() + 60_000 };
    await table.write({ put: activityRows.write(earlier) });
    await vi.waitFor(
      async () => {
        const events = (await messaging.eventsOf('test', tenant.id)).filter(({ type }) => type === 'activity.due');
        expect(events.map(({ data }) => data)).toEqual([
          { activityId: id, tipo: 'ligacao', momento: 'lembrete', venceEm: isoTime(earlier.dueAt) },
        ]);
      },
      { timeout: 45_000, interval: 500 },
    );
  });
});

describe('the export of a contact', () => {
  test('has its activities', async () => {
    const { id: contatoId } = (await client.post('/contacts', { phone: '+5511988880002' })).body;
    const made = await create({ contatoId });
    await vi.waitFor(async () => {
      const { body, status, text } = await client.get(`/contacts/${contatoId}/export`);
      expect(status, text).toBe(200);
      expect(body.activities).toEqual([made]);
    }, PATIENCE);
  });
});
