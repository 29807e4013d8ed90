import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { JOURNEYS, journeysOf, line, sms } from './journeys-kit.ts';
import { approvedTemplate } from './support.ts';

const messaging = await sharedMessaging();
const begin = async () => {
  const { id, test: client } = await messaging.tenant();
  const simulate = (journeyId: string, body: object) => client.post(`${JOURNEYS}/${journeyId}/simulate`, body);
  return { organizationId: id, client, simulate, ...journeysOf(client) };
};
const GRAPH = {
  passos: [
    { ...sms('oi', 'Olá, {{contato.nome|cliente}}! {{contato.telefone}}'), rotulo: 'Boas-vindas' },
    { chave: 'compra', tipo: 'esperar_evento', config: { evento: 'compra', prazo: { dias: 2 } } },
    { chave: 'vip', tipo: 'etiqueta', config: { adicionar: 'vip' } },
    sms('lembrete', 'Volte sempre'),
  ],
  ligacoes: [
    { de: 'oi', para: 'compra' },
    { de: 'compra', para: 'vip', quando: 'evento' },
    { de: 'compra', para: 'lembrete', quando: 'tempo_esgotado' },
  ],
};
const ANA = { name: 'Ana', phone: '+5511999990005' };
const inicio = '2026-03-10T12:00:00.000Z';

