import { describe, expect, test } from 'vitest';
import { newAccount } from '../../shared/domain/access/accounts.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { beginCards, contactOf, titles } from './cards-kit.ts';

const PATH = '/cards';
const messaging = await sharedMessaging();
const begin = (estagios?: readonly object[]) => beginCards(messaging, estagios);

describe('a card', () => {
  test('is created at the end of the first open stage, read, changed in part and deleted', async () => {
    const { client, pipeline, stages, create, patch } = await begin();
    const card = await create({ valor: 12_500.5, dataPrevista: '2026-06-30', atributos: { origem: 'feira', n: 1 } });
    expect(card).toEqual({
      id: expect.stringMatching(/^crd_[0-9A-Za-z]{21}$/),
      pipelineId: pipeline.id,
      estagioId: stages[0],
      titulo: 'Renovação',
      valor: 12_500.5,
      moeda: 'BRL',
      status: 'aberto',
      dataPrevista: '2026-06-30',
      atributos: { origem: 'feira', n: 1 },
      ordem: expect.any(String),
      parado: false,
      estagioDesde: expect.any(String),
      createdAt: card.estagioDesde,
      updatedAt: card.estagioDesde,
    });
    expect((await client.get(`${PATH}/${card.id}`)).body).toEqual(card);
    const changed = (await patch(card.id, { valor: null, titulo: ' Outro ', atributos: { n: 2 } })).body;
    const { valor: _, ...rest } = card;
    expect(changed).toEqual({ ...rest, titulo: 'Outro', atributos: { n: 2 }, updatedAt: expect.any(String) });
    expect((await client.call('DELETE', `${PATH}/${card.id}`)).status).toBe(204);
    expectProblem(await client.get(`${PATH}/${card.id}`), 404);
    expectProblem(await client.call('DELETE', `${PATH}/${card.id}`), 404);
    expect((await client.get(PATH)).body).toEqual({ items: [], total: 0 });
  });

  test('keeps every attribute as it was sent, and refuses what a card cannot be', async () => {
    const { client, pipeline, create } = await begin();
    const atributos = JSON.parse('{"constructor": "x", "toString": null, "tags": ["a", "b"], "sim": true}');
    expect((await create({ atributos })).atributos).toEqual(atributos);
    for (const wrong of [
      { valor: -0.01 },
      { valor: 0.001 },
      { valor: 1_000_000_000 },
      { moeda: 'brl' },
      { moeda: 'ABC' },
      { dataPrevista: '2026-02-30' },
      { titulo: '' },
      { titulo: 'a\nb' },
      { titulo: 'a'.repeat(201) },
      { atributos: { a: { b: 1 } } },
      { atributos: { longo: ['x'.repeat(250)].concat(Array.from({ length: 20 }, () => 'y'.repeat(250))) } },
      { estagioId: newId('stage') },
      { pipelineId: newId('pipeline') },
      { ordem: 'a0' },
      { status: 'ganho' },
      ...['0000-01-01', '0999-12-31', '2026-02-30'].map((dataPrevista) => ({ dataPrevista })),
    ])
      expectProblem(await client.post(PATH, { pipelineId: pipeline.id, titulo: 'Renovação', ...wrong }), 422);
  });

  test('names existing contacts and active accounts only, and is checked again only when they change', async () => {
    const { organizationId, client, pipeline, create, patch } = await begin();
    const contatoId = await contactOf(client);
    const fields = {
      organizationId,
      name: 'Ana',
      email: 'ana@example.com',
      emailHash: 'ana',
      role: 'support',
    } as const;
    const account = newAccount({ ...fields, status: 'active' }, Date.now());
    const accounts = accountStore(messaging.tables.test, { byOperator: true });
    await accounts.create(account, undefined);
    const card = await create({ contatoId, responsavelId: account.id });
    expect(card).toMatchObject({ contatoId, responsavelId: account.id });
    const other = await contactOf((await begin()).client);
    for (const [field, id] of [
      ['contatoId', newId('contact')],
      ['contatoId', other],
      ['contatoId', 'cnt_1'],
      ['empresaId', newId('company')],
      ['empresaId', '#'],
      ['responsavelId', newId('account')],
      ['responsavelId', 'ana'],
    ] as const) {
      const meta = { code: 'VINCULO_INVALIDO', campo: field };
      expectProblem(await client.post(PATH, { pipelineId: pipeline.id, titulo: 'Outro', [field]: id }), 422, {
        errors: [field],
        meta,
      });
      expectProblem(await patch(card.id, { [field]: id }), 422, { errors: [field], meta });
    }
    await accounts.change(account, { ...account, status: 'suspended', version: account.version + 1 }, undefined);
    expect((await patch(card.id, { responsavelId: account.id, titulo: 'Mesmo' })).status).toBe(200);
    expect((await patch(card.id, { responsavelId: null })).body.responsavelId).toBeUndefined();
    expectProblem(await patch(card.id, { responsavelId: account.id }), 422);
  });

  test('is listed by every filter, alone and with others, with exact totals', async () => {
    const { client, pipeline, stages, create } = await begin();
    const second = (await client.post('/pipelines', { nome: 'Outro', estagios: [{ nome: 'Um' }] })).body;
    const [one, two] = [await contactOf(client), await contactOf(client, 1)];
    const cards = [
      await create({ contatoId: one }),
      await create({ contatoId: one, estagioId: stages[2] }),
      await create({ contatoId: two }),
      (await client.post(PATH, { pipelineId: second.id, titulo: 'Quarto', contatoId: one })).body,
      await create(),
    ];
    const ids = (places: readonly number[]) => places.map((at) => cards[at].id);
    const expectList = async (
      query: Record<string, string | number>,
      places: readonly number[],
      total = places.length,
    ) => {
      const page = (await client.get(PATH, query)).body;
      expect([query, page.items.map(({ id }: { id: string }) => id), page.total]).toEqual([query, ids(places), total]);
    };
    await expectList({}, [4, 3, 2, 1, 0]);
    await expectList({ limit: 2, skip: 1 }, [3, 2], 5);
    await expectList({ pipelineId: pipeline.id }, [4, 2, 1, 0]);
    await expectList({ pipelineId: pipeline.id, status: 'aberto' }, [4, 2, 0]);
    await expectList({ pipelineId: pipeline.id, status: 'aberto', limit: 1, skip: 1 }, [2], 3);
    await expectList({ status: 'ganho' }, [1]);
    await expectList({ status: 'perdido' }, []);
    await expectList({ estagioId: stages[0] }, [0, 2, 4]);
    await expectList({ estagioId: stages[0], limit: 1, skip: 1 }, [2], 3);
    await expectList({ estagioId: stages[0], contatoId: one }, [0]);
    await expectList({ contatoId: one }, [3, 1, 0]);
    await expectList({ contatoId: one, status: 'aberto' }, [3, 0]);
    await expectList({ contatoId: one, pipelineId: pipeline.id, status: 'ganho' }, [1]);
    await expectList({ contatoId: newId('contact') }, []);
    await expectList({ pipelineId: newId('pipeline') }, []);
    await expectList({ responsavelId: newId('account') }, []);
    await expectList({ empresaId: newId('company'), responsavelId: newId('account') }, []);
    const ofContact = (await client.get(`/contacts/${one}/cards`, { limit: 2 })).body;
    expect([ofContact.items.map(({ id }: { id: string }) => id), ofContact.total]).toEqual([ids([3, 1]), 3]);
    expectProblem(await client.get(`/contacts/${newId('contact')}/cards`), 404);
    expectProblem(await client.get(`/v2/companies/${newId('company')}/cards`), 404);
    const { client: other } = await begin();
    for (const [name, id] of [
      ['contatoId', one],
      ['pipelineId', pipeline.id],
      ['estagioId', stages[0]],
    ])
      expect((await other.get(PATH, { [String(name)]: id })).body).toEqual({ items: [], total: 0 });
  });
});

