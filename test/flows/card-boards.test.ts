import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { beginCards, contactOf, titles } from './cards-kit.ts';

const PATH = '/cards';
const messaging = await sharedMessaging();
const begin = () => beginCards(messaging);

describe('a board', () => {
  test('has each stage with its count, its open value and its first cards; a cursor continues it', async () => {
    const { client, pipeline, create, board, stages } = await begin();
    for (let at = 0; at < 5; at++) await create({ titulo: String(at), valor: at, moeda: at % 2 ? 'USD' : 'BRL' });
    expect((await board()).estagios[0]).toMatchObject({
      total: 5,
      valores: [
        { moeda: 'BRL', valor: 6 },
        { moeda: 'USD', valor: 4 },
      ],
    });
    const path = `/pipelines/${pipeline.id}`;
    const [first] = (await client.get(`${path}/board`, { limit: 2 })).body.estagios;
    expect(titles(first)).toEqual(['0', '1']);
    const page = (await client.get(`${path}/stages/${stages[0]}/cards`, { limit: 2, cursor: first.nextCursor })).body;
    const last = (await client.get(`${path}/stages/${stages[0]}/cards`, { cursor: page.nextCursor })).body;
    expect([...page.items, ...last.items].map(({ titulo }) => titulo)).toEqual(['2', '3', '4']);
    expect(last.nextCursor).toBeUndefined();
    expectProblem(await client.get(`${path}/stages/${stages[1]}/cards`, { cursor: first.nextCursor }), 400);
    expectProblem(await client.get(`${path}/stages/${newId('stage')}/cards`), 404);
  });
});

describe('an import of cards', () => {
  test('creates and changes cards in the order of the rows; invalid rows are reported by index', async () => {
    const { client, pipeline, create, board, stages } = await begin();
    const card = await create({ titulo: 'antes' });
    const row = (titulo: string, more: object = {}) => ({ pipelineId: pipeline.id, titulo, ...more });
    const cartoes = [
      row('a'),
      row('b', { valor: 1 }),
      row('', {}),
      row('c', { estagioId: stages[1] }),
      row('d', { contatoId: newId('contact') }),
      { id: card.id, valor: 7, atributos: { origem: 'feira' } },
      { id: card.id, estagioId: stages[1] },
      { id: newId('card'), valor: 7 },
      { id: card.id, pipelineId: pipeline.id },
      'nada',
      row('e', { pipelineId: newId('pipeline') }),
      row('f'),
    ];
    const answer = await client.post(`${PATH}/import`, { cartoes });
    expect(answer.body).toMatchObject({ criadas: 3, atualizadas: 2 });
    const reported = answer.body.erros.map(({ linha, mensagem }: { linha: number; mensagem: string }) => [
      linha,
      mensagem,
    ]);
    expect(reported).toEqual([
      [3, expect.stringContaining('titulo')],
      [4, 'valor is required to enter this stage; atributos.origem is required to enter this stage'],
      [5, expect.stringContaining('contatoId')],
      [8, 'There is no such card.'],
      [9, expect.stringContaining('pipelineId')],
      [10, expect.any(String)],
      [11, expect.stringContaining('pipelineId')],
    ]);
    const [first, second] = (await board()).estagios;
    expect([titles(first), titles(second)]).toEqual([['a', 'b', 'f'], ['antes']]);
    expect(second.valores).toEqual([{ moeda: 'BRL', valor: 7 }]);
  });

  test('puts the cards of its rows at the end of their stages in the order of the rows, new ones and those there already', async () => {
    const { client, pipeline, create, board, stages } = await begin();
    const titulos = Array.from({ length: 20 }, (_, at) => String(at));
    const ids: string[] = [];
    for (const titulo of titulos) ids.push((await create({ titulo, valor: 1, atributos: { origem: 'feira' } })).id);
    const wanted = titulos.toReversed();
    const into = async (stageId: string, rest: readonly string[]) => {
      const rows = wanted.map((titulo) => ({ id: ids[Number(titulo)], estagioId: stageId }));
      const fresh = {
        pipelineId: pipeline.id,
        titulo: 'novo',
        valor: 1,
        atributos: { origem: 'site' },
        estagioId: stageId,
      };
      const cartoes = [...rows.slice(0, 10), fresh, ...rows.slice(10)];
      const answer = await client.post(`${PATH}/import`, { cartoes });
      expect(answer.body).toEqual({ criadas: 1, atualizadas: 20, erros: [] });
      const stage = (await board()).estagios.find(({ id }: { id: string }) => id === stageId);
      expect(titles(stage)).toEqual([...rest, ...wanted.slice(0, 10), 'novo', ...wanted.slice(10)]);
    };
    await into(stages[0], []);
    await into(stages[1], []);
    await into(stages[0], ['novo']);
  });

  test('accepts at most 500 rows', async () => {
    const { client, pipeline, stages } = await begin();
    const contatoId = await contactOf(client);
    const cartoes = Array.from({ length: 500 }, (_, at) => ({
      pipelineId: pipeline.id,
      titulo: String(at),
      valor: at,
      ...(at % 3 === 0 ? { contatoId } : {}),
    }));
    const answer = await client.post(`${PATH}/import`, { cartoes });
    expect(answer.body).toEqual({ criadas: 500, atualizadas: 0, erros: [] });
    const board = (await client.get(`/pipelines/${pipeline.id}/board`, { limit: 1_000 })).body;
    expect(titles(board.estagios[0])).toEqual(cartoes.map(({ titulo }) => titulo));
    expect(board.estagios[0]).toMatchObject({ total: 500, valores: [{ moeda: 'BRL', valor: 124_750 }] });
    expect((await client.get(`/contacts/${contatoId}/cards`)).body.total).toBe(167);
    expect((await client.get(PATH, { estagioId: stages[0], limit: 1 })).body.total).toBe(500);
    expectProblem(await client.post(`${PATH}/import`, { cartoes: [...cartoes, cartoes[0]] }), 422);
  });
});
