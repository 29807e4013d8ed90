import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { lastTouch, TOUCH_CHANNELS, type TouchChannel } from '../../shared/domain/customer-events/attribution.ts';
import { customerEventView } from '../../shared/domain/customer-events/customer-event.ts';
import { type CustomerEventPorts, type EventReport, recordEvent } from '../../shared/domain/customer-events/record.ts';
import { MESSAGE_STATUSES, type MessageRecord } from '../../shared/domain/message/message.ts';
import {
  type CustomerEventFilter,
  customerEventStore,
  listCustomerEvents,
} from '../../shared/storage/customer-events/customer-events.ts';
import { journeyOf, touchesOf } from '../../shared/storage/customer-events/touches.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { accepted } from '../support/accepted.ts';
import { aStep } from '../support/automated.ts';
import { pagesOf } from '../support/pages.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = 20_261_123;
const HOUR_MS = 3_600_000;
const vault = createVault(Buffer.alloc(32, 7));
const world = await use(startWorld('live'));

/** The ports of events whose customers are contacts of any id. */
const portsOf = (fields: Partial<CustomerEventPorts> = {}): CustomerEventPorts => ({
  clock: () => world.now,
  ...customerEventStore(world.table, (items) => void world.workItems.push(...items)),
  touches: (organizationId, contactId, window) => touchesOf(world.table, organizationId, contactId, window),
  journeyOf: (messageId) => journeyOf(world.table, messageId),
  contactOfExternalId: async () => undefined,
  contactAt: async () => undefined,
  readContact: async (organizationId, id) =>
    ({ id, organizationId }) as Awaited<ReturnType<CustomerEventPorts['readContact']>>,
  admitLookup: async () => undefined,
  ...fields,
});
const report = (fields: Partial<EventReport> = {}): EventReport => ({
  name: 'compra',
  eventId: newId('request'),
  contact: { externalId: 'nobody' },
  ...fields,
});
const record = async (actor: Actor, fields: Partial<EventReport>, ports = portsOf()) =>
  accepted(await recordEvent(ports, actor, report(fields)));

const iso = (ms: number) => new Date(ms).toISOString();

describe('an event of one eventId', () => {
  test('of 200 concurrent reports is stored once, and the others return it, whatever their content', async () => {
    const actor = await world.organization();
    const reports = Array.from({ length: 200 }, (_, at) =>
      record(actor, { eventId: 'pedido-1', name: `compra ${at}`, value: at }),
    );
    const answers = await Promise.all(reports);
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    const [winner] = answers.filter(({ duplicate }) => !duplicate);
    for (const { event } of answers) expect(event).toEqual(winner?.event);
    const { items } = await listed(actor, { from: 0, to: world.now });
    expect(items).toHaveLength(1);
  });

  test('cannot be a duplicate of itself when the answer of its own commit is lost', async () => {
    const actor = await world.organization();
    let lost = 0;
    world.proxy.plan(({ action }) => (action === 'PutItem' && lost++ === 0 ? { kind: 'lose_answer' } : undefined));
    const { duplicate } = await record(actor, { eventId: 'pedido-3' });
    world.proxy.plan(undefined);
    expect([lost > 1, duplicate]).toEqual([true, false]);
    expect((await record(actor, { eventId: 'pedido-3' })).duplicate).toBe(true);
  });

  test('is another event for another organization and another environment', async () => {
    const [one, other] = [await world.organization(), await world.organization()];
    const both = [one, other, { ...one, env: 'test' as const }];
    const events = await Promise.all(both.map((actor) => record(actor, { eventId: 'pedido-1' })));
    expect(events.map(({ duplicate }) => duplicate)).toEqual([false, false, false]);
    expect(new Set(events.map(({ event }) => event.id)).size).toBe(3);
  });

  test('keeps its attribution when a message settles later that was sent before it', async () => {
    const actor = await world.organization();
    const contactId = newId('contact');
    const eventId = 'pedido-2';
    const first = await record(actor, { eventId, contact: { contactId } });
    expect(first.event.attribution).toBeNull();
    await storeMessages(actor, [{ contactId, createdAt: world.now - HOUR_MS, sentAt: world.now - HOUR_MS }]);
    expect((await record(actor, { eventId, contact: { contactId } })).event).toEqual(first.event);
    expect((await record(actor, { contact: { contactId } })).event.attribution).not.toBeNull();
  });
});

type Fields = Partial<
  Pick<
    MessageRecord,
    'journey' | 'channel' | 'status' | 'contactId' | 'sentAt' | 'archivedAt' | 'createdAt' | 'campaignId'
  >
