import { describe, expect, test } from 'vitest';
import { newId, parseId } from '../../shared/domain/core/ids.ts';
import {
  KNOWN_REPLY_PART_MS,
  MAX_REPLY_BYTES,
  REPLY_PARTS_WAIT_MS,
  workOnReplyParts,
} from '../../shared/domain/smpp/reply-parts.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { readSender } from '../../shared/storage/messages/inbound.ts';
import { listReplyPage } from '../../shared/storage/messages/message-lists.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { dueReplyPartsOf, replyPartsPortsOf, workOffReplyParts, writtenTo } from './reply-parts-kit.ts';

const world = await use(startWorld('live'));
const workOff = () => workOffReplyParts(world, replyPartsPortsOf(world));
const waitOut = () => {
  world.now += REPLY_PARTS_WAIT_MS;
};

describe('parts of what somebody wrote', () => {
  test.each([[[1, 2, 3]], [[3, 1, 2]], [[2, 3, 1]]])(
    'in the order %j are one reply, in their own order, charged once',
    async (order) => {
      const { part, take, replies } = await writtenTo(world);
      const effects: string[] = [];
      for (const number of order) {
        expect(await replies()).toEqual([]);
        effects.push(await take(part(number, { total: 3 })));
      }
      expect(effects).toEqual(['pending', 'pending', 'kept']);
      expect(await replies()).toEqual(['part 1 part 2 part 3 ']);
    },
  );

  test('may end within a character, and be in different alphabets', async () => {
    const { part, take, replies } = await writtenTo(world);
    const ucs2 = Buffer.from('Olá 😀!', 'utf16le').swap16();
    await take(part(2, { bytes: ucs2.subarray(10) }));
    await take(part(1, { bytes: ucs2.subarray(0, 10) }));
    await take(part(1, { reference: '8-8', coding: 0, bytes: Buffer.from([0x31, 0x1b]) }));
    await take(part(2, { reference: '8-8', coding: 0, bytes: Buffer.from([0x65]) }));
    await take(part(1, { reference: '8-9', coding: 0, text: 'a' }));
    await take(part(2, { reference: '8-9', text: ' Ω' }));
    expect(await replies()).toEqual(['1€', 'Olá 😀!', 'a Ω']);
  });

  test('that are repeated are taken once, before and after the reply is there', async () => {
    const { part, take, replies } = await writtenTo(world);
    expect([await take(part(1)), await take(part(1))]).toEqual(['pending', 'repeated']);
    expect([await take(part(2)), await take(part(2)), await take(part(1))]).toEqual(['kept', 'repeated', 'repeated']);
    world.now += KNOWN_REPLY_PART_MS - 1;
    expect([await take(part(2)), await take(part(1))]).toEqual(['repeated', 'repeated']);
    expect(await replies()).toEqual(['part 1 part 2 ']);
    world.now += 1;
    expect([await take(part(2)), await take(part(1))]).toEqual(['pending', 'kept']);
    expect(await replies()).toEqual(['part 1 part 2 ', 'part 1 part 2 ']);
  });

  test('are of one message only where sender, number, reference and count are the same', async () => {
    const { part, take, replies } = await writtenTo(world);
    await take(part(1));
    for (const other of [{ to: '28001' }, { reference: '16-7' }, { total: 3 }, { from: '+5511900000001' }])
      expect(await take(part(2, other))).toBe('pending');
    expect(await replies()).toEqual([]);
    expect(await take(part(2))).toBe('kept');
  });

  test('opt out their sender where the whole text is an opt-out keyword, which no part is alone', async () => {
    const { organizationId, part, take, from } = await writtenTo(world);
    const hash = await world.ports.recipientHashOf(organizationId, 'phone', from);
    const isOut = async () =>
      (await readSender(world.table, organizationId, { channel: 'sms', kind: 'phone', hash })).own?.optedOut;
    await take(part(1, { text: 'ST' }));
    expect(await isOut()).toBe(false);
    await take(part(2, { text: 'OP' }));
    expect(await isOut()).toBe(true);
  });

  test('leave neither a text nor a phone behind once they are a reply, and nothing that is due', async () => {
    const { part, take, rowsOf } = await writtenTo(world);
    await take(part(1));
    const daysLeft = (row: Row | undefined) => (Number(row?.ttl) - world.now / 1_000) / 86_400;
    const [open] = await rowsOf();
    expect(open).toMatchObject({ from: expect.any(String), part1: { content: expect.anything() } });
    expect(daysLeft(open)).toBeGreaterThan(7);
    await take(part(2));
    const [row] = await rowsOf();
    expect(row).toMatchObject({ state: 'replied', part1: { digest: expect.any(String) } });
    expect(daysLeft(row)).toBeLessThan(2);
    for (const said of ['from', 'to', 'dueAt', 'duePk', 'content'])
      expect(JSON.stringify(row)).not.toContain(`"${said}"`);
  });

  test('from a phone that no organization has written to are no reply', async () => {
    const { part, take, replies, rowsOf } = await writtenTo(world);
    const from = '+5511900000002';
    expect([await take(part(1, { from })), await take(part(2, { from }))]).toEqual(['pending', 'unmatched']);
    expect(await take(part(2, { from }))).toBe('repeated');
    expect(await rowsOf()).toMatchObject([{ state: 'replied' }]);
    expect(await replies()).toEqual([]);
  });
});