describe('a move', () => {
  test('puts a card at the end of a stage, or next to another card there', async () => {
    const { create, move, board, stages } = await begin();
    const [a, b, c] = [await create({ titulo: 'a' }), await create({ titulo: 'b' }), await create({ titulo: 'c' })];
    expect(titles((await board()).estagios[0])).toEqual(['a', 'b', 'c']);
    const steps: [string, object, string][] = [
      [c.id, { antesDe: a.id }, 'cab'],
      [c.id, { depoisDe: a.id }, 'acb'],
      [a.id, {}, 'cba'],
      [a.id, { depoisDe: b.id }, 'cba'],
      [a.id, { antesDe: b.id }, 'cab'],
    ];
    for (const [id, place, order] of steps) {
      expect((await move(id, stages[0], place)).status).toBe(200);
      expect(titles((await board()).estagios[0]).join('')).toBe(order);
    }
    for (const place of [{ antesDe: a.id }, { depoisDe: newId('card') }, { antesDe: b.id, depoisDe: c.id }])
      expectProblem(await move(a.id, stages[0], place), 422);
    expectProblem(await move(a.id, stages[2], { antesDe: b.id }), 422);
    expectProblem(await move(a.id, newId('stage')), 422, { errors: ['estagioId'] });
    expectProblem(await move(newId('card'), stages[0]), 404);
  });

  test('names each field that the stage requires and the card lacks', async () => {
    const { client, pipeline, create, patch, move, stages } = await begin();
    const card = await create();
    expectProblem(await move(card.id, stages[1]), 422, { errors: ['valor', 'atributos.origem'] });
    expectProblem(await client.post(PATH, { pipelineId: pipeline.id, titulo: 'Outro', estagioId: stages[1] }), 422, {
      errors: ['valor', 'atributos.origem'],
    });
    await patch(card.id, { valor: 0, atributos: { origem: '' } });
    expectProblem(await move(card.id, stages[1]), 422, { errors: ['atributos.origem'] });
    await patch(card.id, { atributos: { origem: 'feira' } });
    expect((await move(card.id, stages[1])).body).toMatchObject({ estagioId: stages[1], status: 'aberto' });
  });

  test('to a stage of tipo ganho or perdido wins or loses the card, the latter with a reason', async () => {
    const { create, move, stages } = await begin();
    const [won, lost] = [await create(), await create()];
    const wins = (await move(won.id, stages[2])).body;
    expect(wins).toMatchObject({ status: 'ganho', estagioId: stages[2], ganhoEm: wins.updatedAt });
    expectProblem(await move(lost.id, stages[3]), 422, { errors: ['motivoPerda'] });
    const loses = (await move(lost.id, stages[3], { motivoPerda: 'Preço' })).body;
    expect(loses).toMatchObject({ status: 'perdido', motivoPerda: 'Preço', perdidoEm: loses.updatedAt });
    expectProblem(await move(won.id, stages[3], { motivoPerda: 'Preço' }), 409);
    const opened = (await move(lost.id, stages[0])).body;
    expect(opened).toMatchObject({ status: 'aberto', estagioId: stages[0] });
    expect([opened.motivoPerda, opened.perdidoEm]).toEqual([undefined, undefined]);
  });

  test('to a stage of another pipeline counts there', async () => {
    const { client, pipeline, create, move } = await begin();
    const second = (await client.post('/pipelines', { nome: 'Outro', estagios: [{ nome: 'Um' }] })).body;
    const card = await create({ valor: 10 });
    const [target] = second.estagios;
    expectProblem(await move(card.id, target.id), 422);
    expect((await move(card.id, target.id, { pipelineId: second.id })).body).toMatchObject({ pipelineId: second.id });
    const { cardCounts } = (await client.get('/pipelines', { contagem: 'true' })).body;
    expect(cardCounts).toEqual({ [pipeline.id]: 0, [second.id]: 1 });
    expect((await client.get(PATH, { pipelineId: second.id })).body.total).toBe(1);
  });
});

