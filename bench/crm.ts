import { type DynamoDBClient, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Company } from '../shared/domain/companies/company.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Client } from '../test/support/api.ts';
import { type Measured, measureOne, type Operation, timed } from './audience.ts';
import type { CountingProxy } from './counting-proxy.ts';
import { layOutCompanies, RARE, RARE_NAME, shownOf } from './crm-base.ts';
import { fundedOrganization, startService } from './processes.ts';
import { batchesOf, callAgain, type TableCall } from './raw-calls.ts';
import { columns, figure, median, type Section, type Verdict, verdict } from './report.ts';

const SIZES = (process.env.CRM ?? '1000,100000').split(',').map(Number);
const GOAL = { page: 1.3, moveUnits: 12 };
const CARDS = 1_000;
/** Companies of a page. */
const PAGE = 50;
const MOVES = 12;
const MOVE = 'move of a card';
const FIRST_SEARCH = `q, ${RARE} found, in a process that holds nothing of the directory`;

interface Base {
  readonly companyId: string;
  readonly pipelineId: string;
  readonly stages: readonly string[];
  readonly cards: readonly string[];
}
const expectDone = ({ status, body, text }: Awaited<ReturnType<Client['get']>>, what: string) => {
  if (status >= 300) throw new Error(`${what}: ${status} ${text}`);
  return body;
};
/** Each company that the lists show has a contact, as companies do: a list asks when it last wrote. */
const layOutContacts = async (client: Client, companies: readonly Company[]): Promise<void> => {
  const contatos = shownOf(companies, PAGE).map(({ id }, at) => ({ phone: `+55119870${20_000 + at}`, companyId: id }));
  const { criados } = expectDone(await client.post('/contacts/import', { contatos, onConflict: 'skip' }), 'contacts');
  if (criados !== contatos.length) throw new Error(`of ${contatos.length} contacts ${criados} were created`);
};

/** A pipeline with as many cards as a large team has, of many companies, in its open stages. */
const layOutCards = async (client: Client, companies: readonly Company[]): Promise<Base> => {
  const pipeline = expectDone(await client.post('/pipelines', { nome: 'Vendas' }), 'a pipeline');
  const stages = (pipeline.estagios as { id: string; tipo: string }[]).filter(({ tipo }) => tipo === 'aberto');
  const ids = stages.map(({ id }) => id);
  const cards = Array.from({ length: CARDS }, (_, at) => ({
    pipelineId: pipeline.id,
    estagioId: ids[at % ids.length],
    titulo: `Renovação ${at}`,
    valor: at + 0.5,
    empresaId: companies[(at * 7) % companies.length]?.id,
  }));
  for (const at of [0, CARDS / 2])
    expectDone(await client.post('/cards/import', { cartoes: cards.slice(at, at + CARDS / 2) }), 'an import');
  const board = expectDone(await client.get(`/pipelines/${pipeline.id}/board`, { limit: CARDS }), 'a board');
  const shown = (board.estagios as { cards: { id: string }[] }[]).flatMap((stage) => stage.cards.map(({ id }) => id));
  if (shown.length !== CARDS) throw new Error(`a board shows ${shown.length} cards`);
  return { companyId: companies[0]?.id ?? '', pipelineId: String(pipeline.id), stages: ids, cards: shown };
};

const search = (client: Client) => client.get('/v2/companies', { limit: PAGE, q: RARE_NAME.toLowerCase() });
const WARM_SEARCH = `q, ${RARE} found`;
const PAGES = [
  `board of ${figure(CARDS)} cards`,
  `list of companies, ${PAGE} a page`,
  WARM_SEARCH,
  'a company',
] as const;
const operationsOf = ({ pipelineId, companyId }: Base): readonly Operation[] => [
  { what: PAGES[0], isPage: true, run: (client) => client.get(`/pipelines/${pipelineId}/board`, { limit: CARDS }) },
  { what: PAGES[1], isPage: true, run: (client) => client.get('/v2/companies', { limit: PAGE }) },
  { what: PAGES[2], isPage: true, run: search },
  { what: PAGES[3], isPage: true, run: (client) => client.get(`/v2/companies/${companyId}`) },
];

type Part = Record<string, unknown> & { Key?: object; Item?: object };
const NAMES = ['ConditionExpression', 'ReturnValuesOnConditionCheckFailure'];
const isNamedIn =
  (part: Part) =>
  ([name]: [string, unknown]) =>
    new RegExp(`${name}(?![A-Za-z0-9_])`).test(String(part.UpdateExpression ?? ''));
/** A write of a transaction on a row of its own, without its condition, which held once. */
const unconditional = (item: Record<string, Part>, nth: number): TransactWriteItem => {
  const [[action, part] = ['', {} as Part]] = Object.entries(item);
  const own = { pk: { S: `FLOOR#${nth}` } };
  const kept = Object.fromEntries(Object.entries(part).filter(([name]) => !NAMES.includes(name)));
  for (const name of ['ExpressionAttributeNames', 'ExpressionAttributeValues']) {
    const used = Object.entries((part[name] ?? {}) as object).filter(isNamedIn(part));
    if (used.length > 0) kept[name] = Object.fromEntries(used);
    else delete kept[name];
  }
  const { Key, Item } = part;
  return {
    [action]: { ...kept, ...(Key ? { Key: { ...Key, ...own } } : {}), ...(Item ? { Item: { ...Item, ...own } } : {}) },
  };
};
const callOnce = (client: DynamoDBClient, call: TableCall, nth: number): Promise<unknown> => {
  if (call.action !== 'TransactWriteItems') return callAgain(client, call);
  const { TransactItems } = JSON.parse(call.body) as { TransactItems: Record<string, Part>[] };
  const items = TransactItems.filter((item) => !('ConditionCheck' in item)).map((item) => unconditional(item, nth));
  return client.send(new TransactWriteItemsCommand({ TransactItems: items }));
};

