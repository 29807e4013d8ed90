import { expect, test, vi } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { JOURNEYS, journeysOf, line, sms } from './journeys-kit.ts';

const messaging = await sharedMessaging();
const WAIT = { timeout: 60_000, interval: 200 };

let phones = 0;
const start = async () => {
  const tenant = await messaging.tenant();
  const journeys = journeysOf(tenant.test);
  const contact = async (fields: object = {}) => {
    const phone = `+55119876${String(++phones).padStart(5, '0')}`;
    const answer = await tenant.test.post('/contacts', { phone, name: 'Ana', ...fields });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.id as string;
  };
  const active = async (fields: object) => {
    const { id } = await journeys.create(fields);
    await journeys.did(id, 'activate');
    return id as string;
  };
  const enter = async (id: string, contactIds: readonly string[], more: object = {}) => {
    const answer = await tenant.test.post(`${JOURNEYS}/${id}/entries`, { contactIds, ...more });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const runOf = async (id: string, contactId: string) => {
    const { body } = await tenant.test.get(`${JOURNEYS}/${id}/runs?contactId=${contactId}`);
    const [run] = body.items;
    return run && (await tenant.test.get(`${JOURNEYS}/${id}/runs/${run.id}`)).body;
  };
  const ended = async (id: string, contactId: string, status = 'concluida') =>
    vi.waitFor(async () => {
      const run = await runOf(id, contactId);
      expect(run?.status, JSON.stringify(run)).toBe(status);
      return run;
    }, WAIT);
  return { client: tenant.test, journeys, contact, active, enter, runOf, ended };
};

const manual = { gatilho: { tipo: 'manual' } };

test('contacts enter manually, each with its own result, and their runs execute their steps, once', async () => {
  const { client, contact, active, enter, ended } = await start();
  const id = await active({
    ...manual,
    ...line(sms('oi', 'Oi {{contato.nome|amigo}}, {{variavel.cupom}}'), {
      chave: 'marca',
      tipo: 'etiqueta',
      config: { adicionar: 'novo' },
    }),
  });
  const [ana, nobody] = [await contact(), newId('contact')];
  const first = await enter(id, [ana, nobody], { variaveis: { cupom: 'A1' } });
  expect(first).toMatchObject({
    entraram: 1,
    items: [{ contactId: ana }, { contactId: nobody, motivo: 'contato_inexistente' }],
  });
  expect(await enter(id, [ana])).toMatchObject({ entraram: 0 });
  const [bia, eva] = [await contact(), await contact()];
  expect(await enter(id, [bia, eva, bia])).toMatchObject({ entraram: 2 });
  for (const other of [bia, eva]) await ended(id, other);
  const run = await ended(id, ana);
  expect(run.historico.map(({ passo, resultado }: { passo: string; resultado: string }) => [passo, resultado])).toEqual(
    [
      ['oi', 'enviada'],
      ['marca', 'feito'],
    ],
  );
  const message = await client.get(`/messages/${run.historico[0].messageId}`);
  expect(message.body).toMatchObject({ contactId: ana, channel: 'sms' });
  expect((await client.get(`/contacts/${ana}`)).body.tags).toEqual(['novo']);
  const { body: metrics } = await client.get(`${JOURNEYS}/${id}/metrics`);
  expect(metrics).toMatchObject({
    entradas: 3,
    ativas: 0,
    concluidas: 3,
    passos: [{ chave: 'oi', entraram: 3, esperando: 0, sairam: 3 }, { chave: 'marca' }],
  });
  expect(metrics.coins).toBeGreaterThan(0);
});

test('a run waits for its customer event, and is cancelled by hand', async () => {
  const { client, contact, active, enter, ended, runOf } = await start();
  const id = await active({
    ...manual,
    passos: [
      { chave: 'espera', tipo: 'esperar_evento', config: { evento: 'compra', prazo: { dias: 3 } } },
      sms('obrigado', 'Obrigado por {{evento.produto|comprar}}'),
    ],
    ligacoes: [{ de: 'espera', para: 'obrigado', quando: 'evento' }],
  });
  const [buyer, other] = [await contact(), await contact()];
  await enter(id, [buyer, other]);
  for (const each of [buyer, other])
    await vi.waitFor(async () => expect((await runOf(id, each)).espera).toMatchObject({ motivo: 'evento' }), WAIT);
  const event = { name: 'compra', eventId: 'e1', contact: { contactId: buyer }, properties: { produto: 'café' } };
  expect((await client.post('/v2/events', event)).status).toBe(201);
  expect((await ended(id, buyer)).historico).toMatchObject([{ resultado: 'evento' }, { resultado: 'enviada' }]);
  const { id: runId } = await runOf(id, other);
  const cancel = `${JOURNEYS}/${id}/runs/${runId}/cancel`;
  expect((await client.post(cancel, {})).body).toMatchObject({ status: 'cancelada', fim: { motivo: 'cancelada' } });
  expect((await client.post(cancel, {})).status).toBe(200);
  const { body } = await client.get(`${JOURNEYS}/${id}/runs?status=cancelada`);
  expect(body.items).toMatchObject([{ id: runId }]);
});

test.each(['lista', 'etiqueta'] as const)('a contact enters by a trigger of tipo %s', async (tipo) => {
  const { client, contact, active, ended } = await start();
  const list = (await client.post('/v2/lists', { name: 'Novos' })).body.id;
  const triggers = { lista: { tipo, listId: list }, etiqueta: { tipo, nome: 'vip' } };
  const ana = await contact();
  const id = await active({ gatilho: triggers[tipo], ...line(sms('oi')) });
  const done =
    tipo === 'lista'
      ? await client.post(`/v2/lists/${list}/members`, { contactIds: [ana] })
      : await client.call('PATCH', `/contacts/${ana}`, { body: { tags: ['vip'] } });
  expect(done.status, done.text).toBe(200);
  expect((await ended(id, ana)).historico).toMatchObject([{ passo: 'oi', resultado: 'enviada' }]);
});