describe('a message of which parts are missing', () => {
  test.each([
    ['in the middle', [1, 3], 'part 1 […]part 3 '],
    ['at the end, two of them', [1], 'part 1 […]'],
    ['at the beginning, two of them', [3], '[…]part 3 '],
  ])('%s is a reply of what came, after its time, once', async (_, came, text) => {
    const { part, take, replies } = await writtenTo(world);
    for (const number of came) await take(part(number, { total: 3 }));
    world.now += REPLY_PARTS_WAIT_MS - 1;
    await workOff();
    expect(await replies()).toEqual([]);
    world.now += 1;
    await Promise.all([workOff(), workOff()]);
    expect(await replies()).toEqual([text]);
    // Repeats are recognized; a part that first arrives now starts a new message.
    expect(await take(part(came[0] ?? 0, { total: 3 }))).toBe('repeated');
    expect(await take(part(2, { total: 3, text: 'late' }))).toBe('pending');
    waitOut();
    await workOff();
    expect(await replies()).toEqual([text, '[…]late[…]'].sort());
  });

  test('waits from its first part on, whatever part came last', async () => {
    const { part, take, replies } = await writtenTo(world);
    await take(part(1, { total: 3 }));
    world.now += REPLY_PARTS_WAIT_MS - 1;
    await take(part(3, { total: 3 }));
    world.now += 1;
    await workOff();
    expect(await replies()).toEqual(['part 1 […]part 3 ']);
  });

  test('shows a character whose other half is missing as U+FFFD', async () => {
    const { part, take, replies } = await writtenTo(world);
    await take(part(1, { bytes: Buffer.from('0041d83d', 'hex') }));
    waitOut();
    await workOff();
    expect(await replies()).toEqual(['A\ufffd[…]']);
  });

  test('takes no more parts while it is handed on: a part that comes then is a message of its own', async () => {
    const { part, take, ports, replies } = await writtenTo(world);
    await take(part(1));
    waitOut();
    const reply: typeof ports.reply = async (...args) => {
      await take(part(2));
      return ports.reply(...args);
    };
    await workOffReplyParts(world, { ...ports, reply });
    waitOut();
    await workOff();
    expect(await replies()).toEqual(['[…]part 2 ', 'part 1 […]']);
  });

  test('takes them until it is closed, however late its work is', async () => {
    const { part, take, replies } = await writtenTo(world);
    await take(part(1));
    world.now += KNOWN_REPLY_PART_MS - 1;
    expect(await take(part(2))).toBe('kept');
    await workOff();
    expect(await replies()).toEqual(['part 1 part 2 ']);
  });

  test('has a part that came while its end was decided', async () => {
    const { part, take, replies, ports } = await writtenTo(world);
    await take(part(1, { total: 3 }));
    waitOut();
    let isRead = false;
    const read: typeof ports.parts.read = async (id) => {
      const assembly = await ports.parts.read(id);
      if (!isRead) await take(part(2, { total: 3 }));
      isRead = true;
      return assembly;
    };
    await workOffReplyParts(world, { ...ports, parts: { ...ports.parts, read } });
    expect(await replies()).toEqual(['part 1 part 2 […]']);
  });

  test('is left alone by work that comes before its time', async () => {
    const { part, take, replies, rowsOf, ports } = await writtenTo(world);
    await take(part(1));
    const [row] = await rowsOf();
    await workOnReplyParts(ports, parseId('replyParts', row?.id));
    expect(await replies()).toEqual([]);
    expect(await take(part(2))).toBe('kept');
  });

  test('is of the moment at which its first part came, however late it is handed on', async () => {
    const { organizationId, part, take } = await writtenTo(world);
    const startedAt = world.now;
    await take(part(1));
    world.now += 60_000;
    await take(part(2));
    const { items } = await listReplyPage(world.table, organizationId, {}, { skip: 0, limit: 10 });
    expect(items.map(({ receivedAt }) => receivedAt)).toEqual([startedAt]);
  });
});