>;
const CONTENTS: Readonly<Record<string, unknown>> = {
  rcs: { text: 'Oi' },
  email: { from: 'ola@loja.example', subject: 'Oi', bodyBytes: 2 },
  whatsapp: { payload: { text: 'Oi' } },
};
const used = CHANNELS.filter((channel) => channel === 'sms' || channel in CONTENTS);
let base: MessageRecord | undefined;

/** Stores messages as they are some time after they were made. */
const storeMessages = async (actor: Actor, fields: readonly Fields[]): Promise<MessageRecord[]> => {
  base ??= (await world.ports.messageStore.read(
    accepted(await world.sms(await world.organization())).id,
  )) as MessageRecord;
  const messages = fields.map(
    (each) =>
      ({
        ...base,
        id: newId('message'),
        organizationId: actor.organizationId,
        status: 'sent',
        content: CONTENTS[each.channel ?? 'sms'] ?? base?.content,
        ...each,
      }) as MessageRecord,
  );
  for (let at = 0; at < messages.length; at += 100)
    await world.table.transact(messages.slice(at, at + 100).map((message) => ({ put: messageRows.write(message) })));
  return messages;
};

/** An independent definition of attribution: the last of all messages by when they were sent. */
const naive = (messages: readonly MessageRecord[], contactId: string, occurredAt: number, hours: number) =>
  messages
    .filter(
      (message) =>
        message.contactId === contactId &&
        (TOUCH_CHANNELS as readonly string[]).includes(message.channel) &&
        ['sent', 'delivered', 'read', 'complained'].includes(message.status) &&
        message.archivedAt === undefined &&
        message.sentAt !== undefined &&
        message.sentAt <= occurredAt &&
        message.sentAt >= occurredAt - hours * HOUR_MS,
    )
    .sort((a, b) => (b.sentAt ?? 0) - (a.sentAt ?? 0) || (a.id < b.id ? 1 : -1))[0]?.id;

describe('the attribution of an event', () => {
  test('is the last message that was sent to its contact before it and did not fail, for any histories, ties and late reports', async () => {
    const start = world.now - 40 * 24 * HOUR_MS;
    const hour = fc.integer({ min: 0, max: 40 * 24 });
    const message = fc.record({
      channel: fc.constantFrom(...used),
      status: fc.constantFrom(...MESSAGE_STATUSES),
      contact: fc.constantFrom(0, 1),
      made: hour,
      // Scheduled ones leave long after they were made; many at the same moment as others.
      waits: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 400 })),
      archived: fc.boolean(),
      sent: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    });
    const event = fc.record({ at: hour, hours: fc.constantFrom(1, 24, 168, 720), contact: fc.constantFrom(0, 1) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 40 }),
        fc.array(event, { minLength: 1, maxLength: 8 }),
        async (made, events) => {
          const actor = await world.organization();
          const contacts = [newId('contact'), newId('contact')] as const;
          const messages = await storeMessages(
            actor,
            made.map(({ channel, status, contact, made: at, waits, archived, sent }) => ({
              channel,
              status,
              contactId: contacts[contact as 0 | 1],
              createdAt: start + at * HOUR_MS,
              sentAt: sent ? start + (at + waits) * HOUR_MS : undefined,
              archivedAt: archived && waits % 3 === 0 ? start : undefined,
            })),
          );
          for (const { at, hours, contact } of events) {
            const contactId = contacts[contact as 0 | 1];
            const occurredAt = start + at * HOUR_MS;
            const fields = { contact: { contactId }, occurredAt: iso(occurredAt), attributionWindowHours: hours };
            const { attribution } = (await record(actor, fields)).event;
            expect(attribution?.messageId).toBe(naive(messages, contactId, occurredAt, hours));
          }
        },
      ),
      { seed: SEED, numRuns: 40 },
    );
  });

  test.each([
    ['at the moment of the event', 0, true],
    ['after it', 1, false],
    ['at the beginning of the window', -HOUR_MS, true],
    ['before the window', -HOUR_MS - 1, false],
  ])('counts a message that was sent %s: %i ms, %s', async (_when, byMs, counts) => {
    const actor = await world.organization();
    const contactId = newId('contact');
    const at = world.now - 10 * HOUR_MS;
    await storeMessages(actor, [{ contactId, createdAt: at - 2 * HOUR_MS, sentAt: at + byMs }]);
    const fields = { contact: { contactId }, occurredAt: iso(at), attributionWindowHours: 1 };
    expect((await record(actor, fields)).event.attribution !== null).toBe(counts);
  });

  test('is of the contact that the message named, of the same organization', async () => {
    const [actor, other] = [await world.organization(), await world.organization()];
    const contactId = newId('contact');
    const at = world.now - HOUR_MS;
    await storeMessages(other, [{ contactId, createdAt: at, sentAt: at }]);
    await storeMessages(actor, [{ contactId: newId('contact'), createdAt: at, sentAt: at }]);
    expect((await record(actor, { contact: { contactId } })).event.attribution).toBeNull();
  });

  test('has the step and the run of the journey that sent the message, and none for another message', async () => {
    const actor = await world.organization();
    const [one, other] = [newId('contact'), newId('contact')];
    const at = world.now - HOUR_MS;
    const journey = aStep({ awaited: true });
    await storeMessages(actor, [{ contactId: one, createdAt: at, sentAt: at, journey, campaignId: 'natal' }]);
    await storeMessages(actor, [{ contactId: other, createdAt: at, sentAt: at }]);
    const recorded = await record(actor, { contact: { contactId: one } });
    const { journeyId, stepId: journeyStepId, runId: journeyRunId } = journey;
    expect(customerEventView(recorded.event, false).attribution).toMatchObject({
      campaignId: 'natal',
      journeyId,
      journeyStepId,
      journeyRunId,
    });
    const { items } = await listed(actor, { from: 0, to: world.now, contactId: one });
    expect(items).toEqual([recorded.event]);
    const { attribution } = customerEventView((await record(actor, { contact: { contactId: other } })).event, false);
    expect(Object.keys(attribution ?? {}).filter((name) => name.startsWith('journey'))).toEqual([]);
  });

  test('is the last of more messages than one read covers', async () => {
    const actor = await world.organization();
    const contactId = newId('contact');
    const start = world.now - 10 * HOUR_MS;
    const times = Array.from({ length: 520 }, (_, at) => start + at);
    const messages = await storeMessages(
      actor,
      times.map((at) => ({ contactId, createdAt: at, sentAt: at })),
    );
    const { attribution } = (await record(actor, { contact: { contactId } })).event;
    expect(attribution?.messageId).toBe(messages.at(-1)?.id);
  });

  test('costs one bounded query a channel, however many messages the contact has', async () => {
    const ranges: (number | undefined)[] = [];
    const counting = {
      query: async (range: { limit?: number }) => {
        ranges.push(range.limit);
        return { rows: [] };
      },
    };
    await touchesOf(counting as never, newId('organization'), newId('contact'), { from: 0, to: world.now });
    expect(ranges).toEqual(TOUCH_CHANNELS.map(() => 500));
  });

  test('of messages at the same moment is the one with the greatest id, in whatever order they are read', () => {
    const touch = (id: string, sentAt: number) => ({
      messageId: id as Id<'message'>,
      channel: 'sms' as TouchChannel,
      sentAt,
    });
    const touches = [touch('msg_b', 5), touch('msg_c', 4), touch('msg_a', 5)];
    expect(lastTouch(touches)?.messageId).toBe('msg_b');
    expect(lastTouch(touches.toReversed())?.messageId).toBe('msg_b');
    expect(lastTouch([])).toBeNull();
  });
});