describe('winning, losing and reopening', () => {
  test('moves a card to the first stage of the type and back, once', async () => {
    const { client, create, patch, stages } = await begin();
    const card = await create({ valor: 10 });
    const act = (verb: string, body: object = {}) => client.post(`${PATH}/${card.id}/${verb}`, body);
    expectProblem(await act('reopen'), 409);
    expect((await act('won')).body).toMatchObject({ status: 'ganho', estagioId: stages[2] });
    expectProblem(await act('won'), 409);
    expectProblem(await act('lost', { motivoPerda: 'Preço' }), 409);
    expectProblem(await patch(card.id, { motivoPerda: 'Preço' }), 422);
    const reopened = (await act('reopen')).body;
    expect(reopened).toMatchObject({ status: 'aberto', estagioId: stages[0] });
    expect(reopened.ganhoEm).toBeUndefined();
    expectProblem(await act('lost'), 422);
    expect((await act('lost', { motivoPerda: 'Preço' })).body).toMatchObject({
      status: 'perdido',
      estagioId: stages[3],
    });
    expect((await patch(card.id, { motivoPerda: 'Prazo' })).body).toMatchObject({ motivoPerda: 'Prazo' });
    expectProblem(await act('reopen', { estagioId: stages[2] }), 422);
    expectProblem(await act('reopen', { estagioId: stages[1] }), 422, { errors: ['atributos.origem'] });
    expect((await act('reopen', { estagioId: stages[0] })).status).toBe(200);
  });

  test('leaves a card where it is when no stage has the type', async () => {
    const { client, create, board } = await begin([{ nome: 'Um' }, { nome: 'Dois' }]);
    const card = await create({ valor: 10 });
    const won = (await client.post(`${PATH}/${card.id}/won`, {})).body;
    expect(won).toMatchObject({ status: 'ganho', estagioId: card.estagioId });
    expect((await board()).estagios[0]).toMatchObject({ total: 1, valores: [] });
    expect((await client.post(`${PATH}/${card.id}/reopen`, {})).body).toMatchObject({ status: 'aberto' });
    expect((await board()).estagios[0]).toMatchObject({ total: 1, valores: [{ moeda: 'BRL', valor: 10 }] });
  });

  test('is recorded in the history, newest first, with the actor', async () => {
    const { client, create, patch, move, stages } = await begin();
    const card = await create();
    await patch(card.id, { valor: 5, titulo: 'Outro' });
    await move(card.id, stages[0]);
    await client.post(`${PATH}/${card.id}/lost`, { motivoPerda: 'Preço' });
    await client.post(`${PATH}/${card.id}/reopen`, {});
    const path = `${PATH}/${card.id}/history`;
    const first = (await client.get(path, { limit: 3 })).body;
    const rest = (await client.get(path, { limit: 3, cursor: first.nextCursor })).body;
    const ator = { tipo: 'key', id: expect.stringMatching(/^key_/) };
    expect([...first.items, ...rest.items]).toEqual([
      {
        em: expect.any(String),
        tipo: 'reaberto',
        ator,
        estagioAnteriorId: stages[3],
        estagioId: stages[0],
        campos: ['motivoPerda'],
      },
      {
        em: expect.any(String),
        tipo: 'perdido',
        ator,
        estagioAnteriorId: stages[0],
        estagioId: stages[3],
        campos: ['motivoPerda'],
      },
      { em: expect.any(String), tipo: 'alterado', ator, campos: ['titulo', 'valor'] },
      { em: expect.any(String), tipo: 'criado', ator, estagioId: stages[0] },
    ]);
    expect(rest.nextCursor).toBeUndefined();
    expectProblem(await client.get(path, { cursor: 'x' }), 400);
  });
});