describe('two messages with one reference', () => {
  test('that two processes begin in the place of one are one message', async () => {
    const { ports } = await writtenTo(world);
    const first = { id: newId('replyParts'), startedAt: world.now };
    const begin = (before: typeof first.id | undefined, id = newId('replyParts')) =>
      ports.parts.begin('infobip', first.id, before, { id, startedAt: world.now });
    expect(await begin(undefined, first.id)).toEqual(first);
    const next = await begin(first.id);
    expect(next.id).not.toBe(first.id);
    expect(await begin(first.id)).toEqual(next);
  });

  test('that have different texts under one part number are two replies, the first of the parts that came', async () => {
    const { part, take, replies } = await writtenTo(world);
    await take(part(1, { text: 'one ' }));
    expect(await take(part(1, { text: 'two ' }))).toBe('pending');
    expect(await take(part(2))).toBe('kept');
    waitOut();
    await workOff();
    expect(await replies()).toEqual(['one […]', 'two part 2 ']);
  });

  test('are two replies as well where their parts together exceed the longest reply', async () => {
    const { part, take, replies } = await writtenTo(world);
    const long = Buffer.alloc(MAX_REPLY_BYTES, 'a');
    await take(part(1, { coding: 0, bytes: Buffer.concat([long, long]) }));
    await take(part(2));
    waitOut();
    await workOff();
    expect(await replies()).toEqual(['[…]part 2 ', 'a'.repeat(MAX_REPLY_BYTES)]);
  });
});

test('a part that exceeds the longest reply is stored as far as a reply goes', async () => {
  const { part, take, rowsOf, ports } = await writtenTo(world);
  await take(part(1, { coding: 0, bytes: Buffer.alloc(MAX_REPLY_BYTES * 2, 'a') }));
  const [row] = await rowsOf();
  const stored = await ports.parts.read(parseId('replyParts', row?.id));
  const sizes = stored?.parts.map(({ content }) => Buffer.from(content?.bytes ?? '', 'base64').length);
  expect(sizes).toEqual([MAX_REPLY_BYTES]);
  waitOut();
  await workOff();
});

describe('a process that dies', () => {
  test('at any write leaves a reply that is there once the carrier has repeated the parts', async () => {
    const { part, take, replies } = await writtenTo(world);
    const crashes = await crashEverywhere(world.table, async (crashing) => {
      for (const number of [1, 2]) await take(part(number), replyPartsPortsOf(world, crashing));
    });
    expect(crashes).toBeGreaterThan(5);
    expect(await replies()).toEqual(['part 1 part 2 ']);
    waitOut();
    expect(await dueReplyPartsOf(world)).toEqual([]);
  });

  test('before it has handed on what is complete leaves that to the work that is due, and so does one that dies at that', async () => {
    const { part, take, ports, replies } = await writtenTo(world);
    await take(part(1));
    const dies = { ...ports, reply: () => Promise.reject(new Error('the process ended')) };
    await expect(take(part(2), dies)).rejects.toThrow('ended');
    waitOut();
    const crashes = await crashEverywhere(world.table, (crashing) =>
      workOffReplyParts(world, replyPartsPortsOf(world, crashing)),
    );
    expect(crashes).toBeGreaterThan(1);
    expect(await replies()).toEqual(['part 1 part 2 ']);
    expect(await dueReplyPartsOf(world)).toEqual([]);
  });

  test('while it ends what is incomplete leaves it to be ended again, once', async () => {
    const { part, take, replies } = await writtenTo(world);
    await take(part(1));
    waitOut();
    const crashes = await crashEverywhere(world.table, (crashing) =>
      workOffReplyParts(world, replyPartsPortsOf(world, crashing)),
    );
    expect(crashes).toBeGreaterThan(2);
    expect(await replies()).toEqual(['part 1 […]']);
    expect(await dueReplyPartsOf(world)).toEqual([]);
  });
});
