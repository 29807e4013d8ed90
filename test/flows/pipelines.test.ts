import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const PATH = '/pipelines';
const messaging = await sharedMessaging();

const begin = async (body: object = {}) => {
  const { test: client } = await messaging.tenant();
  const pipeline = (await client.post(PATH, { nome: 'Vendas', ...body })).body;
  return { client, pipeline, path: `${PATH}/${pipeline.id}` };
};
type Client = Awaited<ReturnType<typeof begin>>['client'];
const patch = (client: Client, path: string, body: object) => client.call('PATCH', path, { body });
const addCard = async (client: Client, pipelineId: string, fields: object = {}) =>
  (await client.post('/cards', { pipelineId, titulo: 'Renovação', ...fields })).body;
const names = (pipeline: { estagios: { nome: string }[] }) => pipeline.estagios.map(({ nome }) => nome);

describe('a pipeline', () => {
  test('is created with a default set of stages, read, renamed and deleted', async () => {
    const { client, pipeline, path } = await begin();
    expect(pipeline).toEqual({
      id: expect.stringMatching(/^pip_[0-9A-Za-z]{21}$/),
      nome: 'Vendas',
      tipo: 'vendas',
      arquivado: false,
      estagios: ['Novo', 'Qualificação', 'Proposta', 'Negociação', 'Ganho', 'Perdido'].map((nome, at) => ({
        id: expect.stringMatching(/^stg_[0-9A-Za-z]{21}$/),
        nome,
        ordem: at + 1,
        tipo: ['aberto', 'aberto', 'aberto', 'aberto', 'ganho', 'perdido'][at],
        camposObrigatorios: [],
      })),
      createdAt: expect.any(String),
      updatedAt: pipeline.createdAt,
    });
    expect((await client.get(path)).body).toEqual(pipeline);
    expect((await patch(client, path, { nome: 'Vendas B2B' })).body).toMatchObject({ nome: 'Vendas B2B' });
    expect((await client.call('DELETE', path)).status).toBe(204);
    expectProblem(await client.get(path), 404);
    expectProblem(await client.call('DELETE', path), 404);
  });

  test('has the stages that it is seeded with, of which one at least is open', async () => {
    const estagios = [
      { nome: 'Contato', probabilidade: 10, tempoMaximoDias: 14 },
      { nome: 'Fechado', tipo: 'ganho', camposObrigatorios: ['valor', 'atributos.origem', 'valor'] },
    ];
    const { client, pipeline } = await begin({ estagios });
    expect(pipeline.estagios).toMatchObject([
      { nome: 'Contato', ordem: 1, tipo: 'aberto', probabilidade: 10, tempoMaximoDias: 14, camposObrigatorios: [] },
      { nome: 'Fechado', ordem: 2, tipo: 'ganho', camposObrigatorios: ['valor', 'atributos.origem'] },
    ]);
    for (const wrong of [
      [{ nome: 'Fim', tipo: 'ganho' }],
      [],
      [{ nome: 'A', probabilidade: 101 }],
      [{ nome: 'A', tempoMaximoDias: 0 }],
      [{ nome: 'A', tempoMaximoDias: 366 }],
      [{ nome: 'A', camposObrigatorios: ['titulo'] }],
      Array.from({ length: 21 }, () => ({ nome: 'A' })),
    ])
      expectProblem(await client.post(PATH, { nome: 'Outro', estagios: wrong }), 422);
  });

  test('is always of kind vendas: other kinds are not available yet', async () => {
    const { client, path } = await begin({ tipo: 'vendas' });
    for (const tipo of ['cobranca', 'onboarding']) {
      const refused = await client.post(PATH, { nome: 'Outro', tipo });
      expectProblem(refused, 422);
      expect(refused.body.meta).toEqual({ code: 'TIPO_AINDA_NAO_DISPONIVEL' });
    }
    expectProblem(await client.post(PATH, { nome: 'Outro', tipo: 'suporte' }), 422);
    expectProblem(await patch(client, path, { tipo: 'vendas' }), 422);
  });

  test('is listed newest first, archived or not, with the counts of its cards and open stages', async () => {
    const { client, pipeline } = await begin();
    const second = (await client.post(PATH, { nome: 'Segundo', estagios: [{ nome: 'Um' }] })).body;
    await addCard(client, pipeline.id);
    await addCard(client, pipeline.id, { estagioId: pipeline.estagios[4].id });
    await client.post(`${PATH}/${second.id}/archive`, {});
    expect((await client.get(PATH)).body).toEqual({ items: [pipeline], total: 1 });
    const all = (await client.get(PATH, { contagem: 'true', includeArchived: 'true' })).body;
    expect(all.items.map(({ id }: { id: string }) => id)).toEqual([second.id, pipeline.id]);
    expect(all).toMatchObject({
      total: 2,
      cardCounts: { [pipeline.id]: 2, [second.id]: 0 },
      openStageCounts: { [pipeline.id]: 4, [second.id]: 1 },
    });
    expectProblem(await client.get(PATH, { contagem: 'sim' }), 422);
  });

  test('accepts no cards and no moves while it is archived, and reads as before', async () => {
    const { client, pipeline, path } = await begin();
    const card = await addCard(client, pipeline.id);
    expect((await client.post(`${path}/archive`, {})).body).toMatchObject({ arquivado: true });
    expect((await client.post(`${path}/archive`, {})).status).toBe(200);
    const refused = [
      await client.post('/cards', { pipelineId: pipeline.id, titulo: 'Outro' }),
      await client.post(`/cards/${card.id}/move`, { estagioId: pipeline.estagios[1].id }),
      await client.post(`/cards/${card.id}/won`, {}),
    ];
    for (const answer of refused) {
      expectProblem(answer, 409);
      expect(answer.body.meta).toEqual({ code: 'PIPELINE_ARQUIVADO' });
    }
    expect((await client.get(`${path}/board`)).body.estagios[0].cards).toEqual([card]);
    expect((await client.post(`${path}/unarchive`, {})).body).toMatchObject({ arquivado: false });
    expect((await client.post(`/cards/${card.id}/won`, {})).body).toMatchObject({ status: 'ganho' });
  });

  test('and its stages stay while they have cards', async () => {
    const { client, pipeline, path } = await begin();
    const card = await addCard(client, pipeline.id);
    for (const taken of [path, `${path}/stages/${pipeline.estagios[0].id}`]) {
      const refused = await client.call('DELETE', taken);
      expectProblem(refused, 409);
      expect(refused.body.meta).toEqual({ code: 'POSSUI_CARTOES' });
    }
    expect((await client.call('DELETE', `/cards/${card.id}`)).status).toBe(204);
    expect((await client.call('DELETE', `${path}/stages/${pipeline.estagios[0].id}`)).status).toBe(204);
    expect((await client.call('DELETE', path)).status).toBe(204);
  });

  test('is one of at most 50', async () => {
    const { client } = await begin();
    for (let at = 1; at < 50; at++) expect((await client.post(PATH, { nome: `Pipeline ${at}` })).status).toBe(201);
    expectProblem(await client.post(PATH, { nome: 'Um a mais' }), 409);
    expect((await client.get(PATH, { limit: 1 })).body).toMatchObject({ total: 50, items: [{ nome: 'Pipeline 49' }] });
  });

  test('is private to its organization', async () => {
    const { path, pipeline } = await begin();
    const { client: other } = await begin();
    const stage = `${path}/stages/${pipeline.estagios[0].id}`;
    const answers = [
      await other.get(path),
      await other.get(`${path}/board`),
      await other.get(`${path}/forecast`),
      await other.get(`${stage}/cards`),
      await patch(other, path, { nome: 'Meu' }),
      await patch(other, stage, { nome: 'Meu' }),
      await other.call('DELETE', path),
      await other.post(`${path}/archive`, {}),
      await other.post(`${path}/stages`, { nome: 'Meu' }),
    ];
    for (const answer of answers) expectProblem(answer, 404);
    expectProblem(await other.post('/cards', { pipelineId: pipeline.id, titulo: 'Meu' }), 422);
  });
});

