import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { NumberSet } from '../../shared/domain/audience/number-set.ts';
import { afterRegistration } from '../../shared/domain/channels/push/device.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { membershipOf } from '../../shared/domain/push-messages/membership.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { contactRows, readContact } from '../../shared/storage/contacts/contacts.ts';
import { writeChunks } from '../../shared/storage/lists/chunks.ts';
import { listRows } from '../../shared/storage/lists/list-rows.ts';
import { readMembers } from '../../shared/storage/lists/stored-lists.ts';
import { audienceSource } from '../../shared/storage/push/audience.ts';
import { PUSH_SHARDS } from '../../shared/storage/table-indexes.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { putDevices, usePush } from './world.ts';

const { world, push } = await usePush();
const { table } = world;
const MEMBERS = 50_000;
const DEVICES = 120;

/** A list of the contacts 1 to `MEMBERS`. */
const largeList = async (actor: Actor) => {
  const [id, members] = [newId('list'), NumberSet.of(Array.from({ length: MEMBERS }, (_, at) => at + 1))];
  const versions = members.chunks.map((chunk) => ({ chunk, version: 'v1' }));
  await writeChunks(table, id, versions, members);
  const chunks = Object.fromEntries(versions.map(({ chunk, version }) => [chunk, version]));
  const { organizationId } = actor;
  const times = { createdAt: world.now, updatedAt: world.now };
  const list = { id, organizationId, name: 'Todos', size: MEMBERS, chunks, version: 1, recent: [], ...times };
  await table.write({ put: listRows.write(list) });
  return id;
};

/** A device each of contacts inside and outside of a list of the first `MEMBERS` numbers, in turns. */
const devicesOfContacts = async (actor: Actor) => {
  const app = await push.app(actor);
  const ports = contactPortsOf(world, createVault(randomBytes(32)));
  const { id: sample } = accepted(await createContact(ports, actor, { phone: '+5511987654321' }));
  const contact = readContact((await table.get(KEYS.contact(sample))) as Row);
  const contacts = Array.from({ length: DEVICES }, (_, at) => ({
    ...contact,
    id: newId('contact'),
    number: at % 2 === 0 ? at + 1 : MEMBERS + at,
    optInStatus: contact.optIn.status,
  }));
  await table.putMany(contacts.map((each) => contactRows.write(each)));
  const devices = contacts.map(({ id: contactId }, at) =>
    afterRegistration(actor, undefined, { appId: app.id, token: `${at}-0005`, platform: 'ios', contactId }, world.now),
  );
  await putDevices(table, devices);
};

test('a push to a list of 50,000 costs what the devices do: its members are read once, never one by one', async () => {
  const actor = await world.organization(100_000);
  const list = await largeList(actor);
  await devicesOfContacts(actor);
  const segments = { clock: () => world.now, store: { read: async () => undefined } as never };
  const ports = { segments, membersOf: readMembers.bind(undefined, table) };
  const source = audienceSource(table, push.apps, (tenant, id) => membershipOf(ports, tenant, id));
  let calls = 0;
  world.proxy.plan(() => {
    calls++;
    return undefined;
  });
  const audience = await source.contacts(actor, ['ios'], list);
  expect(await audience?.count()).toBe(DEVICES / 2);
  // The apps, the list, its chunk; a page of each shard, and the contacts of its devices.
  expect(calls).toBeLessThanOrEqual(3 + 2 * PUSH_SHARDS);
  expect(await source.contacts(await world.organization(1), ['ios'], list)).toBeUndefined();
});
