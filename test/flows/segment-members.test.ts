import { afterEach, expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { recordInteraction } from '../../shared/storage/contacts/interactions.ts';
import type { Tenant } from '../support/api.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { use } from '../support/use.ts';

const PATIENCE = { timeout: 45_000, interval: 100 };
const DAY = 86_400_000;
const HOUR = 3_600_000;

const messaging = await sharedMessaging();
const receiver = await use(startReceiver());
afterEach(() => {
  receiver.received.length = 0;
});
const { test: table } = messaging.tables;

/** Starts the first evaluation of a segment immediately, and waits for its end: otherwise it is some time after the segment's creation. */
const firstCheck = async (organizationId: Id<'organization'>, segmentId: Id<'segment'>) => {
  const key = KEYS.segmentSweep(organizationId, segmentId);
  const at = Date.now() - 5_000;
  await table.write({ update: key, set: { goesOnAt: at, dueAt: at } });
  await expect.poll(async () => (await table.get(key))?.goesOnAt, PATIENCE).toBeUndefined();
};
/** Lets a day pass for a contact that is the only one of its block: its last interaction and the block's due time lie so much further back. */
const passDay = async (organizationId: Id<'organization'>, contactId: Id<'contact'>) => {
  const lastInteractionAt = new Date(Date.now() - DAY - HOUR).toISOString();
  await table.write({ update: KEYS.contact(contactId), set: { lastInteractionAt } });
  const at = Date.now() - 5_000;
  await table.write({ update: KEYS.audienceMembers(organizationId, 0), set: { nextChangeAt: at, dueAt: at } });
};
const subscribe = async (tenant: Tenant) => {
  const events = ['segment.entered', 'segment.left'];
  expect((await tenant.test.post('/webhooks', { url: receiver.url, events })).status).toBe(201);
};
const moves = () =>
  receiver.events().map(({ event: { type, data } }) => ({ type, ...(data as { readonly at: string }) }));

test('a contact that writes enters a segment, and leaves it when days pass: a webhook gets both once', async () => {
  const tenant = await messaging.tenant();
  await subscribe(tenant);
  const filters = [
    { field: 'lastInteraction', operator: 'withinDays', value: 1 },
    { field: 'tag', operator: 'is', value: 'vip' },
  ];
  const segment = (await tenant.test.post('/v2/segments', { name: 'Recentes', filters })).body;
  const contact = (await tenant.test.post('/contacts', { phone: '+5511987654341', tags: ['vip'] })).body;
  const explained = async () => (await tenant.test.get(`/v2/segments/${segment.id}/contacts/${contact.id}`)).body;
  expect(await explained()).toMatchObject({ member: false });
  expect((await explained()).since).toBeUndefined();
  await firstCheck(tenant.id, segment.id);
  const { since: baseline } = await explained();
  expect(baseline).toEqual(expect.any(String));

  const at = Date.now() - HOUR;
  const interaction = {
    organizationId: tenant.id,
    contactId: contact.id,
    lastInteractionAt: at,
    // Not earlier: the dispatcher would be past it.
    updatedAt: Date.now(),
  };
  await recordInteraction(table, interaction);
  const named = { segmentId: segment.id, contactId: contact.id };
  await expect.poll(moves, PATIENCE).toMatchObject([{ type: 'segment.entered', ...named }]);
  const entered = await explained();
  expect(entered).toMatchObject({ member: true, since: moves()[0]?.at });
  expect(entered.since > baseline).toBe(true);

  await passDay(tenant.id, contact.id);
  await expect.poll(moves, PATIENCE).toMatchObject([{ type: 'segment.entered' }, { type: 'segment.left', ...named }]);
  expect(await explained()).toMatchObject({ member: false, since: moves()[1]?.at });

  const { segments } = (await tenant.test.get(`/contacts/${contact.id}/export`)).body;
  expect(segments).toEqual([{ id: segment.id, name: 'Recentes', member: false, since: moves()[1]?.at }]);

  // A reported change is not reported again with another one.
  await tenant.test.call('PATCH', `/contacts/${contact.id}`, { body: { name: 'Ana' } });
  const mark = KEYS.changedContact(tenant.id, contact.id);
  await expect.poll(async () => (await table.get(mark))?.duePk, PATIENCE).toBeUndefined();
  expect(moves()).toHaveLength(2);
});
