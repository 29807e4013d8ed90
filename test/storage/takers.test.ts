import { describe, expect, test } from 'vitest';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import { optOutContact } from '../../shared/domain/contacts/consent.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { type DomainEvent, newEvent } from '../../shared/domain/events/event.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { subscriptionRows } from '../../shared/storage/webhooks/subscriptions.ts';
import { takenEvents } from '../../shared/storage/webhooks/takers.ts';
import { gatheringPorts } from '../faults/together-kit.ts';
import { anEvent, inboundOver } from '../inbound/support.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { pausedSubscription } from '../support/takers.ts';
import { use } from '../support/use.ts';
import { makeWebhook } from '../support/webhook-rows.ts';
import { startWorld } from '../support/world.ts';
import { submitPortsOf } from '../support/world-queued.ts';

const world = await use(startWorld('test'));
const newcomer = async () => (await world.organization(1_000_000, false)).organizationId;
const eventOf = (organizationId: Id<'organization'>, type: DomainEvent['type'], createdAt: number) =>
  newEvent({ type, organizationId, env: 'test', createdAt, data: {} });
const subscribe = async (organizationId: Id<'organization'>, createdAt: number) => {
  const subscription = pausedSubscription(organizationId, { env: 'test', events: ['sms.delivered'], createdAt });
  await world.table.write({ put: subscriptionRows.write(subscription) });
  return subscription;
};

describe('the events of a change', () => {
  test('are those that a subscription takes: of its types, since it was made, until it is revoked', async () => {
    const organizationId = await newcomer();
    const at = world.now;
    const subscription = await subscribe(organizationId, at);
    const [before, after, other] = [
      eventOf(organizationId, 'sms.delivered', at - 1),
      eventOf(organizationId, 'sms.delivered', at),
      eventOf(organizationId, 'sms.failed', at),
    ];
    const fresh = () => world.table.named(world.table.name);
    expect(await takenEvents(fresh(), organizationId, [before, after, other])).toEqual([after]);
    await world.table.write({ update: KEYS.webhook(organizationId, subscription.id), set: { status: 'revoked' } });
    expect(await takenEvents(fresh(), organizationId, [after])).toEqual([]);
    expect(await takenEvents(fresh(), await newcomer(), [after])).toEqual([]);
  });

  test('without a subscriber is checked each time: a new subscription gets the next event', async () => {
    const organizationId = await newcomer();
    const next = () => eventOf(organizationId, 'sms.delivered', world.now);
    expect(await takenEvents(world.table, organizationId, [next()])).toEqual([]);
    await subscribe(organizationId, world.now);
    const event = next();
    expect(await takenEvents(world.table, organizationId, [event])).toEqual([event]);
  });

  test('that somebody took are taken for granted for ten seconds, without a call', async () => {
    const organizationId = await newcomer();
    await subscribe(organizationId, world.now);
    const at = (ms: number) =>
      takenEvents(world.table, organizationId, [eventOf(organizationId, 'sms.delivered', world.now + ms)]);
    expect(await world.proxy.callsOf(() => at(0))).toEqual({ Query: 1 });
    expect(await world.proxy.callsOf(() => at(9_999))).toEqual({});
    expect(await world.proxy.callsOf(() => at(10_000))).toEqual({ Query: 1 });
  });
});

describe('an outcome', () => {
  const reported = async (takesEvents: boolean) => {
    const actor = await world.organization(1_000_000, takesEvents);
    const { id } = accepted(await world.sms(actor, 'one', { to: '+5511999990005' }));
    const { applySandboxReport } = await import('../../shared/domain/sending/apply-receipt.ts');
    world.workItems.length = 0;
    const calls = await world.proxy.callsOf(() => applySandboxReport(world.ports, id));
    return { calls, raised: (await world.raised()).map(({ type }) => type) };
  };

  test('whose event has no subscriber is one write of the message, and leaves nothing to publish', async () => {
    expect(await reported(false)).toEqual({ calls: { GetItem: 1, Query: 1, UpdateItem: 1 }, raised: [] });
  });

  test('whose event is taken is one transaction with it', async () => {
    expect(await reported(true)).toEqual({
      calls: { GetItem: 1, Query: 1, TransactWriteItems: 1 },
      raised: ['sms.delivered'],
    });
  });

  test('of an organization with a webhook for other events raises nothing', async () => {
    const actor = await world.organization(1_000_000, false);
    await makeWebhook(world.table, actor.organizationId);
    const { id } = accepted(await world.sms(actor, 'other', { to: '+5511999990005' }));
    const { applySandboxReport } = await import('../../shared/domain/sending/apply-receipt.ts');
    world.workItems.length = 0;
    await applySandboxReport(world.ports, id);
    expect(await world.raised()).toEqual([]);
  });
});

describe('the acceptance of a queued message', () => {
  const accept = async (takesEvents: boolean, ports = submitPortsOf(world)) => {
    const actor = await world.organization(1_000_000, takesEvents);
    world.workItems.length = 0;
    const texts = ['one', 'other'];
    const body = (text: string) => ({ channel: 'sms', to: '+5511999990005', text }) as const;
    await Promise.all(texts.map(async (text) => accepted(await sendV1(ports, actor, text, body(text)))));
    return (await world.raised()).map(({ type }) => type);
  };

  test('stores its event only where a webhook takes it', async () => {
    expect(await accept(false)).toEqual([]);
    expect(await accept(true)).toEqual(['message.queued', 'message.queued']);
  });

  test('does so also in a process that accepts many at once', async () => {
    const ports = { ...submitPortsOf(world), messageStore: gatheringPorts(world).messageStore };
    expect(await accept(false, ports)).toEqual([]);
    expect(await accept(true, ports)).toEqual(['message.queued', 'message.queued']);
  });
});

describe('an event without a subscriber', () => {
  const vault = createVault(Buffer.alloc(32, 2));
  const raised: Id<'event'>[] = [];
  const note = (events: readonly DomainEvent[]) => void raised.push(...events.map(({ id }) => id));
  const contacts = contactPortsOf(world, vault, note);
  const inbound = inboundOver(
    world.table,
    () => world.now,
    async (id, kind, value) => vault.blindIndex(id, kind, value),
  );
  /** The types of the events that a new organization's contact, its opt-out and a message raise, all of which are stored. */
  const typesOf = async (takesEvents: boolean) => {
    const actor = await world.organization(1_000_000, takesEvents);
    raised.length = 0;
    const { id } = accepted(await createContact(contacts, actor, { phone: '+5511987651234' }));
    accepted(await optOutContact(contacts, actor, id, {}));
    await receiveInbound(inbound, actor, anEvent());
    return (await world.events([...raised, ...inbound.raised.splice(0)])).map(({ type }) => type).sort();
  };

  test('is no row of a contact, its consent or an inbound message either', async () => {
    expect(await typesOf(false)).toEqual([]);
    expect([...raised, ...inbound.raised]).toEqual([]);
    expect(await typesOf(true)).toEqual(['contact.created', 'contact.opted_out', 'message.received']);
  });
});
