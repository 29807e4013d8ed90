import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { unifiedStatus } from '../../shared/domain/tracking/views.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { listAllMessages, type UnifiedFilter } from '../../shared/storage/messages/message-merge.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import type { ListReading } from '../../shared/storage/messages/totals/filtered-total.ts';
import { accepted } from '../support/accepted.ts';
import type { startWorld } from '../support/world.ts';

type World = Awaited<ReturnType<typeof startWorld>>;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const PAGE = { skip: 0, limit: 1 };
const BATCH = newId('batch');

/** An organization whose lists are never small, with a message to copy; its answers count at most `maxEntries` entries. */
export const filteredLists = async (world: World, maxEntries?: number) => {
  const actor = await world.organization();
  const { id } = accepted(await world.sms(actor));
  const base = (await world.ports.messageStore.read(id)) as MessageRecord;
  await world.table.write({ update: KEYS.wallet(actor.organizationId), set: { sms: 1_000_000, ledgers: 2 } });
  const reading: ListReading = { ...world.reading, smallList: 0, ...(maxEntries === undefined ? {} : { maxEntries }) };
  let made = 0;
  /** Writes a message as if it had been sent at a moment. */
  const add = async (createdAt: number, fields: Partial<MessageRecord> = {}): Promise<MessageRecord> => {
    const own = { id: newId('message'), createdAt, updatedAt: createdAt, sentAt: createdAt };
    const message = { ...base, status: 'sent', ...own, lane: made++ % 3, ...fields } as MessageRecord;
    await world.table.write({ put: messageRows.write(message) });
    return message;
  };
  const total = async (filter: UnifiedFilter, from: ListReading = reading): Promise<number> =>
    (await listAllMessages(from, actor.organizationId, filter, PAGE)).total;
  const page = async (filter: UnifiedFilter, of: { readonly skip: number; readonly limit: number }) =>
    (await listAllMessages(reading, actor.organizationId, filter, of)).items.map(({ id }) => id);
  const read = async (id: MessageRecord['id']) => (await world.ports.messageStore.read(id)) as MessageRecord;
  const advance = async (id: MessageRecord['id'], status: 'delivered' | 'read' | 'failed') => {
    const at = world.now;
    return world.ports.messageStore.advance(await read(id), { status, at, recordedAt: at, decisions: [], events: [] });
  };
  const storedKeys = async () => {
    const partition = KEYS.listCount(`MSGS#sms#${actor.organizationId}`, '', '').pk;
    return (await world.table.queryAll({ partition, consistent: true })).map(({ sk }) => sk);
  };
  return { world, actor, base, reading, add, total, page, read, advance, storedKeys };
};

export type Kit = Awaited<ReturnType<typeof filteredLists>>;

/** So many messages evenly over a span before now, every tenth of them failed. */
export const fill = async (kit: Kit, count: number, span: number): Promise<MessageRecord[]> => {
  const messages: MessageRecord[] = [];
  for (let at = 0; at < count; at++)
    messages.push(
      await kit.add(kit.world.now - Math.floor((span * (at + 0.5)) / count), {
        status: at % 10 === 0 ? 'failed' : 'delivered',
        numberId: `num_${at % 2}`,
        campaignId: at % 4 === 0 ? 'natal' : undefined,
        batchId: at % 5 === 0 ? BATCH : undefined,
      } as Partial<MessageRecord>),
    );
  return messages;
};

export const FILTERS: readonly UnifiedFilter[] = [
  { status: 'failed' },
  { status: 'delivered' },
  { status: 'read' },
  { status: 'archived' },
  { numberId: 'num_1' },
  { campaignId: 'natal' },
  { campaignId: 'natal', status: 'failed' },
  { batchId: BATCH },
];

/** The result of a plain filter over all messages, newest first. */
export const matching = (messages: Iterable<MessageRecord>, filter: UnifiedFilter): MessageRecord['id'][] => {
  const { status, from = 0, to = Number.POSITIVE_INFINITY, ...equal } = filter;
  return [...messages]
    .filter(
      (message) =>
        (status === undefined || unifiedStatus(message) === status) &&
        message.createdAt >= from &&
        message.createdAt <= to &&
        Object.entries(equal).every(([name, value]) => message[name as 'numberId'] === value),
    )
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
};
export const expected = (messages: Iterable<MessageRecord>, filter: UnifiedFilter): number =>
  matching(messages, filter).length;

/** Hours with so many messages that a status is rare among them: of days that are settled, of hours that are, and of neither. */
export const fillHours = async (kit: Kit): Promise<MessageRecord[]> => {
  const hour = Math.floor(kit.world.now / HOUR) * HOUR;
  const messages: MessageRecord[] = [];
  for (const from of [
    hour - 45 * DAY,
    hour - 45 * DAY + HOUR,
    hour - 40 * DAY,
    hour - 3 * DAY,
    hour - 30 * HOUR,
    hour - HOUR,
  ])
    for (let at = 0; at < 80; at++)
      messages.push(
        await kit.add(from + at * 30_000, {
          status: at % 40 === 7 ? 'failed' : 'delivered',
          numberId: `num_${at % 2}`,
          campaignId: at % 4 === 0 ? 'natal' : undefined,
          batchId: at === 50 ? BATCH : undefined,
        } as Partial<MessageRecord>),
      );
  return messages;
};
