import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Company } from '../shared/domain/companies/company.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Client } from '../test/support/api.ts';
import { type Measured, timed } from './audience.ts';
import { layOutCompanies, RARE, RARE_NAME, shownOf } from './crm-base.ts';
import { fundedOrganization, startService } from './processes.ts';
import { batchesOf, callAgain, type TableCall, transactAgain } from './raw-calls.ts';
import { columns, figure, median, type Section, type Verdict, verdict } from './report.ts';

const SIZES = (process.env.CRM ?? '1000,100000').split(',').map(Number);
const GOAL = { page: 1.3, units: 1.05, moveUnits: 12 };
const CARDS = 1_000;
/** Companies of a page. */
const PAGE = 50;
const REPEATS = 12;
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
type Run = (client: Client, base: Base, turn: number) => ReturnType<Client['get']>;
const PAGES: Readonly<Record<string, Run>> = {
  [`board of ${figure(CARDS)} cards`]: (client, { pipelineId }) =>
    client.get(`/pipelines/${pipelineId}/board`, { limit: CARDS }),
  [`list of companies, ${PAGE} a page`]: (client) => client.get('/v2/companies', { limit: PAGE }),
  [`q, ${RARE} found`]: search,
  'a company': (client, { companyId }) => client.get(`/v2/companies/${companyId}`),
};
const OPERATIONS: Readonly<Record<string, Run>> = {
  ...PAGES,
  /** Of a card of one stage to between two cards of another one. */
  [MOVE]: (client, { cards, stages }, turn) =>
    client.post(`/cards/${cards[turn]}/move`, { estagioId: stages[1], antesDe: cards[CARDS / 4 + 10 + turn] }),
};

const callOnce = (client: DynamoDBClient, call: TableCall, nth: number): Promise<unknown> =>
  call.action === 'TransactWriteItems' ? transactAgain(client, call, () => `FLOOR#${nth}`) : callAgain(client, call);

type Taken = Omit<Measured, 'firstMs'>;
/** A service with an engine of its own, for a number of companies: its first search is of a process that holds nothing. */
const startSize = async (size: number) => {
  const service = await startService({ counted: true, inMemory: true, env: { DISPATCH_SECONDS: '60000' } });
  const { organizationId, keys } = await fundedOrganization(service.store.endpoint);
  const companies = await layOutCompanies(service.table, organizationId, size);
  const client = service.clientOf(keys.test);
  await layOutContacts(client, companies);
  const base = await layOutCards(client, companies);
  const dynamodb = tableClient(service.proxy.endpoint);
  console.log(`crm: ${size} companies and ${CARDS} cards laid out`);
  return {
    size,
    /** A request by itself, and its calls once more without a service. */
    async measure(what: string, run: Run, turn: number): Promise<Taken> {
      service.proxy.reset();
      const ms = await timed(async () => expectDone(await run(client, base, turn), what));
      const { readUnits, writeUnits, trips, calls } = service.proxy.taken();
      const batches = batchesOf(calls);
      const floorMs = await timed(async () => {
        for (const batch of batches) await Promise.all(batch.map((call) => callOnce(dynamodb, call, turn)));
      });
      return { ms, floorMs, readUnits, writeUnits, trips };
    },
    /** So that the function is there, and what it holds of the directory is not. */
    warmUp: async () => expectDone(await client.get('/v2/companies', { limit: 1 }), 'a list'),
    async stop() {
      dynamodb.destroy();
      await service.stop();
    },
  };
};
type Sized = Awaited<ReturnType<typeof startSize>>;

const medianOf = ([first, ...others]: readonly Taken[]): Measured => {
  const of = (name: keyof Taken) => median(others.map((round) => round[name]));
  const [ms, floorMs, readUnits] = [of('ms'), of('floorMs'), of('readUnits')];
  return { firstMs: first?.ms ?? Number.NaN, ms, floorMs, readUnits, writeUnits: of('writeUnits'), trips: of('trips') };
};

/** An operation at all sizes in turns, so that each is measured on the same machine, whatever else that does. */
const inTurns = async (sizes: readonly Sized[], what: string, run: Run): Promise<Measured[]> => {
  const rounds = sizes.map((): Taken[] => []);
  for (let turn = 0; turn <= REPEATS; turn++)
    for (const [at, sized] of sizes.entries()) rounds[at]?.push(await sized.measure(what, run, turn));
  return rounds.map(medianOf);
};

const measure = async (): Promise<Map<string, Measured[]>> => {
  const sizes: Sized[] = [];
  try {
    for (const size of SIZES) sizes.push(await startSize(size));
    const firsts: Measured[] = [];
    for (const sized of sizes) {
      await sized.warmUp();
      const first = await sized.measure(FIRST_SEARCH, search, 0);
      firsts.push({ ...first, firstMs: first.ms });
    }
    const results = new Map([[FIRST_SEARCH, firsts]]);
    for (const [what, run] of Object.entries(OPERATIONS)) {
      const measured = await inTurns(sizes, what, run);
      console.log(`crm: ${what}:`, measured);
      results.set(what, measured);
    }
    return results;
  } finally {
    for (const sized of sizes) await sized.stop();
  }
};

/** How an operation grows: from the first size to the last. */
const growth = (all: readonly Measured[] = [], of: (measured: Measured) => number): number => {
  const [first, last] = [all[0], all.at(-1)];
  return first && last ? of(last) / of(first) : Number.NaN;
};
const verdictsOf = (results: ReadonlyMap<string, readonly Measured[]>): Verdict[] => {
  const sizes = `at ${figure(SIZES.at(-1) ?? 0)} companies relative to ${figure(SIZES[0] ?? 0)}`;
  const grows = (what: string) => {
    const all = results.get(what);
    const time = growth(all, ({ ms, floorMs }) => ms / floorMs);
    return [
      verdict(`${what}: time in floors ${sizes}`, time, '≤', GOAL.page, '×'),
      verdict(
        `${what}: read units ${sizes}`,
        growth(all, ({ readUnits }) => readUnits),
        '≤',
        GOAL.units,
        '×',
      ),
    ];
  };
  const units = Math.max(...(results.get(MOVE) ?? []).map(({ writeUnits }) => writeUnits));
  return [...Object.keys(OPERATIONS).flatMap(grows), verdict(`Write units of a ${MOVE}`, units, '≤', GOAL.moveUnits)];
};

const HOW = `Companies from a seeded generator, laid out with their counts and their directory as creations and merges leave them, a contact for each company that is listed, and a pipeline with ${figure(CARDS)} cards of them in four stages,
in an engine in memory, through the counting proxy; a service and an engine for each size. A first search by itself, then medians of ${REPEATS} requests, the sizes in turns. A move puts a card between two
others of another stage. The floor makes the calls of each request again, side by side where they were, without a service; of a move on rows of its own, without its conditions, which
hold once. Verdicts are of the time in floors, since the machine does other work meanwhile.`;

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
  return { title: 'The CRM', rounds: REPEATS, verdicts: verdictsOf(results), text: `${HOW}\n\n${columns(rows)}` };
};
