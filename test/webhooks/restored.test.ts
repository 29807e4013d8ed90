import { expect, test } from 'vitest';
import { advanceSequences } from '../../shared/storage/webhooks/advance-sequence.ts';
import { useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf } from './kit.ts';

const hooks = await useWebhooks();
const { queueMany, feed } = deliveriesOf(hooks);

test('after a restore no sequence number is assigned twice, and a receiver that knows lost ones continues after them', async () => {
  const { actor, subscription } = await hooks.subscribe();
  await queueMany(actor, 3);
  expect(await advanceSequences(hooks.world.table, actor.organizationId, 1_000)).toBe(1);
  await queueMany(actor, 2);
  hooks.world.now += 60_000;
  expect((await feed(subscription)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 1_004, 1_005]);
  const { deliveries } = hooks.ports;
  const { entries, lastSequence } = await deliveries.feed(subscription.id, 700, 500);
  expect(lastSequence).toBe(1_005);
  expect(entries.map(({ sequence }) => sequence)).toEqual([1_004, 1_005]);
});
