import { describe, expect, test } from 'vitest';
import { newEvent } from '../../shared/domain/events/event.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { eventWrite, outbox } from '../../shared/storage/due-work/outbox.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));

describe('due work', () => {
  test('of each kind is found once it is overdue, oldest first, never before, and never after it was done', async () => {
    const actor = await world.organization();
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
    expect(await overdue(world.table, 'publish_event', world.now - 1, 1_000)).toEqual([]);
    const found = await overdue(world.table, 'publish_event', world.now + 145, 1_000);
    expect(new Set(found.map(({ pk }) => pk))).toEqual(new Set(events.slice(0, 15).map(({ id }) => `EVT#${id}`)));
    const { markPublished, readAll } = outbox(world.table);
    for (let turn = 0; turn < 2; turn++) await markPublished(events, world.now);
    expect(await readAll(events.map(({ id }) => id))).toEqual(
      events.map((event) => ({ status: 'fulfilled', value: { event, published: true } })),
    );
    expect(await overdue(world.table, 'publish_event', world.now + 1_000, 100)).toEqual([]);
  });

  test('of more rows than a run takes is found by the next runs', async () => {
    const actor = await world.organization();
    for (let at = 0; at < 25; at++) {
      const fields = { organizationId: actor.organizationId, env: 'test' as const, createdAt: world.now, data: {} };
      await world.table.write(eventWrite(newEvent({ type: 'apikey.rotated', ...fields })));
    }
    const seen = new Set<string>();
    for (let run = 0; run < 20 && seen.size < 25; run++)
      for (const item of await overdue(world.table, 'publish_event', world.now, 8)) {
        seen.add(item.pk);
        const found = await outbox(world.table).read(PARSE_KEY.event(item));
        if (found) await outbox(world.table).markPublished([found.event], world.now);
      }
    expect(seen.size).toBe(25);
  });

  test('of a send is its deadline until it is settled, then its sandbox outcome, then nothing', async () => {
    const sent = await world.sms(await world.organization(), 'key', { to: '+5511999990005', route: 'otp' });
    const pk = `MSG#${accepted(sent).id}`;
    const kinds = async (kind: 'recover_send' | 'sandbox_outcome', after: number) =>
      (await overdue(world.table, kind, world.now + after, 100)).map((item) => item.pk);
    expect(await kinds('recover_send', 3_600_000)).not.toContain(pk);
    expect(await kinds('sandbox_outcome', 2_999)).not.toContain(pk);
    expect(await kinds('sandbox_outcome', 3_000)).toContain(pk);
  });
});
