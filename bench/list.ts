import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Table } from '../shared/storage/client/table.ts';
import { INDEX_KEYS } from '../shared/storage/index-patterns.ts';
import type { Client } from '../test/support/api.ts';
import type { CountingProxy } from './counting-proxy.ts';
import { CAMPAIGN, type Layout, layOutMessages, MATCHES, newestOf, overYear, withinHour } from './message-base.ts';
import { fundedOrganization, startService } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, type Verdict, verdict } from './report.ts';

/** What the interface speaks of, and what is laid out unless LIST_ROWS says otherwise: a million takes this engine more than some minutes. */
const PROMISED = 1_000_000;
const SMALL = 10_000;
const LARGE = Number(process.env.LIST_ROWS ?? 300_000);
/** Three times what one pass of the background counts. */
const CROWDED = 300_000;

/** A list, as it is named in the tables and relative to the first. */
interface Base {
  readonly name: string;
  readonly layout: Layout;
}
const BASES: readonly Base[] = [
  { name: `${figure(SMALL)} messages`, layout: overYear(SMALL) },
  { name: `${figure(LARGE)} messages`, layout: overYear(LARGE) },
  { name: `${figure(CROWDED)} messages of one hour`, layout: withinHour(CROWDED) },
];
const LIMIT = 50;
const REPEATS = 30;
const GOAL = 1.2;
/** A filtered total of a list that was never counted comes within this time, s. */
const FIRST_GOAL_S = 60;
/** A page that is slow is asked for less often, in ms. */
const PER_SELECTION_MS = 20_000;
/** A list that an answer left uncounted is counted in the background within this time, ms. */
const COUNTED_WITHIN_MS = 15 * 60_000;
const POLL_MS = 500;

/** What a page is asked for: the query of a list, and how many messages of it match. */
interface Selection {
  readonly what: string;
  readonly query: (layout: Layout) => Readonly<Record<string, string | number>>;
  readonly total: (size: number) => number;
}
const whole = (skip: number): Selection => ({
  what: `all, skip ${skip}`,
  query: () => ({ skip }),
  total: (size) => size,
});
/** The selection that is asked first of those for which a list must be counted. */
const RARE = 'of a rare status';
const SELECTIONS: readonly Selection[] = [
  ...[0, 100, 900].map(whole),
  { what: 'of a campaign', query: () => ({ campaignId: CAMPAIGN }), total: () => MATCHES },
  {
    what: 'of a window of time',
    query: (layout) => ({ from: new Date(newestOf(layout) - (MATCHES - 1) * layout.stepMs).toISOString() }),
    total: () => MATCHES,
  },
  { what: RARE, query: () => ({ status: 'failed' }), total: () => MATCHES },
  { what: 'of the usual status', query: () => ({ status: 'delivered' }), total: (size) => size - MATCHES },
];

interface Caller {
  readonly organizationId: Id<'organization'>;
  readonly layout: Layout;
  readonly client: Client;
}
interface Page {
  readonly ms: number;
  readonly readUnits: number;
  readonly trips: number;
}

/** Reads a page; false if it was refused or took longer than the gateway waits. */
const readPage = async ({ client, layout }: Caller, { query, total }: Selection): Promise<boolean> => {
  const { status, body } = await client.get('/v2/sms/messages', { limit: LIMIT, ...query(layout) });
  if (status !== 200) return false;
  if (body.items.length !== LIMIT || body.total !== total(layout.size))
    throw new Error(`a page has ${body.items.length} of ${body.total} messages`);
  return true;
};

/** The first page of a filter over a list that was never counted, and how long the background then counts it. */
interface Counting {
  /** Infinity for a page that was refused, or took longer than the gateway waits. */
  readonly firstMs: number;
  readonly countedS: number;
}
/** When the first total was there, s: with the first page, or else once the list was counted. */
const firstTotalS = ({ firstMs, countedS }: Counting): number =>
  Number.isFinite(firstMs) ? firstMs / 1_000 : countedS;

const countList = async (table: Table, caller: Caller, selection: Selection): Promise<Counting> => {
  const startedAt = performance.now();
  const isAnswered = await readPage(caller, selection);
  const firstMs = isAnswered ? performance.now() - startedAt : Number.POSITIVE_INFINITY;
  const key = KEYS.listCounting(INDEX_KEYS.messagesOf(caller.organizationId, 'sms', '', '', 0).gsi1pk, 'ALL');
  while (await table.get(key)) {
    if (performance.now() - startedAt > COUNTED_WITHIN_MS) throw new Error('the list was not counted in time');
    await pause(POLL_MS);
  }
  return { firstMs, countedS: (performance.now() - startedAt) / 1_000 };
};

