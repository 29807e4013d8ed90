import { describe, expect, test } from 'vitest';
import { cancel } from '../../shared/domain/api/cancel-and-force.ts';
import { findContact, optOutContact } from '../../shared/domain/contacts/consent.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { deleteContact, type ErasurePorts, eraseContact } from '../../shared/domain/contacts/erase.ts';
import { CHECK_AGAIN_MS } from '../../shared/domain/core/clear-links.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { linkCodesIn } from '../../shared/domain/links/short-link.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { newestAudit } from '../../shared/storage/audit/audit-log.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { turnRows } from '../../shared/storage/contacts/ai-turns.ts';
import { contactsOfNumbers } from '../../shared/storage/contacts/contact-numbers.ts';
import { eraseConsents, eraseDevices, eraseTurns } from '../../shared/storage/contacts/erase-belongings.ts';
import { erasureStore } from '../../shared/storage/contacts/erasures.ts';
import { KEPT_REASON } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { eraseMessages } from '../../shared/storage/messages/erase-messages.ts';
import { readStored } from '../../shared/storage/messages/message-lists.ts';
import { pushDeviceRows } from '../../shared/storage/push/devices.ts';
import { inboundStage } from '../inbound/stage.ts';
import { anEvent, PHONE } from '../inbound/support.ts';
import { accepted } from '../support/accepted.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { use } from '../support/use.ts';

const stage = await use(inboundStage());
const { world } = stage;

const portsOver = (table: Table): ErasurePorts & { contacts: typeof stage.contacts } => ({
  clock: () => world.now,
  contacts: stage.contacts,
  store: erasureStore(table),
  enqueue: () => {},
  forget: async () => {},
  sweeps: [
    eraseMessages(table, async (organizationId, id) => {
      const readMessage = (of: typeof organizationId, messageId: typeof id) => readStored(world.table, of, messageId);
      await cancel({ ...world.ports, clock: () => world.now, readMessage }, { organizationId }, id);
    }),
    eraseTurns(table),
    eraseDevices(table),
    eraseConsents(table),
  ],
});
const ports = portsOver(world.table);
const remove = (id: Id<'contact'>) => deleteContact(ports, stage.actor, id);
/** A worker's run, and another after the last message may have appeared. */
const erase = async (id: Id<'contact'>) => {
  await eraseContact(ports, id);
  world.now += CHECK_AGAIN_MS;
  await eraseContact(ports, id);
};
const auditOf = async (object: Id<'contact'>) => {
  const entries = await newestAudit(world.table, stage.actor.organizationId, { object }, { limit: 10, now: world.now });
  return entries.map(({ action, object, details }) => ({ action, object, details }));
};

const storeTurn = async (contactId: Id<'contact'>) => {
  const { organizationId, env } = stage.actor;
  const turn = {
    id: newId('aiTurn'),
    organizationId,
    env,
    contactId,
    channel: 'sms',
    model: 'm',
    role: 'user',
  } as const;
  await world.table.write({
    put: turnRows.write({ ...turn, text: 'Meu CPF', requestHash: 'x', createdAt: world.now }),
  });
  return turn.id;
};
const storeDevice = async (contactId: Id<'contact'>) => {
  const { organizationId, env } = stage.actor;
  const device = { id: newId('pushToken'), organizationId, env, appId: newId('pushApp'), platform: 'ios' } as const;
  const times = { createdAt: world.now, updatedAt: world.now, version: 1 };
  await world.table.write({
    put: pushDeviceRows.write({ ...device, token: 't', contactId, optedIn: true, person: 'sealed', ...times }),
  });
  return device.id;
};

const message = (id: string) => readStored(world.table, stage.actor.organizationId, id as Id<'message'>);