const listed = async (actor: Actor, filter: CustomerEventFilter, limit = 200, cursor?: string) =>
  accepted(
    await listCustomerEvents(world.table, filter, {
      vault,
      scope: { organizationId: actor.organizationId, env: actor.env, query: { ...filter } },
      cursor,
      limit,
    }),
  );

describe('the list of events', () => {
  test('has page after page exactly those of its filter, latest first, while events are recorded', async () => {
    const actor = await world.organization();
    const contacts = [newId('contact'), newId('contact')] as const;
    const start = world.now - 100 * HOUR_MS;
    const events = await Promise.all(
      Array.from({ length: 120 }, async (_, at) => {
        const contactId = contacts[(at % 2) as 0 | 1];
        const fields = {
          name: at % 3 ? 'compra' : 'visita',
          contact: { contactId },
          occurredAt: iso(start + (at % 50) * HOUR_MS),
        };
        return (await record(actor, fields)).event;
      }),
    );
    for (const filter of [
      {},
      { name: 'visita' },
      { contactId: contacts[0] },
      { contactId: contacts[1], name: 'compra' },
    ]) {
      const window = { from: start + 5 * HOUR_MS, to: start + 40 * HOUR_MS };
      const expected = events
        .filter(
          (event) =>
            event.occurredAt >= window.from &&
            event.occurredAt <= window.to &&
            (filter.name === undefined || event.name === filter.name) &&
            (filter.contactId === undefined || event.contactId === filter.contactId),
        )
        .sort((a, b) => b.occurredAt - a.occurredAt || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id);
      const pages = await pagesOf(async (cursor) => {
        const page = await listed(actor, { ...window, ...filter }, 7, cursor);
        await record(actor, { name: 'visita', contact: { contactId: contacts[0] } });
        return page;
      });
      expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(expected);
    }
  });
});
