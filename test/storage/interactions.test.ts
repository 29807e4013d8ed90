import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createContact } from '../../shared/domain/contacts/create.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { followLink } from '../../shared/domain/tracking/follow-link.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { readContact } from '../../shared/storage/contacts/contacts.ts';
import { recordInteraction } from '../../shared/storage/contacts/interactions.ts';
import { interactionRecorder } from '../../shared/storage/messages/interactions.ts';
import { linkStore } from '../../shared/storage/messages/links.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);

const interacted = interactionRecorder(world.table, () => world.now);
/** The recipient hash of the test's send ports. */
const hashOf = (organizationId: string, value: string) =>
  createHash('sha256').update(`${organizationId} ${value}`).digest('base64url');
let phones = 0;
const aContact = async (actor: Actor) => {
  const blindIndex = (organizationId: string, _: string, value: string) => hashOf(organizationId, value);
  const vault = { ...createVault(randomBytes(32)), blindIndex };
  return accepted(
    await createContact(contactPortsOf(world, vault), actor, { phone: `+551198765${String(4_000 + phones++)}` }),
  );
};
const contactOf = async (id: Id<'contact'>) => {
  const row = await world.table.get(KEYS.contact(id));
  return readContact(row as Row);
};
const lastOf = async (id: Id<'contact'>) => (await contactOf(id)).lastInteractionAt;
const linkedTo = async (actor: Actor, fields: object) => {
  const { id } = accepted(
    await world.sms(actor, newId('request'), { body: 'Veja https://loja.example/p', trackLinks: true, ...fields }),
  );
  const [code = ''] = /(?<=\/r\/)l\w+/.exec(JSON.stringify(world.provider.dispatched.at(-1)?.content)) ?? [];
  return { code, message: (await readMessage(world.table, actor.organizationId, id)) as MessageRecord };
};
const follow = (code: string) =>
  followLink(
    {
      clock: () => world.now,
      ...linkStore(world.table, () => {}),
      interacted,
      readMessage: (organizationId, id) => readMessage(world.table, organizationId, id),
    },
    code,
  );

const { callsOf } = world.proxy;

describe('the last interaction of a contact', () => {
  test('is when it followed a link, also of a message that named its phone alone', async () => {
    const actor = await world.organization(100_000);
    const contact = await aContact(actor);
    for (const fields of [{ to: contact.phone }, { to: '+5511912345678', contactId: contact.id }]) {
      const { code } = await linkedTo(actor, fields);
      world.now += 60_000;
      expect(await follow(code)).toBe('https://loja.example/p');
      expect(await lastOf(contact.id)).toBe(world.now);
    }
  });

  test('is the latest of interactions that are reported concurrently and in any order', async () => {
    const actor = await world.organization(100_000);
    const contact = await aContact(actor);
    const { message } = await linkedTo(actor, { to: contact.phone });
    const times = Array.from({ length: 12 }, (_, place) => world.now - ((place * 7) % 12) * 1_000);
    await Promise.all(times.map((at) => interacted(message, at)));
    expect(await lastOf(contact.id)).toBe(world.now);
    const { version } = await contactOf(contact.id);
    await interacted(message, world.now);
    await interacted(message, world.now - 1);
    expect(await contactOf(contact.id)).toMatchObject({ version, lastInteractionAt: world.now });
  });

  test('costs one transaction, after one read where the message named no contact', async () => {
    const actor = await world.organization(100_000);
    const contact = await aContact(actor);
    const { message } = await linkedTo(actor, { to: contact.phone });
    expect(await callsOf(() => interacted(message, world.now))).toEqual({ GetItem: 1, TransactWriteItems: 1 });
    const named = { ...message, contactId: contact.id };
    expect(await callsOf(() => interacted(named, world.now + 1))).toEqual({ TransactWriteItems: 1 });
    const stranger = { ...message, recipientHash: 'of nobody' };
    expect(await callsOf(() => interacted(stranger, world.now))).toEqual({ GetItem: 1 });
  });

  test('is stored before the click counts: a click that was not counted yet is repeated, one that counted is not missing', async () => {
    const actor = await world.organization(100_000);
    const contact = await aContact(actor);
    const { code } = await linkedTo(actor, { to: contact.phone });
    world.now += 60_000;
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 2 }));
    await follow(code);
    expect(await lastOf(contact.id)).toBe(world.now);
  });

  test("of another organization's contact does not move", async () => {
    const owner = await world.organization(100_000);
    const contact = await aContact(owner);
    const other = await world.organization();
    const fields = { contactId: contact.id, lastInteractionAt: world.now, updatedAt: world.now };
    await recordInteraction(world.table, { organizationId: other.organizationId, ...fields });
    expect(await lastOf(contact.id)).toBeUndefined();
  });
});
