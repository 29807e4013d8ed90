import { describe, expect, test } from 'vitest';
import { sendAutomated } from '../../shared/domain/api/automated-send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { type CustomerEventPorts, recordEvent } from '../../shared/domain/customer-events/record.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { handleReply } from '../../shared/domain/inbound/sms-reply.ts';
import type { Journey } from '../../shared/domain/journeys/journey.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import type { Publishable } from '../../shared/queues/queues.ts';
import { journeyUseWrite } from '../../shared/storage/automation/journey-use.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { customerEventStore } from '../../shared/storage/customer-events/customer-events.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { triggerWrites } from '../../shared/storage/journeys/journey-rows.ts';
import { journeySignals } from '../../shared/storage/journeys/journey-signals.ts';
import { keepInbound } from '../../shared/storage/messages/inbound.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { inboundStage } from '../inbound/stage.ts';
import { anEvent, PHONE } from '../inbound/support.ts';
import { accepted } from '../support/accepted.ts';
import { aStep, ofJourney } from '../support/automated.ts';
import { patient } from '../support/patient-client.ts';
import { use } from '../support/use.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const stage = await use(inboundStage());
const { world } = stage;
const { table } = world;
const signals = journeySignals(table);

const published: Publishable[] = [];
const raised = (items: readonly Publishable[]) => void published.push(...items);
/** The pending signals for an organization's journeys, as the dispatcher finds them. */
const due = async ({ organizationId }: Actor) => {
  const items = await overdue(table, 'journey_signal', world.now, 1_000);
  const found = await Promise.all(items.map(async (item) => ({ item, signal: await signals.read(item) })));
  return found.flatMap(({ item, signal }) => {
    const owner = signal && ownerOf(signal);
    return owner === organizationId && signal ? [{ item, signal }] : [];
  });
};
const ownerOf = (signal: NonNullable<Awaited<ReturnType<typeof signals.read>>>) => {
  if (signal.kind === 'message') return signal.signal.organizationId;
  if (signal.kind === 'tags') return signal.tagged.organizationId;
  return signal.kind === 'event' ? signal.event.organizationId : signal.message.organizationId;
};
const activate = ({ organizationId }: Actor) => table.transact([journeyUseWrite(organizationId, world.now)]);

const eventPorts = (of: Table = table): CustomerEventPorts => ({
  clock: () => world.now,
  ...customerEventStore(of, raised),
  touches: async () => [],
  journeyOf: async () => undefined,
  contactOfExternalId: async () => undefined,
  contactAt: async () => undefined,
  readContact: async (organizationId, id) =>
    ({ id, organizationId }) as Awaited<ReturnType<CustomerEventPorts['readContact']>>,
  admitLookup: async () => undefined,
});
const record = async (
  contactId: Id<'contact'> | undefined,
  ports = eventPorts(),
  eventId: string = newId('request'),
) => {
  const contact = contactId ? { contactId } : { externalId: 'ninguem' };
  return accepted(await recordEvent(ports, stage.actor, { name: 'compra', eventId, contact, value: 10 })).event;
};
const inbound = {
  ...stage.inbound,
  store: (change: Parameters<typeof keepInbound>[1]) => keepInbound(table, change, raised),
};

describe('of an organization that has activated a journey', () => {
  test('a customer event is due for journeys on its own row, from the write that stores it until that is done', async () => {
    await activate(stage.actor);
    const event = await record(newId('contact'));
    expect(await record(event.contactId, eventPorts(), event.eventId)).toEqual(event);
    const [found, ...others] = await due(stage.actor);
    expect(others).toEqual([]);
    expect(found?.signal).toEqual({ kind: 'event', event });
    expect(published.filter(({ pk }) => pk === found?.item.pk)).toMatchObject([
      { kind: 'journey_signal', owner: stage.actor.organizationId },
    ]);
    if (!found) throw new Error('nothing is due');
    await signals.done(found.item);
    await signals.done(found.item);
    expect(await due(stage.actor)).toEqual([]);
    expect(await signals.read(found.item)).toBeUndefined();
    expect(await customerEventStore(table, raised).read(event.id)).toEqual(event);
  });

  test('an inbound message of a contact is due on its own row; a message or event without a contact is not', async () => {
    await activate(stage.actor);
    await record(undefined);
    await receiveInbound(inbound, stage.actor, anEvent({ at: stage.at(-2) }));
    expect(await due(stage.actor)).toEqual([]);
    const { id: contactId } = await stage.create();
    const event = anEvent({ at: stage.at(-1) });
    for (const outcome of ['kept', 'repeated']) expect(await receiveInbound(inbound, stage.actor, event)).toBe(outcome);
    const [found, ...others] = await due(stage.actor);
    expect(others).toEqual([]);
    expect(found?.signal).toMatchObject({ kind: 'inbound', message: { id: stage.idOf(event), contactId } });
    if (!found) throw new Error('nothing is due');
    await signals.done(found.item);
    expect(await due(stage.actor)).toEqual([]);
    expect((await stage.read(event)).contactId).toBe(contactId);
  });

  test('another process sees the first activation immediately', async () => {
    const client = patient(tableClient(world.proxy.endpoint));
    await use({ close: async () => client.destroy() });
    const other = eventPorts(new Table(client, table.name));
    await record(newId('contact'), other);
    expect(await due(stage.actor)).toEqual([]);
    await activate(stage.actor);
    await record(newId('contact'), other);
    expect(await due(stage.actor)).toHaveLength(1);
  });
});

