import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBClient, ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { type QueryRange, Table } from '../../shared/storage/client/table.ts';
import '../support/aws-environment.ts';
import { chanceOf } from '../support/chance.ts';
import { callEngine } from '../support/engine-calls.ts';
import { MemoryTables, memoryClient } from '../support/memory-table/client.ts';
import { startMemoryEngine } from '../support/memory-table/engine.ts';
import { patient } from '../support/patient-client.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { Calls } from './random-calls.ts';

/** Other calls: SEED=… npx vitest run test/table-laws/memory-table.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_126);
const ROUNDS = shareOf(Number(process.env.ROUNDS ?? 24));
const CALLS = 250;

const engine = await use(startDynoxide().then((started) => ({ ...started, close: () => started.stop() })));
const client = patient(tableClient(engine.endpoint));
await ensureTable(client, 'live');
await use(callEngine(client, engine.endpoint, () => true));

const inProcess = await use(startMemoryEngine());
const wireClient = patient(tableClient(inProcess.endpoint));

/** The outcome of a call: its response or its error. */
const outcomeOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return { answer: await call };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationException') throw error;
    return { refused: error.name };
  }
};

test(`the table in memory answers every call of the service's table as the engine does, also at an address, and holds the same rows (seed ${SEED})`, async () => {
  const kinds = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const real = new Table(client, 'live');
    const memory = new Table(memoryClient(new MemoryTables()), 'live');
    const wire = new Table(wireClient, 'live');
    const calls = new Calls(chanceOf(SEED + round), `round ${round}`);
    for (let nth = 0; nth < CALLS; nth++) {
      const { what, call } = calls.next();
      const [expected, ...found] = await Promise.all([real, memory, wire].map((table) => outcomeOf(call(table))));
      for (const each of found)
        if (!isDeepStrictEqual(each, expected))
          expect(each, `seed ${SEED + round}, call ${nth}: ${what}`).toEqual(expected);
      const kind = `${what.split(' ', 1)[0]}${'refused' in (expected as object) ? ' refused' : ''}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    for (const range of calls.everything()) {
      const rows = await real.queryAll(range);
      for (const table of [memory, wire])
        expect(await table.queryAll(range), `seed ${SEED + round}: ${JSON.stringify(range)}`).toEqual(rows);
    }
  }
  const answered = ['count', 'get', 'getMany', 'putMany', 'query', 'transact', 'write'];
  expect([...kinds.keys()]).toEqual(expect.arrayContaining(answered.flatMap((kind) => [kind, `${kind} refused`])));
}, 600_000);

test('pages of large rows end where the engine ends them', async () => {
  const real = new Table(client, 'live');
  const memory = new Table(memoryClient(new MemoryTables()), 'live');
  const rows = Array.from({ length: 25 }, (_, at) => ({
    pk: 'large',
    sk: `row ${at}`,
    gsi1pk: 'large',
    gsi1sk: `row ${at}`,
    text: 'x'.repeat(100_000),
    status: 'y'.repeat(at % 2 === 0 ? 90_000 : 1),
  }));
  for (const row of rows) for (const table of [real, memory]) await table.write({ put: row });
  for (const range of [{}, { only: ['sk'] }, { newestFirst: true }, { index: 'gsi1' }, { limit: 3 }] as const) {
    const pagesOf = async (table: Table) => {
      const pages = [];
      let startKey: QueryRange['startKey'];
      do {
        const page = await table.query({ partition: 'large', ...range, startKey });
        pages.push(page.rows.map(({ sk }) => sk));
        startKey = page.nextKey;
      } while (startKey);
      return pages;
    };
    const pages = await pagesOf(real);
    expect(pages.length).toBeGreaterThan(1);
    expect(await pagesOf(memory)).toEqual(pages);
  }
});

test('at an address, bytes and parts of a millisecond are stored as the engine stores them', async () => {
  const row = { pk: 'values', sk: 'a', bytes: Uint8Array.of(0, 1, 200), in: { bytes: Uint8Array.of(9) } };
  for (const at of [1_795_950_647_143.5, 1_795_950_647_143.125, -1_795_950_647_143.25, 0.000_001]) {
    const stored = [];
    for (const table of [new Table(client, 'live'), new Table(wireClient, 'live')]) {
      await table.write({ put: { ...row, at } });
      stored.push(await table.get({ pk: row.pk, sk: row.sk }));
    }
    expect(stored).toEqual([
      { ...row, at },
      { ...row, at },
    ]);
  }
});

test('at an address, all rows are read page by page, as the engine reads them', async () => {
  const real = new Table(client, 'live');
  const wire = new Table(wireClient, 'live');
  const put = Array.from({ length: 40 }, (_, at) => ({
    pk: `scanned ${at % 7}`,
    sk: `row ${at}`,
    text: 'x'.repeat(60_000),
    ...(at % 2 === 0 ? { duePk: 'DUE#x', dueAt: at } : {}),
  }));
  for (const row of put) for (const table of [real, wire]) await table.write({ put: row });
  const pagesOf = async (of: DynamoDBClient, where: object) => {
    const pages: Record<string, unknown>[][] = [];
    let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey'];
    do {
      const input = { TableName: 'live', ...where, ExclusiveStartKey };
      const { Items = [], LastEvaluatedKey, Count } = await of.send(new ScanCommand(input));
      expect(Count).toBe(Items.length);
      pages.push(Items.map((item) => unmarshall(item)));
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return pages;
  };
  const ofTheseRows = (pages: Record<string, unknown>[][]) =>
    pages
      .flat()
      .flatMap(({ pk, sk, text }) => (String(pk).startsWith('scanned') ? [[pk, sk, text]] : []))
      .toSorted();
  for (const where of [{}, { Limit: 3 }, { IndexName: 'due' }, { IndexName: 'due', Limit: 1 }]) {
    const [expected, found] = [await pagesOf(client, where), await pagesOf(wireClient, where)];
    expect(ofTheseRows(found)).toEqual(ofTheseRows(expected));
    expect(found.length).toBeGreaterThan(where.IndexName && !where.Limit ? 0 : 2);
    const segments = [0, 1, 2].map((Segment) => pagesOf(wireClient, { ...where, Segment, TotalSegments: 3 }));
    expect(ofTheseRows((await Promise.all(segments)).flat())).toEqual(ofTheseRows(expected));
  }
});
