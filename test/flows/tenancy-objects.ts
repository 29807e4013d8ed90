import { expect, vi } from 'vitest';
import { KEY_SCOPES } from '../../shared/domain/access/keys.ts';
import { newId, parseId } from '../../shared/domain/core/ids.ts';
import { beginRun } from '../../shared/domain/journeys/run.ts';
import { sweepSegment } from '../../shared/storage/audience/sweep-segment.ts';
import { runRow } from '../../shared/storage/journeys/run-rows.ts';
import { BASELINE_DELAY_MS } from '../../shared/storage/segments/sweeps.ts';
import type { Client, Messaging, Tenant } from '../support/api.ts';
import { makeDelivery, makeWebhook } from '../support/webhook-rows.ts';
import { becomes, connectNumber, keyed, PATIENCE, storeReply } from './support.ts';

/** The kinds of objects that paths address. */
export type Kind =
  | ('message' | 'rcs' | 'email' | 'reply' | 'batch' | 'push' | 'pushApp' | 'pushDispatch')
  | (
      | 'account'
      | 'activity'
      | 'key'
      | 'campaign'
      | 'card'
      | 'company'
      | 'contact'
      | 'webhook'
      | 'delivery'
      | 'emailTemplate'
      | 'exportJob'
      | 'importJob'
      | 'journey'
      | 'run'
      | 'list'
      | 'segment'
      | 'number'
      | 'pipeline'
      | 'stage'
      | 'sender'
      | 'smppAccount'
      | 'template'
      | 'flow'
    );
export type Things = Readonly<Record<Kind, string>>;

/** Two RCS messages, so that their list has a second page, to a recipient without reports. Answers the last. */
const makeRcs = async (client: Client): Promise<string> => {
  const body = { to: '+5511999990099', content: { text: 'Oi' }, route: 'easy_rcs' };
  const send = () => client.post('/v2/rcs/messages', body, keyed());
  await send();
  return (await send()).body.id;
};

/** Two WhatsApp messages and SMS, and two events of a customer, so that their lists have a second page. */
const makePairs = async (client: Client, contactId: string): Promise<void> => {
  const template = { type: 'template', payload: { template: { name: 'pedido', language: 'pt-BR' } } };
  for (const eventId of ['first', 'second']) {
    const whatsapp = { channel: 'whatsapp', to: '+5511999990099', ...template };
    expect((await client.post('/messages', whatsapp, keyed())).status).toBe(201);
    await client.send({ to: '+5511999990099' });
    const event = { name: 'compra', eventId, contact: { contactId } };
    expect((await client.post('/v2/events', event)).status).toBe(201);
  }
};

/** An app with a device, and two messages to it, so that their list has a second page. Answers the last. */
const makePush = async (client: Client) => {
  const pushApp = (await client.post('/v2/push/apps', { name: 'Theirs' })).body.id;
  await client.post('/v2/push/tokens', { appId: pushApp, token: 'device-0099', platform: 'ios' });
  const body = { title: 'Oi', body: 'Oi', platforms: ['ios'] };
  const send = () => client.post('/v2/push/messages', body, keyed());
  await send();
  const push = (await send()).body.id;
  const [dispatch] = (await client.get(`/v2/push/messages/${push}/dispatches`)).body.items;
  return { pushApp, push, pushDispatch: dispatch.dispatchId };
};

/** Two imports that await their files, so that their list has a second page, and an export. Answers the last. */
const makeJobs = async (client: Client) => {
  const about = { format: 'csv', onConflict: 'skip', size: 10 };
  await client.post('/contacts/import/jobs', about);
  const importJob = (await client.post('/contacts/import/jobs', about)).body.id;
  const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  const exported = { kind: 'messages', channel: 'sms', from, to, format: 'csv' };
  // One at a time; two of them, so that their list has a second page.
  const earlier = (await client.post('/v2/exports/jobs', exported)).body.id;
  await becomes(client, `/v2/exports/jobs/${earlier}`, { status: 'completed' });
  const exportJob = (await client.post('/v2/exports/jobs', exported)).body.id;
  // Its end must not fall between two reads that the tests compare.
  await becomes(client, `/v2/exports/jobs/${exportJob}`, { status: 'completed' });
  return { importJob, exportJob };
};

/** Two cards in the first stage of a pipeline, so that their list has a second page. */
const makeSales = async (client: Client) => {
  const { id: pipeline, estagios } = (await client.post('/pipelines', { nome: 'Theirs' })).body;
  const create = () => client.post('/cards', { pipelineId: pipeline, titulo: 'Theirs' });
  await create();
  const card = (await create()).body.id;
  await client.call('PATCH', `/cards/${card}`, { body: { titulo: 'Still theirs' } });
  return { pipeline, stage: estagios[0].id, card };
};

/** A draft of a journey that may be activated, has a secret, and sends at the step that the examples of simulations name. */
const makeJourney = async (client: Client): Promise<string> => {
  const passos = [
    { chave: 'boas_vindas', tipo: 'enviar', config: { canal: 'sms', texto: 'Oi' } },
    { chave: 'erp', tipo: 'webhook', config: { url: 'https://hooks.loja.com.br/jornada' } },
  ];
  const ligacoes = [{ de: 'boas_vindas', para: 'erp', quando: 'padrao' }];
  const gatilho = { tipo: 'evento', nome: 'cadastro' };
  const body = { name: 'Theirs', gatilho, passos, ligacoes, reentrada: 'nunca' };
  return (await client.post('/v2/journeys', body)).body.id;
};