test('the transaction that activates a journey notes that, whatever lets contacts in; no other change does', () => {
  const { organizationId, env } = stage.actor;
  const draft = {
    id: newId('journey'),
    organizationId,
    env,
    status: 'rascunho',
    gatilho: { tipo: 'manual' },
    activatedAt: world.now,
  } as unknown as Journey;
  const active = { ...draft, status: 'ativa' } as Journey;
  const paused = { ...draft, status: 'pausada' } as Journey;
  const notes = (before: Journey | undefined, after: Journey | undefined) =>
    triggerWrites(before, after).filter((write) => 'update' in write && write.update.pk.includes(organizationId))
      .length;
  expect([notes(draft, active), notes(paused, active)]).toEqual([1, 1]);
  expect([notes(undefined, draft), notes(active, active), notes(active, paused), notes(draft, undefined)]).toEqual([
    0, 0, 0, 0,
  ]);
});

test('an organization that never activated a journey has nothing due, and pays one read for it', async () => {
  await stage.create();
  const calls: string[] = [];
  const counting = ({ action, body }: { action: string; body: string }) =>
    void (body.includes('JUSE#') && calls.push(action));
  world.proxy.plan(counting);
  await record(newId('contact'));
  await receiveInbound(inbound, stage.actor, anEvent({ at: stage.at(-1) }));
  world.proxy.plan(undefined);
  expect(calls).toEqual(['GetItem', 'GetItem']);
  expect(await due(stage.actor)).toEqual([]);
});

describe('a run that waits for an answer', () => {
  const sent = async (channel: 'sms' | 'whatsapp') => {
    const step = aStep({ awaited: true });
    const request = { channel, to: PHONE, text: 'Oi' } as const;
    const { message } = accepted(await sendAutomated(submitPortsOf(world), stage.actor, ofJourney(step), request));
    await sendQueued(sendQueuedPortsOf(world), message.id);
    const now = await world.ports.messageStore.read(message.id);
    if (!now) throw new Error('the message is gone');
    return { step, message: now };
  };
  const reported = async () =>
    (await due(stage.actor)).map(({ signal }) => (signal.kind === 'message' ? signal.signal : signal));

  test('receives a reply that quotes no message, as one to the latest, once', async () => {
    const { step, message } = await sent('whatsapp');
    const event = anEvent({ at: stage.at(-1) });
    for (const _ of [1, 2]) await receiveInbound(inbound, stage.actor, event, message);
    expect(await reported()).toMatchObject([{ runId: step.runId, messageId: message.id, happening: 'respondida' }]);
    expect((await stage.read(event)).inReplyTo).toBeUndefined();
  });

  test('does not receive a reply to another message', async () => {
    const { message } = await sent('whatsapp');
    const other = (await sent('whatsapp')).message;
    const unlabelled = { ...other, journey: undefined };
    const event = anEvent({ at: stage.at(-1) });
    const ports = { ...inbound, repliedTo: async () => unlabelled };
    await receiveInbound(ports, stage.actor, event, message);
    expect(await reported()).toEqual([]);
  });

  test('receives a reply by SMS, once, although it is received twice', async () => {
    const { step, message } = await sent('sms');
    const ports = {
      ...inbound,
      prices: stage.sends.prices,
      store: async (...[reply, event, change]: Parameters<Parameters<typeof handleReply>[0]['store']>) => {
        const outcome = await keepReply(table, reply, event, change);
        if (outcome.kind === 'kept') raised(outcome.work);
        return outcome.kind;
      },
    };
    const reply = {
      kind: 'reply',
      providerReplyId: 'r1',
      from: PHONE,
      to: '28908',
      body: 'Sim',
      at: world.now,
    } as const;
    for (const _ of [1, 2]) await handleReply(ports, 'twilio', message, reply);
    expect(await reported()).toMatchObject([{ runId: step.runId, happening: 'respondida' }]);
    const items = published.filter(({ kind, pk }) => kind === 'journey_signal' && pk.includes(step.runId));
    expect(items.map((item) => PARSE_KEY.runSignal(item).messageId)).toEqual([message.id]);
  });
});
