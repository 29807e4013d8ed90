import { afterEach, describe, expect, test, vi } from 'vitest';
import { type AutomatedRequest, sendAutomated } from '../../shared/domain/api/automated-send.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { addContacts } from '../journeys/stage.ts';
import { accepted } from '../support/accepted.ts';
import { aContact, ofJourney } from '../support/automated.ts';
import { useBulk } from '../support/bulk-world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const TO = '+5511987654321';
const ABROAD = '+14155552671';
const HOUR_MS = 3_600_000;
const { world, bulk } = await useBulk();
afterEach(world.reset);

const actor = await world.organization(1_000_000, true);
const { organizationId } = actor;
const ports = sendQueuedPortsOf(world);

const contact = () => aContact(world.table, actor);
const optOut = (contactId: Id<'contact'>) =>
  world.table.write({ update: KEYS.contact(contactId), set: { optInStatus: 'denied' } });

/** Accepts an SMS that leaves after an hour. */
const scheduled = async (fields: Partial<AutomatedRequest> = {}, after = HOUR_MS): Promise<Id<'message'>> => {
  const scheduledAt = new Date(world.now + after).toISOString();
  const body = { channel: 'sms' as const, to: TO, text: 'Oi', scheduledAt, ...fields };
  const { message } = accepted(await sendAutomated(submitPortsOf(world), actor, ofJourney(), body));
  return message.id;
};
/** The state of a message at the moment at which it was due. */
const left = async (id: Id<'message'>, over: Partial<typeof ports> = {}, after = HOUR_MS) => {
  world.now += after;
  await sendQueued({ ...ports, ...over }, id);
  return world.ports.messageStore.read(id);
};
const called = () => world.provider.dispatched.length;

describe('a message that waited', () => {
  test('does not leave once its contact opted out: it fails with the reason, its event and its money back', async () => {
    const contactId = await contact();
    const id = await scheduled({ contactId });
    await optOut(contactId);
    const message = await left(id);
    expect(message).toMatchObject({ status: 'failed', reason: 'opt_out', hold: 'released' });
    expect(message?.decisions.map(({ detail }) => detail)).toContainEqual(expect.stringContaining('opted out'));
    expect(called()).toBe(0);
    await bulk.money(actor);
    const failed = (await world.raised()).filter(({ type }) => type === 'sms.failed');
    expect(failed).toMatchObject([{ data: { id, reason: 'opt_out', contactId } }]);
  });

  test('does not leave once its recipient opted out by itself', async () => {
    const id = await scheduled();
    const hash = await world.ports.recipientHashOf(organizationId, 'phone', TO);
    await world.table.write({ put: { ...KEYS.phone(organizationId, hash), optInStatus: 'denied' } });
    expect(await left(id)).toMatchObject({ status: 'failed', reason: 'opt_out' });
    await world.table.write({ delete: KEYS.phone(organizationId, hash) });
  });

  test('is sent after an opt-out if it is transactional', async () => {
    const contactId = await contact();
    const id = await scheduled({ contactId, route: 'otp' });
    await optOut(contactId);
    expect(await left(id)).toMatchObject({ status: 'sent' });
  });

  test('does not leave once its contact was erased, transactional or not', async () => {
    for (const route of ['premium', 'otp']) {
      const contactId = await contact();
      const id = await scheduled({ contactId, route });
      await world.table.write({ delete: KEYS.contact(contactId) });
      expect(await left(id)).toMatchObject({ status: 'failed', reason: 'unknown_contact', hold: 'released' });
    }
  });

  test('goes by the consent of the contact that its own was merged into', async () => {
    const [heir, denied] = (await addContacts(world.table, actor, 2)).map(({ id }) => id) as [
      Id<'contact'>,
      Id<'contact'>,
    ];
    await optOut(denied);
    const outcomes = [];
    for (const into of [heir, denied]) {
      const contactId = await contact();
      const id = await scheduled({ contactId });
      const merge = { ...KEYS.merge(contactId), contactId, number: 1, org: organizationId, env: 'live', into };
      await world.table.write({ put: { ...merge, at: new Date(world.now).toISOString() } });
      await world.table.write({ delete: KEYS.contact(contactId) });
      outcomes.push((await left(id))?.status);
    }
    expect(outcomes).toEqual(['sent', 'failed']);
  });

  test('does not leave to a destination that was closed or is held since', async () => {
    const closed = { destinations: async () => ({ sms: { mode: 'only' as const, countries: ['BR'] } }) };
    expect(await left(await scheduled({ to: ABROAD }), closed)).toMatchObject({
      status: 'failed',
      reason: 'destination_closed',
      hold: 'released',
    });
    const held = { heldUntil: async () => world.now + HOUR_MS };
    expect(await left(await scheduled({ to: ABROAD }), held)).toMatchObject({
      status: 'failed',
      reason: 'destination_held',
    });
    expect(await left(await scheduled({ to: ABROAD }))).toMatchObject({ status: 'sent' });
  });

  test('was in a batch of a campaign or a journey, and is judged as any other', async () => {
    const contactId = await contact();
    accepted(await bulk.send(actor, [{ contactId, automated: ofJourney() }]));
    await optOut(contactId);
    world.now += 11_000;
    await bulk.dispatch();
    expect(called()).toBe(0);
    const messages = (await bulk.messages(actor)).filter((message) => message.contactId === contactId);
    expect(messages).toMatchObject([{ status: 'failed', reason: 'opt_out' }]);
    await bulk.settle();
    await bulk.money(actor);
  });
});

test('a message that is sent immediately is not checked again', async () => {
  const contactId = await contact();
  const id = await scheduled({ contactId }, 0);
  const consentNow = vi.fn(ports.consentNow);
  const destinations = vi.fn(ports.destinations);
  expect(await left(id, { consentNow, destinations }, 9_000)).toMatchObject({ status: 'sent' });
  expect([consentNow.mock.calls.length, destinations.mock.calls.length]).toEqual([0, 0]);
});
