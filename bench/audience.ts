import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { keyFileOf } from '../infra/local/stages.ts';
import { type Id, parseId } from '../shared/domain/core/ids.ts';
import { sweepSegment } from '../shared/storage/audience/sweep-segment.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Table } from '../shared/storage/client/table.ts';
import { BASELINE_DELAY_MS } from '../shared/storage/segments/sweeps.ts';
import type { Client } from '../test/support/api.ts';
import { layOut, RARE, RARE_NAME } from './audience-base.ts';
import type { CountingProxy } from './counting-proxy.ts';
import { fundedOrganization, startService } from './processes.ts';
import { batchesOf, callAgain } from './raw-calls.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, type Verdict, verdict } from './report.ts';

const SIZES = (process.env.AUDIENCE ?? '10000,100000,1000000').split(',').map(Number);
const GOAL = { page: 1.3, previewMs: 1_000 };
const REPEATS = 12;
/** Rows of an import, and how often it is measured: each leaves contacts behind. */
const IMPORTED = 5_000;
const IMPORTS = 3;
const IMPORT = `import of ${figure(IMPORTED)} new contacts`;

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
/** What some operations of a base name: its newest contact, a segment by days whose members are known, and the next page of its contacts. */
interface Named {
  readonly contactId: string;
  readonly segmentId: string;
  readonly cursor: string;
}
const operationsOf = ({ contactId, segmentId, cursor }: Named): readonly Operation[] => [
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
  {
    what: 'why a contact is in a segment',
    isPage: true,
    run: (client) => client.get(`/v2/segments/${segmentId}/contacts/${contactId}`),
  },
  {
    what: 'contacts of a segment by days, the second page of 50',
    isPage: true,
    run: (client) => client.get(`/v2/segments/${segmentId}/contacts`, { limit: 50, cursor }),
  },
  { what: 'export of a contact, a page', isPage: true, run: (client) => client.get(`/contacts/${contactId}/export`) },
];
/** The names of the operations, whatever they name. */
const OPERATIONS = operationsOf({ contactId: '', segmentId: '', cursor: '' });

/** Makes a segment by days, has its first members looked for as the service would a minute later, and finds what the operations name. */
const nameOf = async (client: Client, table: Table, organizationId: Id<'organization'>): Promise<Named> => {
  const created = await client.post('/v2/segments', { name: `Recentes ${organizationId}`, filters: [vip, recent] });
  const segmentId = String(created.body.id);
  const ports = { table, clock: () => Date.now() + BASELINE_DELAY_MS, takers: [] };
  while (await sweepSegment(ports, organizationId, parseId('segment', segmentId)));
  const { status, body, text } = await client.get(`/v2/segments/${segmentId}/contacts`, { limit: 50 });
  if (status !== 200 || !body.nextCursor) throw new Error(`the contacts of a segment were answered ${status}: ${text}`);
  return { segmentId, contactId: body.items[0].id, cursor: body.nextCursor };
};

export interface Measured {
  /** Of the first request, which finds nothing kept, and of the others. */
  readonly firstMs: number;
  readonly ms: number;
  /** Of the same calls of the table once more, without a service. */
  readonly floorMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly trips: number;
}
type Round = Omit<Measured, 'firstMs'>;
const medianOf = (rounds: readonly Round[], firstMs: number): Measured => {
  const of = (name: keyof Round) => median(rounds.map((round) => round[name]));
  const [ms, floorMs, readUnits] = [of('ms'), of('floorMs'), of('readUnits')];
  return { firstMs, ms, floorMs, readUnits, writeUnits: of('writeUnits'), trips: of('trips') };
};

export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};
const measureOne = async (
  proxy: CountingProxy,
  dynamodb: DynamoDBClient,
  client: Client,
  { run, what }: Operation,
): Promise<Measured> => {
  const request = async () => {
    const { status, text } = await run(client);
    if (status !== 200) throw new Error(`${what}: ${status} ${text}`);
  };
  const firstMs = await timed(request);
  const rounds: Round[] = [];
  for (let turn = 0; turn < REPEATS; turn++) {
    proxy.reset();
    const ms = await timed(request);
    const { readUnits, writeUnits, trips, calls } = proxy.taken();
    const batches = batchesOf(calls);
    const floorMs = await timed(async () => {
      for (const batch of batches) await Promise.all(batch.map((call) => callAgain(dynamodb, call)));
    });
    rounds.push({ ms, floorMs, readUnits, writeUnits, trips });
  }
  return medianOf(rounds, firstMs);
};

