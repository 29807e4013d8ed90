import { expect, test } from 'vitest';
import { sendRcs } from '../../shared/domain/api/send-rcs.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { applySettled } from '../../shared/domain/sending/apply-receipt.ts';
import { destinationsView } from '../../shared/domain/sending/destination-settings.ts';
import { type JudgePorts, judgeDestination } from '../../shared/domain/sending/judge-destination.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { destinationCounts } from '../../shared/storage/messages/destination-counts.ts';
import { holdDestination, readHolds } from '../../shared/storage/messages/destination-holds.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live'));
const [SUSPECT, OTHER] = ['+4915112345678', '+4917612345678'];
const TEN_MINUTES_MS = 600_000;

const held: string[] = [];
const ports: JudgePorts = {
  clock: () => world.now,
  counts: destinationCounts(world.table),
  hold: (hold) => holdDestination(world.table, hold),
  enqueue: () => {},
  onHeld: ({ prefix, event }) => {
    held.push(prefix);
    world.workItems.push({ kind: 'publish_event', pk: `EVT#${event.id}`, sk: 'EVT' });
  },
};
type Actor = Awaited<ReturnType<typeof world.organization>>;

/** Processes what is due, each item by three processes at once. */
const judgeDue = async (): Promise<void> => {
  const items = await overdue(world.table, 'judge_destination', world.now, 100);
  await Promise.all(
    [...items, ...items, ...items].map((item) => judgeDestination(ports, 'live', PARSE_KEY.destinationCounts(item))),
  );
};
const sendMany = async (actor: Actor, to: string, count: number, delivered = 0): Promise<void> => {
  for (let index = 0; index < count; index++) {
    const { id } = accepted(await world.sms(actor, undefined, { to, route: 'otp' }));
    if (index >= delivered) continue;
    const message = await world.ports.messageStore.read(id as never);
    const report = { kind: 'receipt', providerMessageId: `p-${id}`, status: 'delivered', at: world.now } as const;
    expect(message && (await applySettled(world.ports, message, report))).toBe(true);
  }
};
const start = async () => {
  world.reset();
  held.length = 0;
  return world.organization(100_000_000);
};

test('a prefix abroad of which 50 SMS of ten minutes were not delivered is held for the organization for an hour', async () => {
  const actor = await start();
  await sendMany(actor, SUSPECT, 51, 5);
  await sendMany(actor, OTHER, 49);
  world.now += TEN_MINUTES_MS - 1;
  await judgeDue();
  expect(held).toEqual([]);
  world.now += 30_001;
  await world.raised();
  await judgeDue();
  expect(held).toEqual(['491511']);
  const [event, ...others] = await world.raised();
  expect(others).toEqual([]);
  const heldUntil = new Date(world.now + 3_600_000).toISOString();
  expect(event).toMatchObject({
    type: 'sms.destination_held',
    data: { channel: 'sms', prefix: '+491511', sends: 51, delivered: 5, heldUntil },
  });
  expect(await world.sms(actor, undefined, { to: SUSPECT })).toMatchObject({
    name: 'PRECONDITION_FAILED',
    details: { meta: { motivo: 'destination_held', heldUntil } },
  });
  accepted(await world.sms(actor, undefined, { to: OTHER }));
  accepted(await world.sms(await world.organization(), undefined, { to: SUSPECT }));
  world.now += 3_600_000;
  accepted(await world.sms(actor, undefined, { to: SUSPECT }));
});

test('a prefix of which a tenth is delivered is not held, and its counts go without a trace in the due work', async () => {
  const actor = await start();
  await sendMany(actor, SUSPECT, 50, 5);
  for (let minute = 0; minute < 40; minute++) {
    world.now += 60_000;
    await judgeDue();
  }
  expect(held).toEqual([]);
  expect(await readHolds(world.table, actor.organizationId)).toEqual(new Map());
  expect(await overdue(world.table, 'judge_destination', world.now + 86_400_000, 100)).toEqual([]);
});

test('an SMS within Brazil is counted nowhere', async () => {
  const actor = await start();
  await sendMany(actor, '+5511987654321', 3, 1);
  expect(await overdue(world.table, 'judge_destination', world.now + 86_400_000, 100)).toEqual([]);
  const { pk } = { pk: `DEST#${actor.organizationId}#551198` };
  expect(await world.table.queryAll({ partition: pk })).toEqual([]);
});

test('concurrent sends by twenty processes are all counted', async () => {
  const actor = await start();
  const sent = await Promise.all(
    Array.from({ length: 20 }, () => world.sms(actor, undefined, { to: SUSPECT, route: 'otp' })),
  );
  sent.forEach(accepted);
  const rows = await world.table.queryAll({ partition: `DEST#${actor.organizationId}#491511` });
  expect(rows.reduce((sum, row) => sum + Number(row.total ?? 0), 0)).toBe(20);
});

test('a country that the organization closed is refused after its price and before its hold', async () => {
  const actor = await start();
  world.destinations = { sms: { mode: 'only', countries: ['BR', 'PT'] } };
  accepted(await world.sms(actor));
  accepted(await world.sms(actor, undefined, { to: '+351912345678' }));
  expect(await world.sms(actor, undefined, { to: SUSPECT })).toMatchObject({
    name: 'VALIDATION_ERROR',
    details: { meta: { motivo: 'destination_closed', country: 'DE' } },
  });
  expect(await world.sms(actor, undefined, { to: '+881612345678' })).toMatchObject({
    name: 'PRECONDITION_FAILED',
    details: { meta: { motivo: 'destination_not_priced' } },
  });
  expect(destinationsView(world.destinations).whatsapp).toEqual({ mode: 'all', countries: [] });
});

test('the refusal of a destination replays an earlier send under its key', async () => {
  const actor = await start();
  const first = accepted(await world.sms(actor, 'key', { to: SUSPECT }));
  world.destinations = { sms: { mode: 'only', countries: ['BR'] } };
  expect(await world.sms(actor, 'key', { to: SUSPECT })).toMatchObject({ id: first.id, replayed: true });
});

/** Sends of a prefix, and those that arrived, as they are counted. */
const countedOf = async ({ organizationId }: Actor, prefix: string): Promise<readonly [number, number]> => {
  const rows = await world.table.queryAll({ partition: `DEST#${organizationId}#${prefix}` });
  const sum = (of: RegExp) =>
    rows.flatMap(Object.entries).reduce((total, [name, count]) => total + (of.test(name) ? Number(count) : 0), 0);
  return [sum(/^s\d+$/), sum(/^d\d+$/)];
};

test('an RCS message that may leave as an SMS is counted as one, and once as delivered or read; one without that text is not', async () => {
  const actor = await start();
  const rcs = { to: SUSPECT, content: { text: 'Oi' }, route: 'easy_rcs' } as const;
  const sent = async (fallback?: { text: string }) =>
    accepted(await sendRcs(world.ports, actor, newId('request'), { ...rcs, ...(fallback ? { fallback } : {}) })).id;
  await sent();
  expect(await countedOf(actor, '491511')).toEqual([0, 0]);
  const ids = [await sent({ text: 'Oi' }), await sent({ text: 'Oi' }), await sent({ text: 'Oi' })];
  for (const [index, statuses] of [['delivered', 'read'], ['read']].entries())
    for (const status of statuses) {
      const message = await world.ports.messageStore.read(ids[index] as never);
      const report = { kind: 'receipt', providerMessageId: `p-${ids[index]}`, status, at: world.now } as never;
      expect(message && (await applySettled(world.ports, message, report))).toBe(true);
    }
  expect(await countedOf(actor, '491511')).toEqual([3, 2]);
});