describe('a simulation', () => {
  test('shows each step with its time, each rendered message with its price, and the end', async () => {
    const { create, simulate } = await begin();
    const { id } = await create(GRAPH);
    const { status, body } = await simulate(id, { contato: ANA, inicio });
    expect(status).toBe(200);
    expect(body).toEqual({
      passos: [
        {
          passo: 'oi',
          tipo: 'enviar',
          rotulo: 'Boas-vindas',
          desde: inicio,
          em: inicio,
          visita: 1,
          resultado: 'enviada',
          mensagem: { canal: 'sms', texto: 'Ola, Ana! +5511999990005', coins: 800 },
        },
        {
          passo: 'compra',
          tipo: 'esperar_evento',
          desde: inicio,
          em: '2026-03-12T12:00:00.000Z',
          visita: 1,
          resultado: 'tempo_esgotado',
        },
        {
          passo: 'lembrete',
          tipo: 'enviar',
          desde: '2026-03-12T12:00:00.000Z',
          em: '2026-03-12T12:00:00.000Z',
          visita: 1,
          resultado: 'enviada',
          mensagem: { canal: 'sms', texto: 'Volte sempre', coins: 800 },
        },
      ],
      fim: { em: '2026-03-12T12:00:00.000Z', motivo: 'fim' },
      coins: 1_600,
    });
  });

  test('shows the text of a template as it reads, and for callers without pii:full with masked addresses', async () => {
    const { create, client, simulate } = await begin();
    const saved = {
      name: 'aviso',
      subject: 'Oi, {{nome}}',
      format: 'html',
      source: '<p>Fale conosco, {{telefone}}</p>',
    };
    expect((await client.post('/v2/email/templates', saved)).status).toBe(201);
    const template = await approvedTemplate(client, 'Oi, {{1}}!');
    const send = (chave: string, config: object) => ({ chave, tipo: 'enviar', config });
    const { id } = await create(
      line(
        send('zap', { canal: 'whatsapp', template, variaveis: { nome: '{{contato.nome}}' } }),
        send('carta', {
          canal: 'email',
          template: 'aviso',
          variaveis: { nome: '{{contato.nome}}', telefone: '{{contato.telefone}}' },
        }),
      ),
    );
    const contato = { ...ANA, email: 'ana@loja.example' };
    const messagesFor = async (shown: typeof simulate) =>
      (await shown(id, { contato })).body.passos.map(({ mensagem }: { mensagem: object }) => mensagem);
    const seenBy = (texto: string) => [
      { template, texto: 'Oi, Ana!', coins: expect.any(Number) },
      { template: 'aviso', assunto: 'Oi, Ana', texto, html: `<p>${texto}</p>`, coins: expect.any(Number) },
    ];
    expect(await messagesFor(simulate)).toMatchObject(seenBy('Fale conosco, +5511999990005'));
    const masked = await messaging.limited(client, ['campaigns:read']);
    const simulateMasked: typeof simulate = (journeyId, body) => masked.post(`${JOURNEYS}/${journeyId}/simulate`, body);
    expect(await messagesFor(simulateMasked)).toMatchObject(seenBy('Fale conosco, +55119****0005'));
  });

  test('has the events happen that it is given', async () => {
    const { create, simulate } = await begin();
    const { id } = await create(GRAPH);
    const { body } = await simulate(id, { contato: ANA, inicio, eventos: [{ nome: 'compra', apos: { horas: 3 } }] });
    expect(body.passos.map(({ passo, resultado }: { passo: string; resultado: string }) => [passo, resultado])).toEqual(
      [
        ['oi', 'enviada'],
        ['compra', 'evento'],
        ['vip', 'feito'],
      ],
    );
    expect(body.fim.em).toBe('2026-03-10T15:00:00.000Z');
  });

  test('uses a stored contact as it is: one that opted out or has no address is skipped, and nothing is stored', async () => {
    const { organizationId, client, create, simulate } = await begin();
    const mail = { chave: 'mail', tipo: 'enviar', config: { canal: 'email', assunto: 'Oi', html: '<p>Oi</p>' } };
    const { id } = await create(line(sms('oi'), mail));
    const contact = (await client.post('/contacts', ANA)).body;
    const resultsFor = async (body: object) =>
      (await simulate(id, body)).body.passos.map(({ resultado, detalhe }: { resultado: string; detalhe?: string }) => [
        resultado,
        detalhe,
      ]);
    const before = await messaging.rowsOf('test', organizationId);
    expect(await resultsFor({ contactId: contact.id })).toEqual([
      ['enviada', undefined],
      ['pulada', 'sem_endereco'],
    ]);
    expect(await messaging.rowsOf('test', organizationId)).toEqual(before);
    await client.post(`/contacts/${contact.id}/opt-out`, {});
    expect(await resultsFor({ contactId: contact.id })).toEqual([
      ['pulada', 'opt_out'],
      ['pulada', 'sem_endereco'],
    ]);
    // An address in the request is not looked up.
    expect(await resultsFor({ contato: ANA })).toEqual([
      ['enviada', undefined],
      ['pulada', 'sem_endereco'],
    ]);
    expect(await resultsFor({ contato: { ...ANA, optIn: { status: 'denied' } } })).toEqual([
      ['pulada', 'opt_out'],
      ['pulada', 'sem_endereco'],
    ]);
  });

  test('masks what the caller may not see, and is of stored contacts for those who may read them', async () => {
    const { client, create } = await begin();
    const { id } = await create(GRAPH);
    const contact = (await client.post('/contacts', ANA)).body;
    const simulated = async (scopes: string[]) =>
      (await messaging.limited(client, scopes)).post(`${JOURNEYS}/${id}/simulate`, { contactId: contact.id });
    expectProblem(await simulated(['campaigns:read']), 403);
    const { body } = await simulated(['campaigns:read', 'contacts:read']);
    expect(body.passos[0].mensagem.texto).toBe('Ola, Ana! +55119****0005');
  });

  test('is refused without a contact, with two, and for a missing one', async () => {
    const { create, simulate } = await begin();
    const { id } = await create(GRAPH);
    for (const body of [{}, { contato: ANA, contactId: newId('contact') }, { contactId: newId('contact') }]) {
      const refused = await simulate(id, body);
      expectProblem(refused, 422);
      expect(refused.body.errors).toMatchObject([{ path: 'contactId' }]);
    }
  });

  test('matches a real run: caps, cards, texts that are too long or empty, opt-outs and prices, and final texts', async () => {
    const { client, create, did, simulate } = await begin();
    const stages = [{ nome: 'Aberta' }, { nome: 'Proposta', camposObrigatorios: ['valor'] }];
    const pipeline = (await client.post('/pipelines', { nome: 'Vendas', estagios: stages })).body;
    const move = (chave: string, at: number, criar?: object) => {
      const config = { pipelineId: pipeline.id, estagioId: pipeline.estagios[at].id, ...(criar ? { criar } : {}) };
      return { chave, tipo: 'mover_cartao', config };
    };
    const text = (chave: string, config: object) => ({ chave, tipo: 'enviar', config: { canal: 'sms', ...config } });
    const graph = line(
      text('longo', { texto: '{{contato.atributos.longo}}' }),
      text('vazio', { texto: '{{contato.atributos.vazio}}' }),
      text('caro', { texto: 'Oi', maxCoins: 1 }),
      move('sem', 0),
      move('cria', 0, { titulo: 'Novo' }),
      move('valor', 1),
      move('fica', 0),
      text('sai', { texto: '“Olá” – ação…' }),
      text('otp', { texto: 'Senha 1', rota: 'otp' }),
      text('acima', { texto: 'Demais' }),
    );
    const { id } = await create({
      gatilho: { tipo: 'manual' },
      ...graph,
      tetoDeFrequencia: { mensagens: 1, dias: 3 },
    });
    await did(id, 'activate');
    const attributes = { longo: 'y'.repeat(1_000) };
    const people = await Promise.all(
      [0, 1].map(async (at) => {
        const fields = { phone: `+551197654${4_000 + at}`, attributes };
        return (await client.post('/contacts', fields)).body.id as string;
      }),
    );
    await client.post(`/contacts/${people[1]}/opt-out`, {});
    for (const contactId of people) {
      const simulated = (await simulate(id, { contactId })).body;
      const entered = await did(id, 'entries', { contactIds: [contactId] });
      const runOf = async () => (await client.get(`${JOURNEYS}/${id}/runs/${entered.items[0].runId}`)).body;
      await expect.poll(async () => (await runOf()).status, { timeout: 60_000 }).toBe('concluida');
      const run = await runOf();
      const results = (visits: readonly { passo: string; resultado: string; detalhe?: string }[]) =>
        visits.map(({ passo, resultado, detalhe }) => [passo, resultado, detalhe]);
      expect(results(simulated.passos)).toEqual(results(run.historico));
      for (const [at, { messageId }] of run.historico.entries()) {
        const shown = simulated.passos[at].mensagem;
        if (messageId === undefined) expect(shown?.coins).toBeUndefined();
        else {
          const { body } = await client.get(`/messages/${messageId}`);
          expect(shown).toEqual({ canal: 'sms', texto: body.payload.text, coins: expect.any(Number) });
        }
      }
      // The run's messages count for the cap.
      const [, , , , , , , last] = (await simulate(id, { contactId })).body.passos;
      expect(last.resultado).toBe('pulada');
    }
  });

  test('moves the open card of a stored contact by the rules of cards: a won one is not moved again, and none enters an archived pipeline', async () => {
    const { client, create, did, simulate } = await begin();
    const pipelineOf = async (nome: string) => {
      const estagios = [{ nome: 'Aberta' }, { nome: 'Proposta' }, { nome: 'Ganha', tipo: 'ganho' }];
      return (await client.post('/pipelines', { nome, estagios })).body;
    };
    const [sales, archived] = [await pipelineOf('Vendas'), await pipelineOf('Antigo')];
    const contactId = (await client.post('/contacts', { phone: '+5511976544009' })).body.id;
    for (const { id: pipelineId, estagios } of [sales, archived])
      await client.post('/cards', { pipelineId, estagioId: estagios[0].id, titulo: 'Novo', contatoId: contactId });
    const move = (chave: string, { id: pipelineId, estagios }: typeof sales, at: number) => ({
      chave,
      tipo: 'mover_cartao',
      config: { pipelineId, estagioId: estagios[at].id },
    });
    const steps = line(
      move('proposta', sales, 1),
      move('ganha', sales, 2),
      move('depois', sales, 0),
      move('fica', archived, 0),
      move('muda', archived, 1),
    );
    const { id } = await create({ gatilho: { tipo: 'manual' }, ...steps });
    await did(id, 'activate');
    expect((await client.post(`/pipelines/${archived.id}/archive`, {})).status).toBe(200);
    const results = (visits: readonly { passo: string; resultado: string; detalhe?: string }[]) =>
      visits.map(({ passo, resultado, detalhe }) => [passo, resultado, detalhe]);
    const simulated = results((await simulate(id, { contactId })).body.passos);
    const { items } = await did(id, 'entries', { contactIds: [contactId] });
    const runOf = async () => (await client.get(`${JOURNEYS}/${id}/runs/${items[0].runId}`)).body;
    await expect.poll(async () => (await runOf()).status, { timeout: 60_000 }).toBe('concluida');
    expect(simulated).toEqual(results((await runOf()).historico));
    expect(simulated).toEqual([
      ['proposta', 'feito', undefined],
      ['ganha', 'feito', undefined],
      ['depois', 'pulada', 'sem_cartao'],
      ['fica', 'falhou', 'conflict'],
      ['muda', 'falhou', 'conflict'],
    ]);
  });

  test("with outcomes of missing steps, or of steps that don't send, is refused by path", async () => {
    const { create, simulate } = await begin();
    const { id } = await create(GRAPH);
    const mensagens = ['oi', 'vip', 'nenhum'].map((passo) => ({ passo, status: 'lida' }));
    const refused = await simulate(id, { contato: ANA, mensagens });
    expectProblem(refused, 422);
    expect(refused.body.errors).toMatchObject([{ path: 'mensagens.1.passo' }, { path: 'mensagens.2.passo' }]);
  });

  test('of an endless loop stops, and fits a response', async () => {
    const { create, simulate } = await begin();
    const passos = [sms('a', 'x'.repeat(1_000)), { chave: 'b', tipo: 'esperar', config: { minutos: 1 } }];
    const ligacoes = [
      { de: 'a', para: 'b' },
      { de: 'b', para: 'a' },
    ];
    const { id } = await create({ passos, ligacoes });
    const { status, body, text } = await simulate(id, { contato: ANA, inicio });
    expect(status).toBe(200);
    expect(body.fim.motivo).toBe('limite_de_passos');
    expect(Buffer.byteLength(text)).toBeLessThan(6_000_000);
    expect(body.passos.at(-2).mensagem).toEqual({ canal: 'sms', coins: 5_600 });
  });
});
