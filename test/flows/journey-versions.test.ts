import { describe, expect, test } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { journeysOf, line, sms } from './journeys-kit.ts';

const messaging = await sharedMessaging();
const table = messaging.tables.test;
const begin = async () => {
  const { id, test: client } = await messaging.tenant();
  const organizationId = id as Parameters<typeof KEYS.organization>[0];
  const triggers = async () => {
    const rows = await table.queryAll({
      partition: KEYS.journeyTrigger(organizationId, '', '', '').pk,
      consistent: true,
    });
    return rows.map(({ journeyId }) => journeyId);
  };
  return { organizationId, client, triggers, ...journeysOf(client) };
};
const codeOf = ({ body }: { body: { meta?: unknown } }) => body.meta;

describe('the states of a journey', () => {
  test('a draft is activated, paused, resumed and archived; each action may be repeated', async () => {
    const { create, did, act, remove, triggers } = await begin();
    const draft = await create();
    expectProblem(await act(draft.id, 'pause'), 409);
    const active = await did(draft.id, 'activate');
    expect(active).toMatchObject({ status: 'ativa', ativadaEm: expect.any(String) });
    expect(await did(draft.id, 'activate')).toEqual(active);
    expect(await triggers()).toEqual([draft.id]);
    expectProblem(await remove(draft.id), 409);

    const paused = await did(draft.id, 'pause');
    expect(paused).toMatchObject({
      status: 'pausada',
      pausadaPor: { motivo: 'operador', passo: '', em: expect.any(String) },
    });
    expect(await did(draft.id, 'pause')).toEqual(paused);
    expect(await triggers()).toEqual([]);

    const again = await did(draft.id, 'activate');
    expect(again.status).toBe('ativa');
    expect(again).not.toHaveProperty('pausadaPor');
    expect(await triggers()).toEqual([draft.id]);

    const archived = await did(draft.id, 'archive');
    expect(archived.status).toBe('arquivada');
    expect(await did(draft.id, 'archive')).toEqual(archived);
    expect(await triggers()).toEqual([]);
    for (const name of ['activate', 'pause']) expectProblem(await act(draft.id, name), 409);
  });

  test('a draft is deleted with all of its rows, and so is a draft of a later version, without those that they share', async () => {
    const { create, did, patch, remove, get } = await begin();
    const first = await create();
    expect((await remove(first.id)).status).toBe(204);
    expectProblem(await remove(first.id), 404);
    expect(await table.queryAll({ partition: KEYS.journey(first.id).pk })).toEqual([]);

    const running = await create();
    await did(running.id, 'activate');
    const { body: draft } = await patch(running.id, { name: 'Outra' });
    expect((await remove(draft.id)).status).toBe(204);
    expect(await table.queryAll({ partition: KEYS.journey(draft.id).pk })).toEqual([]);
    expect((await get(running.id)).body.status).toBe('ativa');
    // There is room for another draft.
    expect((await patch(running.id, { name: 'Mais uma' })).body).toMatchObject({ versao: 2, versaoDe: running.id });
  });

  test('the time that it is paused adds up, so that its runs keep what is left of their waits', async () => {
    const { create, did } = await begin();
    const { id } = await create();
    await did(id, 'activate');
    let pausedMs = 0;
    for (let pauses = 0; pauses < 2; pauses++) {
      const { pausadaPor } = await did(id, 'pause');
      const { ativadaEm } = await did(id, 'activate');
      pausedMs += Date.parse(ativadaEm) - Date.parse(pausadaPor.em);
    }
    expect(await table.get(KEYS.journey(id))).toMatchObject({ pausedMs });
  });
});

