import { keyFileOf } from '../infra/local/stages.ts';
import type { Client } from '../test/support/api.ts';
import { layOut, RARE, RARE_NAME } from './audience-base.ts';
import type { CountingProxy } from './counting-proxy.ts';
import { fundedOrganization, startService } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, type Verdict, verdict } from './report.ts';

/** What is promised for a million; laid out by default are fewer: a million takes this engine more than some minutes. */
const SIZES = (process.env.AUDIENCE ?? '10000,100000').split(',').map(Number);
const GOAL = { page: 1.3, previewMs: 1_000 };
const REPEATS = 12;

const leaf = (filter: object) => ({ kind: 'leaf', filter });
const vip = { field: 'tag', operator: 'is', value: 'vip' };
const city = { field: 'attribute', key: 'cidade', operator: 'is', value: 'Recife' };
const recent = { field: 'lastInteraction', operator: 'withinDays', value: 30 };
const adult = { field: 'attribute', key: 'idade', operator: 'gt', value: 40 };
const group = (operator: string, ...nodes: object[]) => ({ kind: 'group', operator, nodes });
const eight = group(
  'or',
  group('and', leaf(vip), leaf(city), leaf(recent)),
  group(
    'and',
    leaf(adult),
    leaf({ ...vip, value: 'novo' }),
    group('or', leaf({ ...city, value: 'Curitiba' }), leaf({ field: 'optIn', operator: 'is', value: 'granted' })),
  ),
  leaf({ ...vip, value: 'loja-sul' }),
);
const preview = (body: object) => (client: Client) => client.post('/v2/segments/preview', body);
const list = (query: Record<string, string | number>) => (client: Client) =>
  client.get('/contacts', { limit: 50, ...query });

interface Operation {
  readonly what: string;
  readonly isPage: boolean;
  readonly run: (client: Client) => ReturnType<Client['get']>;
}
const OPERATIONS: readonly Operation[] = [
  { what: 'list, 50 a page', isPage: true, run: list({}) },
  { what: 'list, of a tag', isPage: true, run: list({ tag: 'vip' }) },
  {
    what: 'list, of a tag, a consent and a source',
    isPage: true,
    run: list({ tag: 'vip', optInStatus: 'granted', source: 'import' }),
  },
  { what: `q, ${RARE} found`, isPage: true, run: list({ q: RARE_NAME.toLowerCase() }) },
  { what: 'q, many found', isPage: true, run: list({ q: 'souza' }) },
  { what: 'by externalId', isPage: true, run: list({ externalId: 'loja:77' }) },
  { what: 'preview, one leaf', isPage: false, run: preview({ filters: [vip] }) },
  { what: 'preview, three leaves', isPage: false, run: preview({ filters: [vip, city, recent] }) },
  { what: 'preview, a tree of eight', isPage: false, run: preview({ filters: [vip], filterTree: eight }) },
];

interface Measured {
  readonly ms: number;
  readonly readUnits: number;
  readonly trips: number;
}
const measureOne = async (proxy: CountingProxy, client: Client, { run, what }: Operation): Promise<Measured> => {
  const rounds: Measured[] = [];
  for (let turn = 0; turn <= REPEATS; turn++) {
    proxy.reset();
    const startedAt = performance.now();
    const { status, text } = await run(client);
    if (status !== 200) throw new Error(`${what}: ${status} ${text}`);
    if (turn > 0) rounds.push({ ms: performance.now() - startedAt, ...proxy.taken() });
  }
  const of = (name: keyof Measured) => median(rounds.map((round) => round[name]));
  return { ms: of('ms'), readUnits: of('readUnits'), trips: of('trips') };
};

const measure = async (): Promise<Map<string, Measured[]>> => {
  const service = await startService({ counted: true, inMemory: true, env: { DISPATCH_SECONDS: '60000' } });
  try {
    const results = new Map<string, Measured[]>(OPERATIONS.map(({ what }) => [what, []]));
    for (const size of SIZES) {
      const { organizationId, keys } = await fundedOrganization(service.store.endpoint);
      const seconds = await layOut(service.table, keyFileOf(service.store.folder), organizationId, size);
      console.log(`audience: ${size} contacts laid out in ${Math.round(seconds)} s`);
      const client = service.clientOf(keys.test);
      for (const operation of OPERATIONS) {
        const measured = await measureOne(service.proxy, client, operation);
        console.log(`audience: ${size}: ${operation.what}:`, measured);
        results.get(operation.what)?.push(measured);
      }
    }
    return results;
  } finally {
    await service.stop();
  }
};

const verdictsOf = (results: ReadonlyMap<string, readonly Measured[]>): Verdict[] => {
  const [small = 0, large = 0] = [SIZES[0], SIZES.at(-1)];
  const pages = OPERATIONS.filter(({ isPage }) => isPage).map(({ what }) => {
    const [first, last] = [results.get(what)?.[0], results.get(what)?.at(-1)];
    const ratio = (last?.ms ?? Number.NaN) / (first?.ms ?? Number.NaN);
    return verdict(
      `${what}: time at ${figure(large)} contacts relative to ${figure(small)}`,
      ratio,
      '≤',
      GOAL.page,
      '×',
    );
  });
  const three = results.get('preview, three leaves')?.at(-1)?.ms ?? Number.NaN;
  return [
    ...pages,
    verdict(`A preview of three leaves at ${figure(large)} contacts`, three, '<', GOAL.previewMs, ' ms'),
  ];
};

const HOW = `Bases of contacts from a seeded generator (names, tags, attributes, interactions), laid out with their index as merges leave it, in an engine in memory, through the
counting proxy: medians of ${REPEATS} requests one after another, after one that does not count (at least ${ROUNDS} rounds). The goals are the interface's for 10,000 and 1,000,000 contacts
(\`AUDIENCE=10000,1000000\`); measured here: ${SIZES.map(figure).join(' and ')}.`;

/** Cost of lists of contacts and of segments as the base grows. */
export const benchAudience = async (): Promise<Section> => {
  const results = await measure();
  const rows = [...results].flatMap(([what, all]) =>
    all.map(({ ms, readUnits, trips }, at) => ({
      Contacts: figure(SIZES[at] ?? 0),
      Operation: what,
      ms: figure(ms),
      'RRU (engine)': figure(readUnits),
      'Round trips': figure(trips),
    })),
  );
  return { title: 'The audience', rounds: REPEATS, verdicts: verdictsOf(results), text: `${HOW}\n\n${columns(rows)}` };
};
