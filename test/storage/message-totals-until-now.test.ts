import { expect, test } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { DAY, expected, fill, filteredLists, HOUR, matching } from './filtered-lists.ts';

const world = await use(startWorld('live'));

/** Messages of 40 days whose number is stored, as each send stores it. */
const stored = async () => {
  const kit = await filteredLists(world);
  const messages = [...(await fill(kit, 200, 40 * DAY)), ...(await fill(kit, 60, 30 * HOUR)), kit.base];
  await world.table.write({ update: KEYS.wallet(kit.actor.organizationId), set: { sms: messages.length } });
  return { kit, messages };
};

test.each([
  ['now', 0],
  ['a minute ago', -60_000],
  ['six hours ago', -6 * HOUR],
  ['a day ago', -DAY],
  ['two days ago', -2 * DAY],
  ["an hour from now, by the caller's clock", HOUR],
])('the messages until %s are what a plain filter finds, and so is their number', async (_, offset) => {
  const { kit, messages } = await stored();
  const filter = { to: world.now + offset };
  expect(await kit.total(filter)).toBe(expected(messages, filter));
  for (const [skip, limit] of [
    [0, 50],
    [40, 30],
  ] as const)
    expect(await kit.page(filter, { skip, limit })).toEqual(matching(messages, filter).slice(skip, skip + limit));
});

test('the number of those until now is found without counting the days before', async () => {
  const { kit, messages } = await stored();
  expect(await kit.total({ to: world.now - 1 })).toBe(messages.length - 1);
  const kinds = async () => new Set((await kit.storedKeys()).map((sk) => sk.split('#')[0]));
  expect(await kinds()).not.toContain('day');
  await kit.total({ to: world.now - 2 * DAY });
  expect(await kinds()).toContain('day');
});

test('a filter is counted among those until now, not taken for all of them', async () => {
  const { kit, messages } = await stored();
  for (const chosen of [{ status: 'failed' }, { campaignId: 'natal' }] as const) {
    const filter = { ...chosen, to: world.now };
    expect(await kit.total(filter)).toBe(expected(messages, filter));
  }
  const filter = { from: world.now - DAY, to: world.now };
  expect(await kit.total(filter)).toBe(expected(messages, filter));
});
