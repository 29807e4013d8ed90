import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { definition, JOURNEYS, journeysOf, line, sms, wait } from './journeys-kit.ts';

const messaging = await sharedMessaging();
const begin = async () => {
  const { id, test: client } = await messaging.tenant();
  return { organizationId: id, client, ...journeysOf(client) };
};
const NO_RUNS = { ativa: 0, concluida: 0, cancelada: 0, erro: 0 };

describe('a journey', () => {
  test('is created as a draft with its steps, and read as it was written', async () => {
    const { create, get } = await begin();
    const settings = {
      silencio: { inicio: '22:00', fim: '08:00' },
      tetoDeFrequencia: { mensagens: 3, dias: 7 },
      meta: { evento: 'compra' },
      reentrada: 'apos_concluir',
      intervaloReentradaHoras: 72,
    };
    const graph = line({ ...sms('oi'), rotulo: 'Boas-vindas' }, wait('espera'), sms('tchau'));
    const journey = await create({ ...settings, ...graph });
    expect(journey).toEqual({
      ...definition({ ...settings, ...graph }),
      id: expect.stringMatching(/^jor_[0-9A-Za-z]{21}$/),
      status: 'rascunho',
      versao: 1,
      execucoes: NO_RUNS,
      canais: ['sms'],
      fluxo: ['Boas-vindas', 'esperar', 'enviar'],
      metaEvento: 'compra',
      createdAt: expect.any(String),
      updatedAt: journey.createdAt,
    });
    expect((await get(journey.id)).body).toEqual(journey);
  });

  test('is refused with all of its errors, by path', async () => {
    const { client } = await begin();
    const refused = await client.post(
      JOURNEYS,
      definition({
        gatilho: { tipo: 'lista', listId: newId('list') },
        passos: [
          sms('oi'),
          {
            chave: 'mover',
            tipo: 'mover_cartao',
            config: { pipelineId: newId('pipeline'), estagioId: newId('stage') },
          },
          { chave: 'zap', tipo: 'enviar', config: { canal: 'whatsapp', template: 'nenhum' } },
          { chave: 'mail', tipo: 'enviar', config: { canal: 'email', template: newId('emailTemplate') } },
        ],
        ligacoes: [
          { de: 'oi', para: 'mover' },
          { de: 'mover', para: 'zap' },
          { de: 'zap', para: 'mail' },
        ],
      }),
    );
    expectProblem(refused, 422);
    const paths = refused.body.errors.map(({ path }: { path: string }) => path).toSorted();
    expect(paths).toEqual([
      'gatilho.listId',
      'passos.1.config.pipelineId',
      'passos.2.config.template',
      'passos.3.config.template',
    ]);
    const broken = await client.post(JOURNEYS, definition({ ligacoes: [{ de: 'oi', para: 'nenhum' }] }));
    expectProblem(broken, 422);
    expect(broken.body.errors).toMatchObject([{ path: 'ligacoes.0.para' }]);
    const gatilho = { tipo: 'lista', listId: newId('list') };
    const both = await client.post(JOURNEYS, definition({ gatilho, ligacoes: [{ de: 'oi', para: 'nenhum' }] }));
    expect(both.body.errors).toMatchObject([{ path: 'ligacoes.0.para' }, { path: 'gatilho.listId' }]);
  });

  test('is refused with at most a hundred faults, and only for its size if it is too large', async () => {
    const { client } = await begin();
    const gatilho = { tipo: 'lista', listId: newId('list') };
    const zap = { canal: 'whatsapp', template: 'nenhum', fallbackApos: '1h' };
    const named = line(...Array.from({ length: 60 }, (_, at) => ({ chave: `z${at}`, tipo: 'enviar', config: zap })));
    const refused = await client.post(JOURNEYS, definition(named));
    expectProblem(refused, 422);
    expect(refused.body.errors).toHaveLength(100);
    const html = 'x'.repeat(99_000);
    const mail = { canal: 'email', assunto: 'Oi', html };
    const large = line(...Array.from({ length: 11 }, (_, at) => ({ chave: `m${at}`, tipo: 'enviar', config: mail })));
    const tooLarge = await client.post(JOURNEYS, definition({ gatilho, ...large }));
    expectProblem(tooLarge, 422);
    expect(tooLarge.body.errors).toMatchObject([{ path: 'passos' }]);
  });

  test('is listed newest first without its steps, until it is archived', async () => {
    const { client, create, did, list } = await begin();
    const { id: listId } = (await client.post('/v2/lists', { name: 'VIP' })).body;
    const contact = (await client.post('/contacts', { phone: '+5511986100001' })).body.id;
    await client.post(`/v2/lists/${listId}/members`, { contactIds: [contact] });
    const filters = [{ field: 'tag', operator: 'is', value: 'vip' }];
    const { id: segmentId } = (await client.post('/v2/segments', { name: 'Inativos', filters })).body;
    const first = await create({ gatilho: { tipo: 'lista', listId } });
    const second = await create({ gatilho: { tipo: 'segmento', segmentId } });
    const third = await create();
    const rows = await list();
    expect(rows.map(({ id }: { id: string }) => id)).toEqual([third.id, second.id, first.id]);
    expect(rows[2]).toMatchObject({ lista: { nome: 'VIP', tamanho: 1 }, execucoes: NO_RUNS, canais: ['sms'] });
    expect(rows[1]).toMatchObject({ segmento: { nome: 'Inativos' } });
    expect(rows[0]).not.toHaveProperty('passos');
    await did(second.id, 'archive');
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([third.id, first.id]);
    await client.call('DELETE', `/v2/lists/${listId}`);
    expect((await list())[1]).not.toHaveProperty('lista');
  });

  test('is listed with a truncated main path, so that 200 fit a response; a read shows all of it', async () => {
    const { create, get, list } = await begin();
    const rotulo = '中'.repeat(120);
    const steps = Array.from({ length: 150 }, (_, at) => ({ ...sms(`p${at}`), rotulo }));
    const { id } = await create(line(...steps));
    expect((await get(id)).body.fluxo).toHaveLength(150);
    const [row] = await list();
    expect(row.fluxo).toHaveLength(55);
    expect(Buffer.byteLength(JSON.stringify(row)) * 200).toBeLessThan(5_000_000);
  });
});