/** A contact that was written to by its id and by its phone, wrote itself, and has a turn and a device. */
const aKnownContact = async () => {
  const contact = await stage.create({ name: 'Ana Souza', email: 'ana@example.com', externalId: '42' });
  const sent = [
    accepted(await stage.send({ contactId: contact.id, body: 'Oi Ana' })),
    accepted(await stage.send({ body: 'Veja https://loja.example/Ana', trackLinks: true })),
  ];
  const codes = linkCodesIn(JSON.stringify(await message(sent[1]?.id ?? '')));
  expect(codes).toHaveLength(1);
  const event = anEvent({ text: 'Sou a Ana' });
  await stage.receive(event);
  return { contact, sent, codes, event, turn: await storeTurn(contact.id), device: await storeDevice(contact.id) };
};

describe('a deleted contact', () => {
  test('is not there from the answer on, and its phone, number and external id are free', async () => {
    const contact = await stage.create({ externalId: '42' });
    expect(await remove(contact.id)).toBeUndefined();
    const { organizationId } = stage.actor;
    expect(await findContact(stage.contacts, organizationId, contact.id)).toMatchObject({ name: 'NOT_FOUND' });
    expect(await remove(contact.id)).toMatchObject({ name: 'NOT_FOUND' });
    expect(await contactsOfNumbers(world.table, organizationId, [contact.number])).toEqual([undefined]);
    expect(await readCount(world.table, organizationId, 'contacts')).toBe(0);
    const next = await stage.create({ externalId: '42' });
    expect(next).toMatchObject({ optIn: { status: 'unknown' }, number: contact.number + 1 });
  });

  test('leaves its withdrawal behind: its address stays denied, and its phone is not sent to, even as part of another contact', async () => {
    const contact = await stage.create({ email: 'ana@example.com' });
    accepted(await optOutContact(stage.contacts, stage.actor, contact.id, { reason: 'LGPD' }));
    await remove(contact.id);
    await erase(contact.id);
    expect(await stage.send()).toMatchObject({ details: { meta: { motivo: 'opt_out' } } });
    const { organizationId } = stage.actor;
    const address = await world.table.get(KEYS.emailAddress(organizationId, contact.emailHash ?? ''));
    expect(address).toMatchObject({ optInStatus: 'denied', optedOut: 0 });
    // Not what was written of the person: the next one may be another.
    expect((await stage.create()).optIn).toMatchObject({ status: 'denied', revokedReason: KEPT_REASON });
    expect(await stage.send()).toMatchObject({ details: { meta: { motivo: 'opt_out' } } });
  });

  test('is deleted once by 20 concurrent requests: one entry, counted once', async () => {
    const contact = await stage.create();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => remove(contact.id)));
    expect(outcomes.filter((outcome) => outcome === undefined).length).toBeGreaterThan(0);
    expect(await readCount(world.table, stage.actor.organizationId, 'contacts')).toBe(0);
    expect(await auditOf(contact.id)).toEqual([{ action: 'contact.deleted', object: contact.id, details: {} }]);
  });
});

/** All personal data of the contact in the stage. */
const traces = async ({ contact, sent, codes, event, turn, device }: Awaited<ReturnType<typeof aKnownContact>>) => {
  const rows = await world.table.getMany(
    [
      ...sent.map(({ id }) => KEYS.message(id as Id<'message'>)),
      KEYS.message(stage.idOf(event)),
      ...codes.map(KEYS.link),
      KEYS.aiTurn(turn),
      KEYS.pushToken(stage.actor.organizationId, device),
      KEYS.contact(contact.id),
      ...(await stage.events()).map(({ id }) => KEYS.event(id)),
    ],
    { consistent: true },
  );
  const text = JSON.stringify(rows);
  return ['Ana', PHONE, contact.phoneHash, contact.id, 'Meu CPF'].filter((trace) => text.includes(trace));
};