type Taken = Omit<Measured, 'firstMs'>;
/** A request by itself, and its calls once more without a service. */
const measureOnce = async (
  proxy: CountingProxy,
  dynamodb: DynamoDBClient,
  what: string,
  request: () => ReturnType<Client['get']>,
  nth = 0,
): Promise<Taken> => {
  proxy.reset();
  const ms = await timed(async () => expectDone(await request(), what));
  const { readUnits, writeUnits, trips, calls } = proxy.taken();
  const batches = batchesOf(calls);
  const floorMs = await timed(async () => {
    for (const batch of batches) await Promise.all(batch.map((call) => callOnce(dynamodb, call, nth)));
  });
  return { ms, floorMs, readUnits, writeUnits, trips };
};

/** Moves of cards of one stage to between two cards of another one. */
const measureMoves = async (
  proxy: CountingProxy,
  dynamodb: DynamoDBClient,
  client: Client,
  base: Base,
): Promise<Measured> => {
  const { cards, stages } = base;
  const rounds: Taken[] = [];
  for (let turn = 0; turn <= MOVES; turn++) {
    const move = { estagioId: stages[1], antesDe: cards[CARDS / 4 + 10 + turn] };
    const request = () => client.post(`/cards/${cards[turn]}/move`, move);
    rounds.push(await measureOnce(proxy, dynamodb, MOVE, request, turn));
  }
  const [first, ...others] = rounds;
  const of = (name: keyof Taken) => median(others.map((round) => round[name]));
  const [ms, floorMs, readUnits] = [of('ms'), of('floorMs'), of('readUnits')];
  return { firstMs: first?.ms ?? Number.NaN, ms, floorMs, readUnits, writeUnits: of('writeUnits'), trips: of('trips') };
};

const measure = async (): Promise<Map<string, Measured[]>> => {
  const results = new Map<string, Measured[]>([...PAGES, FIRST_SEARCH, MOVE].map((what) => [what, []]));
  for (const size of SIZES) {
    // One for each size: the first search is of a process that holds nothing.
    const service = await startService({ counted: true, inMemory: true, env: { DISPATCH_SECONDS: '60000' } });
    const dynamodb = tableClient(service.proxy.endpoint);
    try {
      const { organizationId, keys } = await fundedOrganization(service.store.endpoint);
      const companies = await layOutCompanies(service.table, organizationId, size);
      const client = service.clientOf(keys.test);
      await layOutContacts(client, companies);
      const base = await layOutCards(client, companies);
      console.log(`crm: ${size} companies and ${CARDS} cards laid out`);
      const note = (what: string, measured: Measured) => {
        console.log(`crm: ${size}: ${what}:`, measured);
        results.get(what)?.push(measured);
      };
      // So that the function is there, and what it holds of the directory is not.
      expectDone(await client.get('/v2/companies', { limit: 1 }), 'a list');
      const first = await measureOnce(service.proxy, dynamodb, FIRST_SEARCH, () => search(client));
      note(FIRST_SEARCH, { ...first, firstMs: first.ms });
      for (const operation of operationsOf(base))
        note(operation.what, await measureOne(service.proxy, dynamodb, client, operation));
      note(MOVE, await measureMoves(service.proxy, dynamodb, client, base));
    } finally {
      dynamodb.destroy();
      await service.stop();
    }
  }
  return results;
};

const verdictsOf = (results: ReadonlyMap<string, readonly Measured[]>): Verdict[] => {
  const [small = 0, large = 0] = [SIZES[0], SIZES.at(-1)];
  const pages = [...PAGES, MOVE].map((what) => {
    const [first, last] = [results.get(what)?.[0], results.get(what)?.at(-1)];
    const ratio = (last?.ms ?? Number.NaN) / (first?.ms ?? Number.NaN);
    const sizes = `at ${figure(large)} companies relative to ${figure(small)}`;
    return verdict(`${what}: time ${sizes}`, ratio, '≤', GOAL.page, '×');
  });
  const units = Math.max(...(results.get(MOVE) ?? []).map(({ writeUnits }) => writeUnits));
  return [...pages, verdict(`Write units of a ${MOVE}`, units, '≤', GOAL.moveUnits)];
};

const HOW = `Companies from a seeded generator, laid out with their counts and their directory as creations and merges leave them, a contact for each company that is listed, and a pipeline with ${figure(CARDS)} cards of them in four stages,
in an engine in memory, through the counting proxy; a service and an engine for each size. A first search by itself, then medians of 12 requests one after another. A move puts a card between two
others of another stage. The floor makes the calls of each request again, side by side where they were, without a service; of a move on rows of its own, without its conditions, which
hold once.`;

/** Cost of boards, moves and lists of companies as their number grows. */
export const benchCrm = async (): Promise<Section> => {
  const results = await measure();
  const rows = [...results].flatMap(([what, all]) =>
    all.map((measured, at) => ({
      Companies: figure(SIZES[at] ?? 0),
      Operation: what,
      'ms, first': figure(measured.firstMs),
      ms: figure(measured.ms),
      'ms, floor': figure(measured.floorMs),
      'RRU (engine)': figure(measured.readUnits),
      'WRU (engine)': figure(measured.writeUnits),
      'Round trips': figure(measured.trips),
    })),
  );
  return { title: 'The CRM', rounds: MOVES, verdicts: verdictsOf(results), text: `${HOW}\n\n${columns(rows)}` };
};
