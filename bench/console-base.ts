import { keyFileOf } from '../infra/local/stages.ts';
import { rootKeysOf } from '../infra/operator/root-keys.ts';
import { newAccount, personHash } from '../shared/domain/access/accounts.ts';
import { newLink } from '../shared/domain/access/sign-in.ts';
import { CHANNELS } from '../shared/domain/channels/registry.ts';
import { parseId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { hourOf } from '../shared/domain/message/outcome.ts';
import { localKeyProvider } from '../shared/providers/keys/local-key-provider.ts';
import { accountStore } from '../shared/storage/access/accounts.ts';
import { putLink } from '../shared/storage/access/sign-in-links.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { OutcomeSums } from '../shared/storage/metrics/outcome-counts.ts';
import { layOut } from './audience-base.ts';
import { everybody, posted } from './campaign-runs.ts';
import { layOutMessages, overYear } from './message-base.ts';
import { type Service, tablesAt } from './processes.ts';

/** As many as an organization may have: the page of lists shows them all. */
export const LISTS = 1_000;
const nameOf = (at: number) => `Loja ${String(at).padStart(4, '0')}`;
/** The name of the one that is opened. */
export const LIST_NAME = nameOf(0);
/** Contacts of the list that is opened: the newest. */
export const MEMBERS = 1_000;
/** Stages of the board that is opened, the most that a pipeline has, and its cards: of each stage as many as a board shows at first. */
const STAGES = 20;
export const CARDS = STAGES * 50;
/** Of the journey that is opened. */
export const STEPS = 100;
const DAYS = 7;
const PAGE = 200;
const CONCURRENCY = 8;
const HOUR_MS = 3_600_000;

/** What is opened, by its path in the console. */
export interface World {
  readonly list: string;
  readonly segment: string;
  readonly contact: string;
  readonly board: string;
  readonly journey: string;
}

/** A board whose every stage has a page of cards. */
const layOutBoard = async (client: Service['client']): Promise<string> => {
  const stages = Array.from({ length: STAGES - 2 }, (_, at) => ({ nome: `Estágio ${at + 1}` }));
  const ends = [
    { nome: 'Ganho', tipo: 'ganho' },
    { nome: 'Perdido', tipo: 'perdido' },
  ];
  const pipeline = await posted(client, '/pipelines', { nome: 'Vendas', estagios: [...stages, ...ends] });
  await mapConcurrently(
    Array.from({ length: CARDS }, (_, at) => at),
    CONCURRENCY,
    (at) => {
      const stage = pipeline.estagios[at % STAGES];
      const motivoPerda = stage.tipo === 'perdido' ? { motivoPerda: 'Preço' } : {};
      const card = { pipelineId: pipeline.id, estagioId: stage.id, titulo: `Negócio ${at}`, valor: at, ...motivoPerda };
      return posted(client, '/cards', card);
    },
  );
  return `/pipelines/${pipeline.id}`;
};

/** A journey of steps one after another, messages and waits by turns. */
const layOutJourney = async (client: Service['client']): Promise<string> => {
  const passos = Array.from({ length: STEPS }, (_, at) => {
    const chave = `passo_${at}`;
    return at % 2 === 0
      ? { chave, tipo: 'enviar', config: { canal: 'sms', texto: `Oi pela ${at}ª vez` } }
      : { chave, tipo: 'esperar', config: { horas: at } };
  });
  const ligacoes = passos.slice(1).map(({ chave }, at) => ({ de: `passo_${at}`, para: chave }));
  const gatilho = { tipo: 'evento', nome: 'cadastro' };
  const journey = await posted(client, '/v2/journeys', {
    name: 'Boas-vindas',
    gatilho,
    reentrada: 'nunca',
    passos,
    ligacoes,
  });
  return `/journeys/${journey.id}`;
};

/** What the counters hold of a week in which each channel had messages in each hour. */
const layOutMetrics = async ({ organizationId, table }: Service): Promise<void> => {
  const sums = new OutcomeSums();
  const now = hourOf(Date.now());
  for (const channel of CHANNELS)
    for (let hour = now - DAYS * 24 * HOUR_MS; hour <= now; hour += HOUR_MS) {
      const counts = { sent: 20, unsent: 0, delivered: 18, read: 9, coins: 1_800 };
      sums.add({ organizationId, after: { channel, hour, counts } });
      sums.add({
        organizationId,
        after: { channel, hour, counts: { ...counts, sent: 1 }, failure: 'carrier_rejected' },
      });
    }
  for (const write of sums.writes('bench')) await table.write(write);
};

const newestContacts = async ({ client }: Service): Promise<string[]> => {
  const ids: string[] = [];
  for (let skip = 0; skip < MEMBERS; skip += PAGE) {
    const { status, body } = await client.get('/contacts', { limit: PAGE, skip });
    if (status !== 200) throw new Error(`/contacts was answered ${status}`);
    ids.push(...body.items.map(({ id }: { id: string }) => id));
  }
  return ids;
};

/** Lays out an organization's contacts and messages, its lists, and a segment that everybody is in. */
export const layOutConsole = async (service: Service, size: number): Promise<World> => {
  const { organizationId, table, store, client } = service;
  const startedAt = performance.now();
  const said = (what: string) =>
    console.log(`console: ${what} laid out after ${Math.round((performance.now() - startedAt) / 1000)} s`);
  await layOut(table, keyFileOf(store.folder), organizationId, size);
  said(`${size} contacts`);
  const contacts = await newestContacts(service);
  const [contact = ''] = contacts;
  const dynamodb = tableClient(store.endpoint);
  await layOutMessages(dynamodb, table.name, organizationId, overYear(size), parseId('contact', contact));
  dynamodb.destroy();
  await table.write({ update: KEYS.wallet(organizationId), add: { sms: size } });
  said(`${size} messages`);
  const numbers = Array.from({ length: LISTS }, (_, at) => at);
  const lists = await mapConcurrently(numbers, CONCURRENCY, (at) => posted(client, '/v2/lists', { name: nameOf(at) }));
  const [list] = lists;
  for (let from = 0; from < contacts.length; from += PAGE)
    await posted(client, `/v2/lists/${list.id}/members`, { contactIds: contacts.slice(from, from + PAGE) });
  const segment = await everybody(client);
  said('lists and a segment');
  await layOutMetrics(service);
  const [board, journey] = [await layOutBoard(client), await layOutJourney(client)];
  said('a board and a journey');
  return {
    list: `/lists/${list.id}`,
    segment: `/segments/${segment}`,
    contact: `/contacts/${contact}`,
    board,
    journey,
  };
};

/** Where a new owner of the organization signs in, once. */
export const ownersLink = async ({ organizationId, store }: Service): Promise<string> => {
  const tables = tablesAt(store.endpoint);
  const keys = rootKeysOf(tables, async () => () => localKeyProvider(keyFileOf(store.folder)));
  const email = 'bench@loja.example';
  const emailHash = personHash(await keys.vault('test', 'people'), email);
  const fields = { organizationId, name: 'Bench', email, emailHash, role: 'owner', status: 'active' } as const;
  const account = newAccount(fields, Date.now());
  const outcome = await accountStore(tables.test, { byOperator: true }).create(account, undefined);
  if (outcome !== 'saved') throw new Error(`The owner was not created: ${outcome}`);
  const { link, path } = newLink(account, 'test', Date.now());
  await putLink(tables.test, link);
  return path;
};