/** Imports of new contacts. Their floor is not measured: their conditions hold once. */
const measureImport = async (proxy: CountingProxy, client: Client, size: number): Promise<Measured> => {
  const rounds: Round[] = [];
  for (let turn = 0; turn < IMPORTS; turn++) {
    const contatos = Array.from({ length: IMPORTED }, (_, at) => ({
      phone: `+55219${String(size + turn * IMPORTED + at).padStart(8, '0')}`,
      name: `${RARE_NAME.split(' ').at(-1)} ${at}`,
      tags: ['importado'],
    }));
    proxy.reset();
    const ms = await timed(async () => {
      const { status, body, text } = await client.post('/contacts/import', { contatos, onConflict: 'skip' });
      if (status !== 200 || body.criados !== IMPORTED) throw new Error(`an import was answered ${status}: ${text}`);
    });
    rounds.push({ ms, floorMs: Number.NaN, ...proxy.taken() });
  }
  return medianOf(rounds, rounds[0]?.ms ?? Number.NaN);
};

const measure = async (): Promise<Map<string, Measured[]>> => {
  const service = await startService({ counted: true, inMemory: true, env: { DISPATCH_SECONDS: '60000' } });
  const dynamodb = tableClient(service.proxy.endpoint);
  try {
    const results = new Map<string, Measured[]>(
      [...OPERATIONS.map(({ what }) => what), IMPORT].map((what) => [what, []]),
    );
    const clients: Client[] = [];
    for (const size of SIZES) {
      const { organizationId, keys } = await fundedOrganization(service.store.endpoint);
      const seconds = await layOut(service.table, keyFileOf(service.store.folder), organizationId, size);
      console.log(`audience: ${size} contacts laid out in ${Math.round(seconds)} s`);
      const client = service.clientOf(keys.test);
      for (const operation of operationsOf(await nameOf(client, service.table, organizationId))) {
        const measured = await measureOne(service.proxy, dynamodb, client, operation);
        console.log(`audience: ${size}: ${operation.what}:`, measured);
        results.get(operation.what)?.push(measured);
      }
      clients.push(client);
    }
    // At the end: what an import leaves is merged in the background, beside whatever is measured next.
    for (const [at, client] of clients.entries())
      results.get(IMPORT)?.push(await measureImport(service.proxy, client, SIZES[at] ?? 0));
    return results;
  } finally {
    dynamodb.destroy();
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
counting proxy. Rows of their own have the contacts that the operations show: the newest 20,000, the first 100 and those with the rare name; all are in the index. The segment by days is compared with all of them once, as the service does a minute after its creation. A first request by
itself, which finds no counts kept, then medians of ${REPEATS} requests one after another (at least ${ROUNDS} rounds). The floor makes the calls of each request again, side by side where they were, without a service. An import is measured
${IMPORTS} times at the end.`;

/** Cost of lists of contacts and of segments as the base grows. */
export const benchAudience = async (): Promise<Section> => {
  const results = await measure();
  const rows = [...results].flatMap(([what, all]) =>
    all.map((measured, at) => ({
      Contacts: figure(SIZES[at] ?? 0),
      Operation: what,
      'ms, first': figure(measured.firstMs),
      ms: figure(measured.ms),
      'ms, floor': Number.isNaN(measured.floorMs) ? '' : figure(measured.floorMs),
      'RRU (engine)': figure(measured.readUnits),
      'WRU (engine)': figure(measured.writeUnits),
      'Round trips': figure(measured.trips),
    })),
  );
  return { title: 'The audience', rounds: REPEATS, verdicts: verdictsOf(results), text: `${HOW}\n\n${columns(rows)}` };
};
