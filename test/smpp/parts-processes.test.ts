import { expect, test } from 'vitest';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { PARTS_WAIT_MS } from '../../shared/domain/smpp/assembly.ts';
import { type SubmittedPart, submitPart } from '../../shared/domain/smpp/parts.ts';
import type { PartsPorts } from '../../shared/domain/smpp/send-parts.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { chanceOf } from '../support/chance.ts';
import { checkMoney, messagesOf } from '../support/money.ts';
import { waitAsInvocation } from '../support/patience.ts';
import { patient } from '../support/patient-client.ts';
import { watchIndexes } from '../support/table-engine.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { duePartsOf, partOf, partsAccount, partsPortsOf, workOffParts } from './parts-kit.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
const PROCESSES = 20;

const startLawfulWorld = async () => {
  let endpoint = '';
  const world = await startWorld('live', {
    through: async (engine) => {
      const laws = await use(startTableLaws(engine, { lagMs: [0, 0] }));
      watchIndexes(laws);
      endpoint = laws.endpoint;
      return endpoint;
    },
  });
  /** As another process has it: it shares no client. */
  const ownTable = () => new Table(patient(tableClient(endpoint)), 'live', waitAsInvocation);
  return { world: await use(world), ownTable };
};
const { world, ownTable } = await startLawfulWorld();
const tables = Array.from({ length: PROCESSES }, ownTable);
const processes = tables.map((table) => partsPortsOf(world, table));

const textsOf = async (organizationId: Id<'organization'>) =>
  (await messagesOf(world.table, organizationId)).map(({ content }) => (content as { text: string }).text).sort();

/** The index shows due rows some moments after they were written. */
const INDEXED = { timeout: 60_000 };
/** Works off what is due until something has come to a number. */
const untilWorkedOff = (count: () => Promise<number>, wanted: number) =>
  expect
    .poll(async () => {
      await workOffParts(world, processes[0] as PartsPorts);
      return count();
    }, INDEXED)
    .toBe(wanted);

test('twenty processes take the parts of the same messages, each part twice: every message is sent once and paid once, and every part has one id', {
  timeout: 240_000,
}, async () => {
  console.log(`SEED=${SEED}`);
  const chance = chanceOf(SEED);
  const [messages, total] = [8, 6];
  const { organizationId, account, take, reported } = await partsAccount(world);
  // Messages that came before them with the references of half of them, and expired.
  for (let reference = 0; reference < messages / 2; reference++)
    await take(partOf(1, { reference, total, text: 'old' }));
  world.now += PARTS_WAIT_MS;
  await untilWorkedOff(async () => (await reported()).length, messages / 2);
  const once = Array.from({ length: messages }, (_, reference) =>
    Array.from({ length: total }, (__, at) => partOf(at + 1, { reference, total, text: `${reference}.${at + 1} ` })),
  ).flat();
  const all = [...once, ...once].map((part) => ({ part, at: chance.below(1_000_000) }));
  all.sort((one, other) => one.at - other.at);
  const answers = await Promise.all(
    all.map(async ({ part }, at) => {
      const outcome = await submitPart(processes[at % PROCESSES] as PartsPorts, { env: 'live' }, account, part);
      return { part, outcome };
    }),
  );
  const ids = new Map<SubmittedPart, Set<string>>();
  for (const { part, outcome } of answers) {
    if (outcome.kind === 'refused') throw new Error(`${outcome.status} ${outcome.detail}`);
    ids.set(part, (ids.get(part) ?? new Set()).add(outcome.messageId));
  }
  expect([...ids.values()].every((each) => each.size === 1)).toBe(true);
  expect(new Set([...ids.values()].flatMap((each) => [...each])).size).toBe(messages * total);
  expect(await textsOf(organizationId)).toEqual(
    Array.from({ length: messages }, (_, reference) =>
      Array.from({ length: total }, (__, at) => `${reference}.${at + 1} `).join(''),
    ),
  );
  expect(world.provider.dispatched).toHaveLength(messages);
  const { messages: stored } = await checkMoney(world.table, organizationId);
  expect(stored.every(({ hold, status }) => hold === 'captured' && status === 'sent')).toBe(true);
  await expect.poll(() => duePartsOf(world), INDEXED).toEqual([]);
});

test('with twenty processes that send and twenty that expire parts at the same moment, a message is either sent or its parts are reported, never both', {
  timeout: 240_000,
}, async () => {
  world.provider.dispatched.length = 0;
  const messages = 10;
  const { organizationId, account, reported } = await partsAccount(world);
  const numbers = Array.from({ length: messages }, (_, reference) => reference);
  for (const reference of numbers)
    await submitPart(processes[0] as PartsPorts, { env: 'live' }, account, partOf(1, { reference, wants: 'always' }));
  // The clocks of two processes are not the same: one takes parts that another one finds due.
  const early = processes.map((ports) => ({ ...ports, clock: () => world.now }));
  const late = processes.map((ports) => ({ ...ports, clock: () => world.now + PARTS_WAIT_MS }));
  world.now += PARTS_WAIT_MS;
  await expect.poll(() => duePartsOf(world), INDEXED).toHaveLength(messages);
  world.now -= PARTS_WAIT_MS;
  await Promise.all([
    ...numbers.map((reference) =>
      submitPart(early[reference % PROCESSES] as PartsPorts, { env: 'live' }, account, partOf(2, { reference })),
    ),
    ...late.map((ports) => workOffParts({ ...world, now: world.now + PARTS_WAIT_MS }, ports)),
  ]);
  world.now += 3 * PARTS_WAIT_MS;
  // Each first part is either reported or sent, and so is each second one.
  await untilWorkedOff(
    async () => (await reported()).length + 2 * (await messagesOf(world.table, organizationId)).length,
    2 * messages,
  );
  const stored = await messagesOf(world.table, organizationId);
  const first = (await reported()).filter((number) => number === 1).length;
  expect(stored.length + first).toBe(messages);
  expect(world.provider.dispatched).toHaveLength(stored.length);
  // The second part of an expired message stayed alone, and was reported as well.
  expect((await reported()).length).toBe(2 * first);
  await checkMoney(world.table, organizationId);
});