describe('the versions of a journey', () => {
  test('a draft is changed in place; what is sent back as it is changes nothing', async () => {
    const { create, patch, get } = await begin();
    const draft = await create({ meta: { evento: 'compra' } });
    const changed = await patch(draft.id, { name: 'Nova', meta: null, ...line(sms('um'), sms('dois')) });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ id: draft.id, name: 'Nova', versao: 1, fluxo: ['enviar', 'enviar'] });
    expect(changed.body).not.toHaveProperty('meta');
    expect((await get(draft.id)).body).toEqual(changed.body);
    const { passos, ligacoes, name } = changed.body;
    expect((await patch(draft.id, { passos, ligacoes, name })).body).toEqual(changed.body);
    expectProblem(await patch(draft.id, { passos: [sms('um')] }), 422);
    expect((await get(draft.id)).body).toEqual(changed.body);
  });

  test('a change of a running version creates a draft of the next one, which replaces it on activation', async () => {
    const { create, patch, did, get, triggers, list } = await begin();
    const first = await create();
    const active = await did(first.id, 'activate');
    const answer = await patch(first.id, line(sms('outro')));
    expect(answer.status).toBe(201);
    const second = answer.body;
    expect(second).toMatchObject({ status: 'rascunho', versao: 2, versaoDe: first.id, passos: [{ chave: 'outro' }] });
    expect((await get(first.id)).body).toEqual(active);

    await did(second.id, 'activate');
    const replaced = (await get(first.id)).body;
    expect(replaced).toMatchObject({ status: 'ativa', substituidaPor: second.id, entradasEncerradas: true });
    expect(replaced.passos).toEqual(first.passos);
    expect(await triggers()).toEqual([second.id]);
    expect(await list()).toHaveLength(2);

    const third = await patch(second.id, {});
    expect(third.body).toMatchObject({ versao: 3, versaoDe: first.id, passos: [{ chave: 'outro' }] });
  });

  test('there is one draft at a time, and none of a replaced or archived version: the response names the one to change', async () => {
    const { create, patch, did } = await begin();
    const { id } = await create();
    await did(id, 'activate');
    const { body: second } = await patch(id, { name: 'Dois' });
    const refused = await patch(id, { name: 'Três' });
    expectProblem(refused, 409);
    expect(codeOf(refused)).toEqual({ code: 'RASCUNHO_EXISTENTE', journeyId: second.id });
    await did(second.id, 'activate');
    const replaced = await patch(id, { name: 'Três' });
    expectProblem(replaced, 409);
    expect(codeOf(replaced)).toEqual({ code: 'VERSAO_SUBSTITUIDA', journeyId: second.id });
    await did(second.id, 'archive');
    expectProblem(await patch(second.id, { name: 'Três' }), 409);
  });

  test('a replaced version that is paused, resumed and archived never has its trigger back', async () => {
    const { create, patch, did, triggers } = await begin();
    const { id } = await create();
    await did(id, 'activate');
    const { body: second } = await patch(id, { name: 'Dois' });
    await did(second.id, 'activate');
    await did(id, 'pause');
    expect(await did(id, 'activate')).toMatchObject({ status: 'ativa', substituidaPor: second.id });
    expect(await triggers()).toEqual([second.id]);
    await did(id, 'archive');
    expect(await triggers()).toEqual([second.id]);
  });
});

describe('an activation', () => {
  test('checks again what the journey names, and that its messages can leave', async () => {
    const { client, create, act, get } = await begin();
    const { id: listId } = (await client.post('/v2/lists', { name: 'VIP' })).body;
    const push = { chave: 'push', tipo: 'enviar', config: { canal: 'push', texto: 'Oi' } };
    const zap = { chave: 'zap', tipo: 'enviar', config: { canal: 'sms', texto: 'Oi', fallback: ['whatsapp'] } };
    const { id } = await create({ gatilho: { tipo: 'lista', listId }, ...line(push, zap) });
    await client.call('DELETE', `/v2/lists/${listId}`);
    const refused = await act(id, 'activate');
    expectProblem(refused, 422);
    expect(refused.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'gatilho.listId',
      'passos.0.config.canal',
      'passos.1.config.fallback.0',
    ]);
    expect((await get(id)).body.status).toBe('rascunho');
  });

  test("includes present members of the list or segment if requested, and can't elsewhere", async () => {
    const { client, create, act, did } = await begin();
    const { id: listId } = (await client.post('/v2/lists', { name: 'VIP' })).body;
    const byEvent = await create();
    const refused = await act(byEvent.id, 'activate', { incluirAtuais: true });
    expectProblem(refused, 422);
    expect(refused.body.errors).toMatchObject([{ path: 'incluirAtuais' }]);

    const { id } = await create({ gatilho: { tipo: 'lista', listId } });
    await did(id, 'activate', { incluirAtuais: true });
    expect(await table.get(KEYS.journeyEntries(id))).toMatchObject({ source: { kind: 'lista', listId } });
    // A repeat is the same; of one that was activated without them it is more than that did.
    await did(id, 'activate', { incluirAtuais: true });
    const other = await create({ gatilho: { tipo: 'lista', listId } });
    await did(other.id, 'activate');
    expectProblem(await act(other.id, 'activate', { incluirAtuais: true }), 409);
  });

  test('accepts a call without a body', async () => {
    const { client, create } = await begin();
    const { id } = await create();
    expect((await client.call('POST', `/v2/journeys/${id}/activate`)).status).toBe(200);
  });
});
