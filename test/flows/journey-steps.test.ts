import { expect, test, vi } from 'vitest';
import { sign } from '../../shared/domain/webhooks/signature.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { use } from '../support/use.ts';
import { JOURNEYS, journeysOf, line, sms, type WrittenStep, webhook } from './journeys-kit.ts';

const messaging = await sharedMessaging();
const receiver = await use(startReceiver());
const WAIT = { timeout: 60_000, interval: 200 };

let phones = 0;
const begin = async () => {
  const { test: client } = await messaging.tenant();
  const { create, did } = journeysOf(client);
  const made = async (path: string, body: object) => {
    const answer = await client.post(path, body);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const contact = async (fields: object = {}): Promise<string> =>
    (await made('/contacts', { phone: `+55119765${String(++phones).padStart(5, '0')}`, name: 'Ana', ...fields })).id;
  /** Has contacts go through steps to their end; answers the journey's secret, and each run's results with their details. */
  const walk = async (passos: readonly WrittenStep[], contactIds: readonly string[]) => {
    const { id, segredoWebhook: secret } = await create({ gatilho: { tipo: 'manual' }, ...line(...passos) });
    await did(id, 'activate');
    const entered = await client.post(`${JOURNEYS}/${id}/entries`, { contactIds });
    const runs = entered.body.items.map(({ runId }: { runId: string }) => runId) as string[];
    const results = runs.map((runId) =>
      vi.waitFor(async () => {
        const { body } = await client.get(`${JOURNEYS}/${id}/runs/${runId}`);
        expect(body.status, JSON.stringify(body)).toBe('concluida');
        return (body.historico as { resultado: string; detalhe?: string }[]).map(({ resultado, detalhe = '' }) =>
          `${resultado} ${detalhe}`.trim(),
        );
      }, WAIT),
    );
    return { id, secret, runs, results: await Promise.all(results) };
  };
  return { client, made, contact, walk };
};

test('steps change the tags and attributes of their contact, and no others', async () => {
  const { client, contact, walk } = await begin();
  const ana = await contact({ tags: ['velho', 'fiel'], attributes: { cidade: 'Recife', plano: 'A' } });
  const { results } = await walk(
    [
      { chave: 'tags', tipo: 'etiqueta', config: { adicionar: ['novo', 'fiel'], remover: 'velho' } },
      { chave: 'cidade', tipo: 'atributo', config: { chave: 'cidade', valor: 'Olinda' } },
      { chave: 'plano', tipo: 'atributo', config: { chave: 'plano', valor: null } },
    ],
    [ana],
  );
  expect(results).toEqual([['feito', 'feito', 'feito']]);
  const { body } = await client.get(`/contacts/${ana}`);
  expect(body.tags.toSorted()).toEqual(['fiel', 'novo']);
  expect(body.attributes).toEqual({ cidade: 'Olinda' });
});

test('a step moves the open card of its contact; without one it creates the card in criar, or is skipped', async () => {
  const { client, made, contact, walk } = await begin();
  const { id: pipelineId, estagios } = await made('/pipelines', { nome: 'Vendas' });
  const [from, to] = estagios.filter(({ tipo }: { tipo: string }) => tipo === 'aberto');
  const [withCard, without, other] = [await contact(), await contact(), await contact()];
  const card = await made('/cards', { pipelineId, estagioId: from.id, titulo: 'Renovação', contatoId: withCard });
  const move = { pipelineId, estagioId: to.id };
  const step = (config: object) => ({ chave: 'mover', tipo: 'mover_cartao', config });
  const creating = await walk([step({ ...move, criar: { titulo: 'Novo', valor: 12.5 } })], [withCard, without]);
  expect(creating.results).toEqual([['feito'], ['feito']]);
  const skipping = await walk([step(move)], [other]);
  expect(skipping.results).toEqual([['pulada sem_cartao']]);
  const cardsOf = async (contactId: string) =>
    (await client.get(`/cards?pipelineId=${pipelineId}&contatoId=${contactId}`)).body.items;
  expect(await cardsOf(withCard)).toMatchObject([{ id: card.id, estagioId: to.id, titulo: 'Renovação' }]);
  expect(await cardsOf(without)).toMatchObject([{ estagioId: to.id, titulo: 'Novo', valor: 12.5 }]);
  expect(await cardsOf(other)).toEqual([]);
});

test('a send is skipped for a contact that opted out, and for one without an address, and the run continues', async () => {
  const { client, contact, walk } = await begin();
  const contacts = [await contact({ optIn: { status: 'denied' } }), await contact()];
  const mail = { chave: 'mail', tipo: 'enviar', config: { canal: 'email', assunto: 'Oi', texto: 'Oi' } };
  const { id, results } = await walk([sms('oi'), mail], contacts);
  expect(results).toEqual([
    ['pulada opt_out', 'pulada sem_endereco'],
    ['enviada', 'pulada sem_endereco'],
  ]);
  expect((await client.get(`${JOURNEYS}/${id}/metrics`)).body.passos).toMatchObject([
    { chave: 'oi', entraram: 2, puladas: 1 },
    { chave: 'mail', entraram: 2, puladas: 2 },
  ]);
});

test('a webhook step posts contact and run, signed with the secret that the journey was created with', async () => {
  const { contact, walk } = await begin();
  const ana = await contact({ tags: ['vip'] });
  const { id, secret, runs, results } = await walk(
    [webhook('erp', receiver.url, [{ key: 'X-Loja', value: 'abc' }])],
    [ana],
  );
  expect(results).toEqual([['feito 200']]);
  const own = receiver.received.filter(({ event }) => event.data.journeyId === id);
  expect(own).toMatchObject([
    { event: { type: 'journey.webhook', data: { runId: runs[0], passo: 'erp', contato: { id: ana, tags: ['vip'] } } } },
  ]);
  for (const { headers, body } of own) {
    expect(headers['x-loja']).toBe('abc');
    const signature = sign([secret], String(headers['webhook-id']), Number(headers['webhook-timestamp']), body);
    expect(headers['webhook-signature']).toBe(signature);
  }
});

test('a webhook step of an author who may not read contacts posts no more than their ids', async () => {
  const { test: client } = await messaging.tenant();
  const { create, did } = journeysOf(await messaging.limited(client, ['campaigns:read', 'campaigns:write']));
  const fields = { phone: '+5511976590001', email: 'zoe@loja.com.br', name: 'Zoe', attributes: { renda: 5_000 } };
  const { id: contactId } = (await client.post('/contacts', fields)).body;
  const { id } = await create({ gatilho: { tipo: 'manual' }, ...line(webhook('erp', receiver.url)) });
  await did(id, 'activate');
  await did(id, 'entries', { contactIds: [contactId] });
  const posted = () => receiver.received.filter(({ event }) => event.data.journeyId === id);
  await vi.waitFor(() => expect(posted()).toHaveLength(1), WAIT);
  expect(posted()[0]?.event.data.contato).toEqual({ id: contactId });
});
