import { expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { MessageOf } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { sendConcurrently } from '../faults/together-kit.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live'));
world.prices = premiumPrices([null, 100]);

/** The stored row of a message that was sent. */
const sentRow = async (): Promise<Row> => {
  const actor = await world.organization(1_000, false);
  await sendConcurrently(world.ports, actor, [{}]);
  const { rows } = await world.table.query({ partition: KEYS.wallet(actor.organizationId).pk });
  const messageId = rows.map((row) => row.messageId).find((id) => id !== undefined) as Id<'message'>;
  return (await world.table.get(KEYS.message(messageId))) ?? expect.fail();
};
/** A row as it was stored when each attribute was one by itself. */
const asBefore = (row: Row): Row => {
  const message = messageRows.read(row);
  const { id, env, direction, type, priority, route, units, callerKey, band, decisions, content } = message;
  const { fixed: _, ...others } = row;
  const fixed = { env, direction, type, priority, route, units, callerKey, band };
  return { ...others, id, ...fixed, decisions, content };
};

test('what never changes about a message is one text of its row, with the decisions of its acceptance', async () => {
  const row = await sentRow();
  for (const name of ['id', 'callerKey']) expect(row).not.toHaveProperty(name);
  const message = messageRows.read(row) as MessageOf<'sms'>;
  expect(message).toMatchObject({ env: 'live', direction: 'outbound', type: 'text', route: 'premium', units: 1 });
  expect(message.content).toEqual({ text: 'Oi', encoding: 'GSM-7', length: 2, segments: 1 });
  expect(message.decisions.map(({ kind }) => kind)).toEqual(['accepted', 'provider']);
  // Written again it is the same message, with all of its decisions in the text.
  const again = messageRows.write(message);
  expect(again).not.toHaveProperty('decisions');
  expect(messageRows.read(again)).toEqual(message);
});

test('a row with each attribute by itself, as earlier versions wrote them, is the same message', async () => {
  const row = await sentRow();
  const before = asBefore(row);
  expect(before).not.toHaveProperty('fixed');
  expect(messageRows.read(before)).toEqual(messageRows.read(row));
});

test('a row whose text lacks what was added to it later is the same message', async () => {
  const row = await sentRow();
  const { fixed, ...others } = row;
  const [values, decisions] = JSON.parse(String(fixed)) as [unknown[], unknown[]];
  const message = messageRows.read(row);
  const band = { index: 0, from: 1, upTo: null };
  const shorter = { ...others, id: message.id, band, fixed: JSON.stringify([values.slice(0, 7), decisions]) };
  expect(messageRows.read(shorter)).toEqual({ ...message, band });
  expect(messageRows.read(messageRows.write({ ...message, band }))).toEqual({ ...message, band });
});

test('a row whose text is not one of a message is refused', async () => {
  const row = await sentRow();
  for (const fixed of ['', '{}', '[[],[]]', '[["live"]]', 7])
    expect(() => messageRows.read({ ...row, fixed }), String(fixed)).toThrow();
});

test('an update sets nothing of the text', () => {
  // @ts-expect-error The route of a message never changes.
  messageRows.set({ route: 'otp' });
  expect(messageRows.set({ status: 'sent' })).toEqual({ status: 'sent' });
});
