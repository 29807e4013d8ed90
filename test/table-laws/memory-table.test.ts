import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { type QueryRange, Table } from '../../shared/storage/client/table.ts';
import '../support/aws-environment.ts';
import { chanceOf } from '../support/chance.ts';
import { callEngine } from '../support/engine-calls.ts';
import { MemoryTables, memoryClient } from '../support/memory-table/client.ts';
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

/** The outcome of a call: its response or its error. */
const outcomeOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return { answer: await call };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationException') throw error;
    return { refused: error.name };
  }
};

test(`the table in memory answers every call of the service's table as the engine does, and holds the same rows (seed ${SEED})`, async () => {
  const kinds = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const real = new Table(client, 'live');
    const memory = new Table(memoryClient(new MemoryTables()), 'live');
    const calls = new Calls(chanceOf(SEED + round), `round ${round}`);
    for (let nth = 0; nth < CALLS; nth++) {
      const { what, call } = calls.next();
      const [expected, found] = await Promise.all([outcomeOf(call(real)), outcomeOf(call(memory))]);
      if (!isDeepStrictEqual(found, expected))
        expect(found, `seed ${SEED + round}, call ${nth}: ${what}`).toEqual(expected);
      const kind = `${what.split(' ', 1)[0]}${'refused' in (expected as object) ? ' refused' : ''}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    for (const range of calls.everything())
      expect(await memory.queryAll(range), `seed ${SEED + round}: ${JSON.stringify(range)}`).toEqual(
        await real.queryAll(range),
      );
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