describe('the erasure of a contact', () => {
  test('takes the person from all that is kept, and leaves what it cost', async () => {
    const known = await aKnownContact();
    expect(await traces(known)).not.toEqual([]);
    await remove(known.contact.id);
    await erase(known.contact.id);
    expect(await traces(known)).toEqual([]);
    for (const { id } of known.sent) {
      const after = await message(id);
      expect(after).toMatchObject({
        to: '',
        recipientHash: '',
        status: 'sent',
        hold: 'captured',
        content: { text: '' },
      });
      expect((after as { coins: number }).coins).toBeGreaterThan(0);
    }
    expect(await message(stage.idOf(known.event))).toMatchObject({ from: '', payload: {} });
    expect(await auditOf(known.contact.id)).toEqual([
      {
        action: 'contact.erased',
        object: known.contact.id,
        details: { erased: { messages: 2, received: 1, turns: 1, devices: 1 } },
      },
      { action: 'contact.deleted', object: known.contact.id, details: {} },
    ]);
    expect(await world.table.get(KEYS.erasure(known.contact.id))).toBeUndefined();
  });

  test('that crashes before any of its calls converges, with the same counts', async () => {
    const known = await aKnownContact();
    await remove(known.contact.id);
    const crashes = await crashEverywhere(world.table, (table) => eraseContact(portsOver(table), known.contact.id));
    expect(crashes).toBeGreaterThan(20);
    world.now += CHECK_AGAIN_MS;
    await crashEverywhere(world.table, (table) => eraseContact(portsOver(table), known.contact.id));
    expect(await traces(known)).toEqual([]);
    expect((await auditOf(known.contact.id))[0]?.details).toEqual({
      erased: { messages: 2, received: 1, turns: 1, devices: 1 },
    });
  });

  test('by five concurrent workers counts each row once', async () => {
    const known = await aKnownContact();
    await remove(known.contact.id);
    await Promise.all(Array.from({ length: 5 }, () => eraseContact(ports, known.contact.id)));
    await erase(known.contact.id);
    expect(await traces(known)).toEqual([]);
    expect((await auditOf(known.contact.id))[0]?.details).toEqual({
      erased: { messages: 2, received: 1, turns: 1, devices: 1 },
    });
  });

  test('waits for what is on its way to a provider, and ends after it', async () => {
    const contact = await stage.create();
    const { id } = accepted(await stage.send({ contactId: contact.id, body: 'Oi Ana' }));
    const row = KEYS.message(id as Id<'message'>);
    await world.table.write({ update: row, set: { status: 'sending', hold: 'open' } });
    await remove(contact.id);
    await erase(contact.id);
    expect(await world.table.get(KEYS.erasure(contact.id))).toBeDefined();
    expect(await message(id)).toMatchObject({ to: PHONE });
    await world.table.write({ update: row, set: { status: 'sent', hold: 'captured' } });
    await erase(contact.id);
    expect(await message(id)).toMatchObject({ to: '', content: { text: '' }, hold: 'captured' });
    expect(await world.table.get(KEYS.erasure(contact.id))).toBeUndefined();
  });

  test('spares the short link of another message that a text repeats', async () => {
    const other = accepted(
      await stage.send({ to: '+5511987650099', body: 'https://loja.example/a', trackLinks: true }),
    );
    const [code = ''] = linkCodesIn(JSON.stringify(await message(other.id)));
    const contact = await stage.create();
    accepted(await stage.send({ contactId: contact.id, body: `Veja https://s.example/r/${code}` }));
    await remove(contact.id);
    await erase(contact.id);
    expect(await world.table.get(KEYS.link(code))).toMatchObject({ url: 'https://loja.example/a' });
  });

  test('spares the messages of others: of the next one who has the phone, and of who shares the address', async () => {
    const contact = await stage.create({ email: 'casal@example.com' });
    await remove(contact.id);
    world.now += 1;
    const next: Contact = await stage.create({ email: 'casal@example.com' });
    const sent = accepted(await stage.send({ contactId: next.id, body: 'Oi Bia' }));
    await erase(contact.id);
    expect(await message(sent.id)).toMatchObject({ to: PHONE, contactId: next.id, content: { text: 'Oi Bia' } });
  });
});