describe('a stage', () => {
  test('is added at the end, changed in part, and deleted', async () => {
    const { client, pipeline, path } = await begin();
    const added = await client.post(`${path}/stages`, { nome: 'Contrato', probabilidade: 90 });
    expect(added).toMatchObject({
      status: 201,
      body: { nome: 'Contrato', ordem: 7, tipo: 'aberto', probabilidade: 90 },
    });
    const stage = `${path}/stages/${added.body.id}`;
    const change = { nome: 'Assinatura', probabilidade: null, camposObrigatorios: ['valor'] };
    const changed = (await patch(client, stage, change)).body;
    expect(changed).toEqual({
      id: added.body.id,
      nome: 'Assinatura',
      ordem: 7,
      tipo: 'aberto',
      camposObrigatorios: ['valor'],
    });
    expect((await client.call('DELETE', stage)).status).toBe(204);
    expectProblem(await client.call('DELETE', stage), 404);
    expectProblem(await patch(client, stage, { nome: 'Outra' }), 404);
    expect((await client.get(path)).body.estagios).toEqual(pipeline.estagios);
  });

  test('is one of at most 20', async () => {
    const { client, path } = await begin({ estagios: Array.from({ length: 20 }, (_, at) => ({ nome: `E${at}` })) });
    expectProblem(await client.post(`${path}/stages`, { nome: 'Um a mais' }), 409);
  });

  test('changes its type only while it has no cards; one at least stays open', async () => {
    const { client, pipeline, path } = await begin({ estagios: [{ nome: 'Um' }, { nome: 'Dois' }] });
    const [one, two] = pipeline.estagios.map(({ id }: { id: string }) => `${path}/stages/${id}`);
    const card = await addCard(client, pipeline.id);
    const refused = await patch(client, one, { tipo: 'ganho' });
    expectProblem(refused, 409);
    expect(refused.body.meta).toEqual({ code: 'POSSUI_CARTOES' });
    expect((await patch(client, two, { tipo: 'ganho' })).body).toMatchObject({ tipo: 'ganho' });
    expectProblem(await client.call('DELETE', one), 409);
    await client.call('DELETE', `/cards/${card.id}`);
    expectProblem(await patch(client, one, { tipo: 'perdido' }), 422, { errors: ['tipo'] });
    expectProblem(await client.call('DELETE', one), 409);
  });

  test('stands where the order of all of them puts it', async () => {
    const { client, pipeline, path } = await begin();
    const ids: string[] = pipeline.estagios.map(({ id }: { id: string }) => id);
    const order = (estagios: readonly string[]) => client.call('PUT', `${path}/stages/order`, { body: { estagios } });
    const reversed = await order(ids.toReversed());
    expect(names(reversed.body)).toEqual(names(pipeline).toReversed());
    expect(reversed.body.estagios[0].ordem).toBe(1);
    const [first = ''] = ids;
    for (const wrong of [
      ids.slice(1),
      [...ids.slice(1), ids[1] ?? ''],
      [...ids, first],
      [...ids.slice(1), newId('stage')],
    ])
      expectProblem(await order(wrong), 422);
  });
});

