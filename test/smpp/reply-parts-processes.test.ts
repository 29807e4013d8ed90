import { expect, test } from 'vitest';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import { REPLY_PARTS_WAIT_MS, type ReplyPartsPorts, workOnReplyParts } from '../../shared/domain/smpp/reply-parts.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { chanceOf } from '../support/chance.ts';
import { waitAsInvocation } from '../support/patience.ts';
import { patient } from '../support/patient-client.ts';
import { watchIndexes } from '../support/table-engine.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { dueReplyPartsOf, replyPartsPortsOf, workOffReplyParts, writtenTo } from './reply-parts-kit.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
const PROCESSES = 20;

let endpoint = '';
const world = await use(
  startWorld('live', {
    through: async (engine) => {
      const laws = await use(startTableLaws(engine, { lagMs: [0, 0] }));
      watchIndexes(laws);
      endpoint = laws.endpoint;
      return endpoint;
    },
  }),
);
/** As another process has it: it shares no client. */
const ownTable = () => new Table(patient(tableClient(endpoint)), 'live', waitAsInvocation);
const processes = Array.from({ length: PROCESSES }, () => replyPartsPortsOf(world, ownTable()));
const portsAt = (at: number) => processes[at % PROCESSES] as ReplyPartsPorts;

/** The index shows due rows some moments after they were written. */
const INDEXED = { timeout: 60_000 };

test('twenty processes take the parts of the same messages, each part three times, in any order: every message is one reply, charged once', {
  timeout: 240_000,
}, async () => {
  console.log(`SEED=${SEED}`);
  const chance = chanceOf(SEED);
  const [messages, total] = [8, 6];
  const { part, take, replies } = await writtenTo(world);
  const once = Array.from({ length: messages }, (_, message) =>
    Array.from({ length: total }, (__, at) =>
      part(at + 1, { reference: `8-${message}`, total, text: `${message}.${at + 1} ` }),
    ),
  ).flat();
  const all = [...once, ...once, ...once].map((event) => ({ event, at: chance.below(1_000_000) }));
  all.sort((one, other) => one.at - other.at);
  const effects = await Promise.all(all.map(({ event }, at) => take(event, portsAt(at))));
  expect(effects.filter((effect) => effect === 'kept')).toHaveLength(messages);
  expect(await replies()).toEqual(
    Array.from({ length: messages }, (_, message) =>
      Array.from({ length: total }, (__, at) => `${message}.${at + 1} `).join(''),
    ),
  );
  await expect.poll(() => dueReplyPartsOf(world), INDEXED).toEqual([]);
});

test('twenty processes that take the last part, and twenty that end what is due at the same moment: no part is lost, and none is in two replies', {
  timeout: 240_000,
}, async () => {
  const messages = 10;
  const { part, take, replies } = await writtenTo(world);
  const numbers = Array.from({ length: messages }, (_, message) => message);
  const partOf = (message: number, number: number) =>
    part(number, { reference: `16-${message}`, text: `${message}.${number} ` });
  for (const message of numbers) await take(partOf(message, 1));
  world.now += REPLY_PARTS_WAIT_MS;
  await expect.poll(() => dueReplyPartsOf(world), INDEXED).toHaveLength(messages);
  const due = await dueReplyPartsOf(world);
  await Promise.all([
    ...numbers.flatMap((message) => [
      take(partOf(message, 2), portsAt(message)),
      take(partOf(message, 2), portsAt(message + 7)),
    ]),
    ...processes.flatMap((ports) => due.map((id) => workOnReplyParts(ports, id))),
  ]);
  world.now += REPLY_PARTS_WAIT_MS;
  await expect
    .poll(async () => {
      await workOffReplyParts(world, portsAt(0));
      return (await dueReplyPartsOf(world)).length;
    }, INDEXED)
    .toBe(0);
  const texts = await replies();
  const parts = texts.flatMap((text) => text.match(/\d\.\d/g) ?? []).sort();
  expect(parts).toEqual(numbers.flatMap((message) => [`${message}.1`, `${message}.2`]).sort());
  for (const text of texts) expect(text).toMatch(/^((\d)\.1 \2\.2 |\d\.1 \[…\]|\[…\]\d\.2 )$/);
});
