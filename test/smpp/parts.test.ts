import { afterEach, describe, expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { PARTS_WAIT_MS, parsePartId } from '../../shared/domain/smpp/assembly.ts';
import type { SmppSubmitter } from '../../shared/domain/smpp/send.ts';
import { partsStore } from '../../shared/storage/smpp/parts.ts';
import { checkMoney, messagesOf } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { duePartsOf, GSM, type PartFields, partOf, partsAccount, workOffParts } from './parts-kit.ts';

const world = await use(startWorld('live'));
afterEach(world.reset);

const textOf = ({ content }: { readonly content: unknown }): string => (content as { readonly text: string }).text;
const textsOf = async (organizationId: Id<'organization'>) =>
  (await messagesOf(world.table, organizationId)).map(textOf).sort();
const assemblyOf = async (id: string) => {
  const { parts } = { parts: partsStore(world.table, () => []) };
  const part = parsePartId(id);
  return part && parts.read(part.id);
};

describe('parts', () => {
  test.each([[[1, 2, 3]], [[3, 1, 2]], [[2, 3, 1]]])(
    'in the order %j are one message, in their own order, with one price, and one id each',
    async (order) => {
      const { organizationId, take } = await partsAccount(world);
      const texts = ['a'.repeat(67), 'ç'.repeat(60), ' fim'];
      const ids: string[] = [];
      for (const number of order) {
        expect(world.provider.dispatched).toEqual([]);
        ids.push(await take(partOf(number, { total: 3, text: texts[number - 1] ?? '', reference: order[0] ?? 0 })));
      }
      expect(new Set(ids).size).toBe(3);
      const { messages } = await checkMoney(world.table, organizationId);
      expect(messages).toMatchObject([{ status: 'sent', hold: 'captured', units: 1 }]);
      expect(world.provider.dispatched).toHaveLength(1);
      // 131 characters of GSM-7 once plain: one segment, where three were submitted.
      expect(messages.map(textOf)).toEqual([`${'a'.repeat(67)}${'c'.repeat(60)} fim`]);
      const receipts = [1, 2, 3].map((number) => ({ id: ids[order.indexOf(number)], wants: 'always' }));
      expect(messages[0]?.smpp?.receipts).toEqual(receipts);
    },
  );

  test('that did not ask for a receipt have no entry with the message', async () => {
    const { organizationId, take } = await partsAccount(world);
    const id = await take(partOf(1, { wants: 'failure' }));
    await take(partOf(2, { wants: 'never' }));
    const [message] = await messagesOf(world.table, organizationId);
    expect(message?.smpp?.receipts).toEqual([{ id, wants: 'failure' }]);
  });

  test('that are repeated are answered with the same id, before and after the message has left, and send nothing again', async () => {
    const { organizationId, take } = await partsAccount(world);
    const first = await take(partOf(1));
    expect(await take(partOf(1))).toBe(first);
    const second = await take(partOf(2));
    expect([await take(partOf(2)), await take(partOf(1))]).toEqual([second, first]);
    world.now += PARTS_WAIT_MS - 1;
    expect([await take(partOf(2)), await take(partOf(1))]).toEqual([second, first]);
    expect(world.provider.dispatched).toHaveLength(1);
    expect(await textsOf(organizationId)).toEqual(['part 1 part 2 ']);
  });

  test('may end within a character, in either alphabet, and be in different ones', async () => {
    const { organizationId, take } = await partsAccount(world);
    const ucs2 = Buffer.from('Olá 😀!', 'utf16le').swap16();
    const [high, low] = [ucs2.subarray(0, 10), ucs2.subarray(10)];
    await take(partOf(1, { bytes: high }));
    await take(partOf(2, { bytes: low }));
    await take(partOf(1, { reference: 8, coding: GSM, bytes: Buffer.from([0x31, 0x1b]) }));
    await take(partOf(2, { reference: 8, coding: GSM, bytes: Buffer.from([0x65]) }));
    await take(partOf(1, { reference: 9, coding: GSM, bytes: Buffer.from([0x31, 0x1b, 0x65]) }));
    await take(partOf(2, { reference: 9, text: ' Ω' }));
    expect(await textsOf(organizationId)).toEqual(['1€', '1€ Ω', 'Ola 😀!']);
  });

  test('whose bytes are no text together are ESME_RINVDCS, and cost nothing', async () => {
    const { organizationId, take, submit } = await partsAccount(world);
    await take(partOf(1, { bytes: Buffer.from('d83d', 'hex') }));
    expect(await submit(partOf(2))).toMatchObject({ status: 'ESME_RINVDCS' });
    const { messages, balance } = await checkMoney(world.table, organizationId);
    expect([messages, balance]).toEqual([[], 1_000_000]);
  });

  test.each<[string, PartFields, Partial<SmppSubmitter>]>([
    ['sender', { source: 'LOJA' }, {}],
    ['recipient', { destination: '+5511987654322' }, {}],
    ['route', {}, { route: 'otp' }],
    ['reference', { reference: 8 }, {}],
    ['form of reference', { form: '16' }, {}],
    ['number of parts', { total: 3 }, {}],
  ])('of another %s are of another message', async (_, fields, as) => {
    const { organizationId, take } = await partsAccount(world);
    await take(partOf(1));
    await take(partOf(2, fields), {}, as);
    expect(await textsOf(organizationId)).toEqual([]);
    await take(partOf(2));
    expect(await textsOf(organizationId)).toEqual(['part 1 part 2 ']);
  });

  test('of another account are of another message, also in the same organization', async () => {
    const { organizationId, take } = await partsAccount(world);
    const other = await partsAccount(world);
    await take(partOf(1));
    await take(partOf(2), {}, { id: other.account.id });
    expect(await textsOf(organizationId)).toEqual([]);
  });

  test('with the account’s own sender and with that sender by name are of one message, which names it', async () => {
    const { organizationId, take } = await partsAccount(world);
    await take(partOf(1), {}, { senderId: 'LOJA' });
    await take(partOf(2, { source: 'LOJA' }));
    expect((await messagesOf(world.table, organizationId))[0]?.content).toMatchObject({ senderId: 'LOJA' });
  });
});

describe('a part whose number is taken', () => {
  test('by another text is ESME_RMSGQFUL while its message is not complete, which is not mixed', async () => {
    const { organizationId, take, submit } = await partsAccount(world);
    await take(partOf(1));
    const other = partOf(1, { text: 'other 1 ' });
    expect(await submit(other)).toMatchObject({ status: 'ESME_RMSGQFUL' });
    await take(partOf(2));
    await take(other);
    await take(partOf(2, { text: 'other 2' }));
    expect(await textsOf(organizationId)).toEqual(['other 1 other 2', 'part 1 part 2 ']);
  });

  test('begins another message once those before it have waited for their time', async () => {
    const { organizationId, take } = await partsAccount(world);
    const first = await take(partOf(1));
    world.now += PARTS_WAIT_MS;
    const again = await take(partOf(1, { text: 'again 1 ' }));
    expect(again).not.toBe(first);
    await take(partOf(2));
    expect(await textsOf(organizationId)).toEqual(['again 1 part 2 ']);
  });

  test('by the same text is another message after a minute, unless its idempotency key says that it is a repeat, for a day', async () => {
    const { organizationId, take } = await partsAccount(world);
    const keyed = (number: number) =>
      partOf(number, { reference: 8, text: `keyed ${number} `, idempotencyKey: `order-${number}` });
    const ids = [await take(partOf(1)), await take(partOf(2)), await take(keyed(1)), await take(keyed(2))];
    world.now += PARTS_WAIT_MS;
    const later = [await take(partOf(1)), await take(partOf(2)), await take(keyed(1)), await take(keyed(2))];
    expect(later.map((id, at) => id === ids[at])).toEqual([false, false, true, true]);
    world.now += 24 * 3_600_000;
    expect(await take(keyed(1))).not.toBe(ids[2]);
    expect(await textsOf(organizationId)).toEqual(['keyed 1 keyed 2 ', 'part 1 part 2 ', 'part 1 part 2 ']);
  });

  test('of an expired message is not known by its idempotency key: it may be sent again', async () => {
    const { organizationId, ports, take } = await partsAccount(world);
    const keyed = (number: number) => partOf(number, { idempotencyKey: 'order-1' });
    const first = await take(keyed(1));
    world.now += PARTS_WAIT_MS;
    await workOffParts(world, ports);
    expect(await take(keyed(1))).not.toBe(first);
    await take(keyed(2));
    expect(await textsOf(organizationId)).toEqual(['part 1 part 2 ']);
  });
});

test('parts that have too many characters together are refused before they are all there, and what fits is taken', async () => {
  const { take, submit } = await partsAccount(world);
  await take(partOf(1, { total: 3, text: 'x'.repeat(9_990) }));
  expect(await submit(partOf(2, { total: 3, text: 'x'.repeat(11) }))).toMatchObject({ status: 'ESME_RINVMSGLEN' });
  await take(partOf(2, { total: 3, text: 'x'.repeat(9) }));
  const last = await take(partOf(3, { total: 3, text: 'x' }));
  expect(await assemblyOf(last)).toMatchObject({ state: 'sent', characters: 10_000 });
});

describe('255 parts', () => {
  /** 10,000 characters in 255 parts. */
  const texts = Array.from({ length: 255 }, (_, at) => String.fromCharCode(97 + (at % 26)).repeat(at < 55 ? 40 : 39));

  test('are one message of 10,000 characters', { timeout: 180_000 }, async () => {
    const { organizationId, take } = await partsAccount(world);
    const ids = new Set<string>();
    for (const [at, text] of texts.entries()) ids.add(await take(partOf(at + 1, { total: 255, text, coding: GSM })));
    expect(ids.size).toBe(255);
    expect(await textsOf(organizationId)).toEqual([texts.join('')]);
    const { messages } = await checkMoney(world.table, organizationId);
    expect(messages[0]).toMatchObject({ status: 'sent', units: 66 });
    expect(messages[0]?.smpp?.receipts).toHaveLength(255);
  });

  test('with one character more are refused at the part that has it, and no more is kept of it', {
    timeout: 180_000,
  }, async () => {
    const { organizationId, take, submit } = await partsAccount(world);
    for (const [at, text] of texts.slice(0, -1).entries())
      await take(partOf(at + 1, { total: 255, text, coding: GSM }));
    const last = (text: string) => submit(partOf(255, { total: 255, text, coding: GSM }));
    expect(await last('x'.repeat(40))).toMatchObject({ status: 'ESME_RINVMSGLEN' });
    expect(await last('x'.repeat(10_001))).toMatchObject({ status: 'ESME_RINVMSGLEN' });
    expect(await textsOf(organizationId)).toEqual([]);
    const fits = await take(partOf(255, { total: 255, text: 'x'.repeat(39), coding: GSM }));
    expect(await assemblyOf(fits)).toMatchObject({ state: 'sent', characters: 10_000 });
    // Once it has left, the message alone says what was said.
    expect((await assemblyOf(fits))?.parts.filter(({ content }) => content)).toEqual([]);
    expect(await duePartsOf(world)).toEqual([]);
  });
});
