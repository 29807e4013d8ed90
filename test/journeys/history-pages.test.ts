import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { StoredRun } from '../../shared/domain/journeys/run-ports.ts';
import { historyPage } from '../../shared/storage/journeys/history-page.ts';
import { newOrganization } from '../lists/stage.ts';
import { accepted } from '../support/accepted.ts';
import { ligacoes, passo } from '../support/journeys/build.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const { table } = await use(startWorld('test'));
let now = Date.parse('2026-03-10T12:00:00Z');
const own = journeysOver(table, () => now, new Outside());
const vault = createVault(randomBytes(32));
const tenant = await newOrganization(table);
const scope = { ...tenant, query: { operation: 'journeys.run' } };

/** A run that goes round in a circle, two visits each second. */
const STEPS = {
  passos: [passo('etiqueta', { adicionar: 'novo' }), passo('esperar', { segundos: 1 })],
  ligacoes: ligacoes('etiqueta > esperar', 'esperar > etiqueta'),
};
const run = { current: undefined as StoredRun | undefined };
const goRound = async (rounds: number): Promise<void> => {
  for (let round = 0; round < rounds; round++) {
    now += 1_000;
    await own.work();
  }
};
const journey = await activeJourney(own, tenant, STEPS);
const [contact] = (await addContacts(table, tenant, 1)) as [Contact];
const stored = async (): Promise<StoredRun> => {
  const found = await own.runsOf(journey, contact.id);
  if (!found) throw new Error('no run');
  return found;
};
const page = async (of: StoredRun, limit: number, cursor?: string) =>
  accepted(await historyPage(table)(of, { vault, scope, cursor, limit }));

beforeAll(async () => {
  await own.enter(journey, [{ contactId: contact.id, cause: { key: 'entry', at: now } }]);
  await own.work();
  await goRound(40);
  run.current = await stored();
}, 180_000);

test.each([1, 7, 16, 17, 60, 1_000])(
  'pages of %i visits are together the whole history, in its order',
  async (limit) => {
    const whole = await own.ports.runs.historyOf(await stored());
    expect(whole.length).toBeGreaterThan(80);
    const read = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await page(await stored(), limit, cursor);
      expect(items.length).toBeLessThanOrEqual(limit);
      read.push(...items);
      cursor = nextCursor;
    } while (cursor);
    expect(read).toEqual(whole);
  },
);

test('a history that grows between two pages has each visit once', async () => {
  const first = await page(await stored(), 75);
  await goRound(12);
  const rest = await page(await stored(), 1_000, first.nextCursor);
  expect([...first.items, ...rest.items]).toEqual(await own.ports.runs.historyOf(await stored()));
  // The run was read before its last entries went to a row of their own.
  const early = run.current as StoredRun;
  expect((await page(early, 1_000)).items).toEqual([...first.items, ...rest.items].slice(0, early.run.historyCount));
});

test('a cursor of another list is refused', async () => {
  const request = { vault, scope: { ...scope, query: { operation: 'another' } }, cursor: 'x'.repeat(60), limit: 10 };
  expect(await historyPage(table)(await stored(), request)).toMatchObject({ name: 'BAD_REQUEST' });
});