describe('the forecast', () => {
  test('sums open cards by stage and currency, weighted by the probability of the stage', async () => {
    const estagios = [{ nome: 'Contato', probabilidade: 10 }, { nome: 'Proposta' }, { nome: 'Ganho', tipo: 'ganho' }];
    const { client, pipeline, path } = await begin({ estagios });
    const [contact, proposal, won] = pipeline.estagios.map(({ id }: { id: string }) => id);
    for (const [estagioId, valor, moeda] of [
      [contact, 100.05, 'BRL'],
      [contact, 200, 'BRL'],
      [contact, 50, 'USD'],
      [proposal, 1_000, 'BRL'],
      [won, 9_999, 'BRL'],
    ])
      await addCard(client, pipeline.id, { estagioId, valor, moeda });
    await addCard(client, pipeline.id, { estagioId: proposal });
    const line = (estagioId: string, nome: string, rest: object) => ({ estagioId, nome, ...rest });
    expect((await client.get(`${path}/forecast`)).body).toEqual({
      estagios: [
        line(contact, 'Contato', { moeda: 'BRL', cartoes: 2, valor: 300.05, probabilidade: 10, ponderado: 30.01 }),
        line(contact, 'Contato', { moeda: 'USD', cartoes: 1, valor: 50, probabilidade: 10, ponderado: 5 }),
        line(proposal, 'Proposta', { moeda: 'BRL', cartoes: 2, valor: 1_000, probabilidade: 100, ponderado: 1_000 }),
      ],
      totais: [
        { moeda: 'BRL', cartoes: 4, valor: 1_300.05, ponderado: 1_030.01 },
        { moeda: 'USD', cartoes: 1, valor: 50, ponderado: 5 },
      ],
    });
  });
});
