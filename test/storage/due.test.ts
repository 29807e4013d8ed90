import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newEvent } from '../../shared/domain/events/event.ts';
import { sendSms } from '../../shared/domain/sms/send.ts';
import { overdue } from '../../shared/storage/due.ts';
import { eventWrite, outbox } from '../../shared/storage/outbox.ts';
import { startWorld, type World } from '../support/world.ts';

describe('due work', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('test');
  });
  afterAll(() => world.close());

  test('of each kind is found once it is overdue, oldest first, never before, and never after it was done', async () => {
    const actor = await world.organization(10_000_000);
    const events = Array.from({ length: 30 }, (_, at) =>
      newEvent({
        type: 'apikey.created',
        organizationId: actor.organizationId,
        env: 'test',
        createdAt: world.now + at * 10,
        data: {},
      }),
    );
    for (const event of events) await world.table.write(eventWrite(event));
    expect(await overdue(world.table, 'publish_event', world.now - 1, 100)).toEqual([]);
    const found = await overdue(world.table, 'publish_event', world.now + 145, 100);
    expect(new Set(found.map(({ pk }) => pk))).toEqual(new Set(events.slice(0, 15).map(({ id }) => `EVT#${id}`)));
    const { markPublished, readAll } = outbox(world.table);
    for (let turn = 0; turn < 2; turn++) await markPublished(events, world.now);
    expect(await readAll(events.map(({ id }) => id))).toEqual(
      events.map((event) => ({ status: 'fulfilled', value: { event, published: true } })),
    );
    expect(await overdue(world.table, 'publish_event', world.now + 1_000, 100)).toEqual([]);
  });

  test('of more rows than a run takes is handed over by the next runs', async () => {
    const actor = await world.organization(10_000_000);
    for (let at = 0; at < 25; at++) {
      const fields = { organizationId: actor.organizationId, env: 'test' as const, createdAt: world.now, data: {} };
      await world.table.write(eventWrite(newEvent({ type: 'apikey.rotated', ...fields })));
    }
    const seen = new Set<string>();
    for (let run = 0; run < 20 && seen.size < 25; run++)
      for (const { pk } of await overdue(world.table, 'publish_event', world.now, 8)) {
        seen.add(pk);
        const found = await outbox(world.table).read(pk.slice(4));
        if (found) await outbox(world.table).markPublished([found.event], world.now);
      }
    expect(seen.size).toBe(25);
  });

  test('of a send is its deadline until it is settled, then its sandbox outcome, then nothing', async () => {
    const actor = await world.organization(10_000_000);
    const sent = (await sendSms(world.ports, actor, 'key', {
      to: '+5511999990005',
      body: 'Oi',
      route: 'otp',
    })) as { id: string };
    const pk = `MSG#${sent.id}`;
    const kinds = async (kind: 'resolve_send' | 'sandbox_outcome', after: number) =>
      (await overdue(world.table, kind, world.now + after, 100)).map((hint) => hint.pk);
    expect(await kinds('resolve_send', 3_600_000)).not.toContain(pk);
    expect(await kinds('sandbox_outcome', 2_999)).not.toContain(pk);
    expect(await kinds('sandbox_outcome', 3_000)).toContain(pk);
  });
});