/** Medians of pages in turns; as many as fit the time, at least `ROUNDS`. */
const measurePages = async (
  proxy: CountingProxy,
  callers: readonly Caller[],
  selection: Selection,
): Promise<Page[]> => {
  const pages = callers.map((): Page[] => []);
  const until = performance.now() + PER_SELECTION_MS;
  for (let turn = 0; turn <= ROUNDS || (turn <= REPEATS && performance.now() < until); turn++)
    for (const [at, caller] of callers.entries()) {
      proxy.reset();
      const startedAt = performance.now();
      const answered = await readPage(caller, selection);
      const ms = answered ? performance.now() - startedAt : Number.POSITIVE_INFINITY;
      if (turn > 0) pages[at]?.push({ ms, ...proxy.taken() });
    }
  const of = (all: readonly Page[], name: keyof Page) => median(all.map((page) => page[name]));
  return pages.map((all) => ({ ms: of(all, 'ms'), readUnits: of(all, 'readUnits'), trips: of(all, 'trips') }));
};

type Results = readonly {
  readonly selection: Selection;
  readonly counting: readonly Counting[];
  readonly pages: readonly Page[];
}[];

const measure = async (): Promise<Results> => {
  const service = await startService({ counted: true, inMemory: true });
  const dynamodb = tableClient(service.store.endpoint);
  try {
    const callers: Caller[] = [];
    for (const { name, layout } of BASES) {
      const { organizationId, keys } = await fundedOrganization(service.store.endpoint);
      await layOutMessages(dynamodb, service.table.name, organizationId, layout);
      await service.table.write({ update: KEYS.wallet(organizationId), add: { sms: layout.size } });
      callers.push({ organizationId, layout, client: service.clientOf(keys.test) });
      console.log(`list: ${name} laid out`);
    }
    const results: Results[number][] = [];
    for (const selection of SELECTIONS) {
      const counting = await mapConcurrently(callers, 1, (caller) => countList(service.table, caller, selection));
      const pages = await measurePages(service.proxy, callers, selection);
      results.push({ selection, counting, pages });
      console.log(`list: ${selection.what}:`, pages, counting);
    }
    return results;
  } finally {
    dynamodb.destroy();
    await service.stop();
  }
};

const verdictsOf = (results: Results): Verdict[] =>
  results.flatMap(({ selection: { what }, counting, pages: [small, ...others] }) =>
    others.flatMap((page, at) => {
      const base = BASES[at + 1]?.name;
      const than = `at ${base} relative to ${BASES[0]?.name}, ${what}`;
      const ratio = (of: 'ms' | 'readUnits') => page[of] / (small?.[of] ?? 0);
      const first = counting[at + 1];
      return [
        verdict(`A page's time ${than}`, ratio('ms'), '≤', GOAL, '×'),
        verdict(`A page's read units ${than}`, ratio('readUnits'), '≤', GOAL, '×'),
        ...(what === RARE && first
          ? [
              verdict(
                `The first total ${what} at ${base} never counted before`,
                firstTotalS(first),
                '≤',
                FIRST_GOAL_S,
                ' s',
              ),
            ]
          : []),
      ];
    }),
  );

const scale =
  LARGE < PROMISED
    ? ` **Scaled down**: ${figure(LARGE)} of ${figure(PROMISED)} messages; laying out a million takes this engine more than some minutes (\`LIST_ROWS=${PROMISED}\`).`
    : '';
const HOW = `\`GET /v2/sms/messages?limit=${LIMIT}\` of three organizations in one table, two of whose messages are spread over a year, in an engine in memory, through the counting proxy: medians of at least ${ROUNDS} alternating requests
after the first, which is shown beside them with the time from it until the background had counted the list (docs/totals.md); a first page with – was refused with 503, or not answered within the gateway's time. Each filter finds ${MATCHES} messages, whatever the size of the list. A page states how many match in all: of the whole list that is stored, of a filter it is counted.${scale}`;

/** Cost of a page as the list grows, whole and filtered. */
export const benchList = async (): Promise<Section> => {
  const results = await measure();
  const rows = results.flatMap(({ selection: { what }, counting, pages }) =>
    pages.map(({ ms, readUnits, trips }, at) => ({
      Base: BASES[at]?.name ?? '',
      Page: what,
      ms: figure(ms),
      'RRU (engine)': figure(readUnits),
      'Round trips': figure(trips),
      'First page, ms': figure(counting[at]?.firstMs ?? Number.NaN),
      'Counted after, s': figure(counting[at]?.countedS ?? Number.NaN),
    })),
  );
  return { title: 'A page of a list', verdicts: verdictsOf(results), text: `${HOW}\n\n${columns(rows)}` };
};