/** A run of a journey, as an entry begins it; two of them, so that their list has a second page. */
const storeRuns = async ({ tables }: Messaging, { id: organizationId }: Tenant, journey: string, contact: string) => {
  const journeyId = parseId('journey', journey);
  const contactId = parseId('contact', contact);
  const runs = [newId('run'), newId('run')].map((id) => {
    const of = { id, organizationId, env: 'test', journeyId, rootId: journeyId, contactId } as const;
    const run = { ...beginRun(of, { first: 'erp', steps: new Map(), watched: new Set() }, Date.now()), version: 1 };
    return { run, history: [], isParked: false };
  });
  await tables.test.putMany(runs.map(runRow));
  return String(runs[0]?.run.id);
};

/** Determines the first members of a segment, which is due a minute after its creation: in the midst of tests that compare rows. */
const determineMembers = async (table: Messaging['tables']['test'], { id }: Tenant, segment: string): Promise<void> => {
  const ports = { table, clock: () => Date.now() + BASELINE_DELAY_MS, takers: [] };
  while (await sweepSegment(ports, id, parseId('segment', segment)));
};

/** Waits until no work of an organization is due, but that of rows of some kinds. */
export const becomesQuiet = (messaging: Messaging, { id }: Tenant, but: readonly string[]): Promise<void> =>
  vi.waitFor(async () => {
    const rows = await messaging.rowsOf('test', id);
    const due = rows.filter(({ pk, duePk }) => duePk !== undefined && !but.some((kind) => pk.startsWith(kind)));
    expect(due.map(({ pk, sk }) => [pk, sk])).toEqual([]);
  }, PATIENCE);

/** An object of each kind in the test stage. */
export const makeThings = async (messaging: Messaging, owner: Tenant): Promise<Things> => {
  const { id: organizationId, test: client } = owner;
  const contact = (await client.post('/contacts', { phone: '+5511999990005', name: 'Maria' })).body.id;
  const company = (await client.post('/v2/companies', { nome: 'Theirs', contatoPrincipalId: contact })).body.id;
  const message = (await client.send({ contactId: contact, campaignId: 'launch' })).body.id;
  const rcs = await makeRcs(client);
  const mail = { to: 'success@simulator.amazonses.com', subject: 'Oi', text: 'Oi' };
  const email = (await client.post('/v2/email/messages', mail, keyed())).body.id;
  const key = (await client.post('/v2/api-keys', { name: 'Theirs', scopes: KEY_SCOPES })).body.id;
  const invited = { name: 'Theirs', email: 'theirs@example.com', role: 'viewer' };
  const account = (await client.post('/v2/accounts', invited)).body.id;
  const mailTemplate = { name: 'Theirs', subject: 'Oi', source: '<p>Oi</p>' };
  const emailTemplate = (await client.post('/v2/email/templates', mailTemplate)).body.id;
  await makePairs(client, contact);
  const list = (await client.post('/v2/lists', { name: 'Theirs' })).body.id;
  const filters = [{ field: 'tag', operator: 'is', value: 'vip' }];
  const segment = (await client.post('/v2/segments', { name: 'Theirs', filters })).body.id;
  const text = { channel: 'sms', text: 'Oi' };
  const draftOf = { name: 'Theirs', message: text, audience: { listIds: [list] } };
  const campaign = (await client.post('/v2/campaigns', draftOf)).body.id;
  const number = await connectNumber(client);
  const sender = (await client.post('/v2/senders', { channel: 'email', value: 'theirs.example' })).body.id;
  const smppAccount = (await client.post('/v2/smpp/accounts', { name: 'Theirs', route: 'otp' })).body.id;
  // Verified now, and not by the background while the tests compare.
  await client.post(`/v2/senders/${sender}/verify`, {});
  const draft = { name: 'pedido', language: 'pt-BR', category: 'utility', numberId: number };
  const components = [{ type: 'BODY', payload: { text: 'Oi' } }];
  const template = (await client.post('/v2/templates', { ...draft, components })).body.id;
  const screens = [{ id: 'A', terminal: true, layout: { type: 'SingleColumnLayout', children: [] } }];
  const form = { numberId: number, name: 'Theirs', platformCategories: ['OTHER'], flowJson: { screens } };
  const flow = (await client.post('/v2/flows', form)).body.id;
  const bulk = { mode: 'permissive', messages: [{ channel: 'sms', to: '+5511999990099', text: 'Oi' }] };
  const batch = (await client.post('/v1/messages/bulk', bulk)).body.batchId;
  const sales = await makeSales(client);
  const tasks = { tipo: 'tarefa', titulo: 'Theirs', cardId: sales.card };
  const activity = (await client.post('/activities', tasks)).body.id;
  const journey = await makeJourney(client);
  const run = await storeRuns(messaging, owner, journey, contact);
  const { id: reply } = await storeReply(messaging, owner, message);
  const table = messaging.tables.test;
  await determineMembers(table, owner, segment);
  const webhook = await makeWebhook(table, organizationId);
  const delivery = await makeDelivery(table, organizationId, webhook);
  const messages = { message, rcs, email, batch, reply, ...(await makePush(client)), ...(await makeJobs(client)) };

  return {
    ...messages,
    ...sales,
    account,
    activity,
    campaign,
    key,
    company,
    contact,
    emailTemplate,
    journey,
    run,
    list,
    segment,
    number,
    sender,
    smppAccount,
    template,
    flow,
    webhook,
    delivery,
  };
};
