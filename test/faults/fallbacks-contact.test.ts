import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { previewV1, sendV1, type V1SendRequest } from '../../shared/domain/api/v1-send.ts';
import { channelOf } from '../../shared/domain/channels/registry.ts';
import { changeContact } from '../../shared/domain/contacts/change.ts';
import { optOutContact } from '../../shared/domain/contacts/consent.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { createContact, type NewContact } from '../../shared/domain/contacts/create.ts';
import { deleteContact } from '../../shared/domain/contacts/erase.ts';
import { mergeContacts } from '../../shared/domain/contacts/merge.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { SubmitPorts } from '../../shared/domain/sending/accept.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { timelineOf } from '../../shared/domain/tracking/timeline.ts';
import { erasureStore } from '../../shared/storage/contacts/erasures.ts';
import { mergeStore } from '../../shared/storage/contacts/merges.ts';
import { contactRecipient } from '../../shared/storage/contacts/recipient-eligibility.ts';
import { holderOf } from '../../shared/storage/messages/inbound.ts';
import { accepted } from '../support/accepted.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { advanceFallbackPortsOf, sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const PHONE = '+5511987654321';
const OTHER_PHONE = '+5511987654322';
const WAIT_MS = 60_000;
const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;

const hashes = new Map<string, string>();
/** The vault of contacts finds them by the hashes of the world's sends. */
const vault = {
  ...createVault(randomBytes(32)),
  blindIndex: (organizationId: string, _: string, value: string) => hashes.get(`${organizationId} ${value}`) ?? '',
};
const contacts = contactPortsOf(world, vault);
const indexed = async (actor: Actor, kind: 'email' | 'phone', value: string) =>
  void hashes.set(
    `${actor.organizationId} ${value}`,
    await world.ports.recipientHashOf(actor.organizationId, kind, value),
  );

const recipientOf: SubmitPorts['recipientOf'] = ({ organizationId }, id, channel) =>
  contactRecipient(table, organizationId, id, channel);
const contactAt: SubmitPorts['contactAt'] = async ({ organizationId }, channel, to) => {
  const kind = channelOf(channel).recipient;
  const hash = await world.ports.recipientHashOf(organizationId, kind, to);
  return (await holderOf(table, organizationId, { channel, kind, hash })).contactId;
};
const ports = { ...submitPortsOf(world), recipientOf, contactAt };

const ana = async (fields: Partial<NewContact> = { email: 'ana@loja.example' }) => {
  const actor = await world.organization(10_000);
  for (const phone of [PHONE, OTHER_PHONE]) await indexed(actor, 'phone', phone);
  for (const name of ['ana', 'nova', 'bia']) await indexed(actor, 'email', `${name}@loja.example`);
  const contact: Contact = accepted(await createContact(contacts, actor, { phone: PHONE, ...fields }));
  return { actor, contact };
};
/** A message that names no contact, with an e-mail that names no address behind it. */
const body: V1SendRequest = { channel: 'sms', to: PHONE, text: 'Oi', fallback: ['email'], fallback_after: WAIT_MS };

/** The first message was sent and reported as failed; every further step is then taken. */
const runOut = async (id: Id<'message'>) => {
  await sendQueued(sendQueuedPortsOf(world), id);
  await deliverReport(world, reportOf(id, 'failed'));
  for (let step = 0; step < 3; step++) {
    world.now += WAIT_MS;
    await advanceFallback({ ...advanceFallbackPortsOf(world), recipientOf }, id);
  }
};
const mailsOf = async ({ organizationId }: Actor) => {
  const { messages } = await checkMoney(table, organizationId, { quiet: false });
  return messages.filter(({ channel }) => channel === 'email').map(({ to, contactId }) => ({ to, contactId }));
};
const skippedOf = async (id: Id<'message'>) =>
  (await world.ports.messageStore.read(id))?.decisions.filter(({ kind }) => kind === 'fallback').map((d) => d.detail);

describe('a fallback without an address', { timeout: 180_000 }, () => {
  test('of a message that names no contact goes to the contact that has its phone, and names it', async () => {
    const { actor, contact } = await ana();
    const answer = accepted(await sendV1(ports, actor, 'key', body));
    expect(answer.fallback).toMatchObject([{ channel: 'email', price: {} }]);
    await runOut(answer.id);
    expect(await mailsOf(actor)).toEqual([{ to: 'ana@loja.example', contactId: contact.id }]);
  });

  test('goes to the contact that the matched one was merged into, and names it', async () => {
    const { actor, contact } = await ana({});
    const { id } = accepted(await sendV1(ports, actor, 'key', body));
    const stays = accepted(await createContact(contacts, actor, { phone: OTHER_PHONE, email: 'bia@loja.example' }));
    const merging = {
      clock: () => world.now,
      contacts,
      store: mergeStore(table, () => {}),
      lists: { replace: async () => {} },
      enqueue: () => {},
    };
    accepted(await mergeContacts(merging, actor, stays.id, contact.id));
    await runOut(id);
    expect(await mailsOf(actor)).toEqual([{ to: 'bia@loja.example', contactId: stays.id }]);
  });

  test('reveals nothing about the matched contact to a caller without access to addresses', async () => {
    const { actor } = await ana();
    const masked = { ...actor, scopes: new Set([...actor.scopes].filter((scope) => scope !== 'pii:full')) };
    const known = accepted(await sendV1(ports, masked, 'known', body));
    const unknown = accepted(await sendV1(ports, masked, 'unknown', { ...body, to: OTHER_PHONE }));
    expect(known.fallback).toEqual(unknown.fallback);
    expect(known.fallback?.[0]).not.toHaveProperty('price');
    await runOut(known.id);
    expect(await mailsOf(actor)).toMatchObject([{ to: 'ana@loja.example' }]);
  });

  test('has its true price for who sees addresses, although its sender is shown none', async () => {
    const { actor } = await ana();
    const masked = { ...actor, scopes: new Set([...actor.scopes].filter((scope) => scope !== 'pii:full')) };
    const sent = accepted(await sendV1(ports, masked, 'key', { ...body, fallback: ['email', 'rcs'] }));
    expect(sent.fallback).toEqual([
      { channel: 'email', after: expect.any(String) },
      { channel: 'rcs', after: expect.any(String), price: { coins: expect.any(Number) } },
    ]);
    const again = accepted(await sendV1(ports, actor, 'key', { ...body, fallback: ['email', 'rcs'] }));
    const coins = again.fallback?.map(({ price }) => price?.coins);
    expect(coins).toEqual([expect.toSatisfy((price) => price > 0), sent.fallback?.[1]?.price?.coins]);
    const message = (await world.ports.messageStore.read(sent.id)) ?? expect.fail();
    const shown = (unmasked: boolean) =>
      timelineOf(message, [], undefined, [], unmasked).find(({ kind }) => kind === 'fallback')?.detail;
    expect(shown(true)).toBe(`if it does not deliver: email at ${coins?.[0]} coins, then rcs at ${coins?.[1]} coins`);
    expect(shown(false)).toBe(`if it does not deliver: email, then rcs at ${coins?.[1]} coins`);
  });

  test('that could not be sent says so in the timeline to who sees addresses only', async () => {
    const { actor } = await ana({});
    const { id } = accepted(await sendV1(ports, actor, 'key', body));
    const message = (await world.ports.messageStore.read(id)) ?? expect.fail();
    const shown = (unmasked: boolean) => JSON.stringify(timelineOf(message, [], undefined, [], unmasked));
    expect(shown(true)).toContain('email (cannot be sent now: invalid_recipient)');
    expect(shown(false)).toContain('"if it does not deliver: email"');
  });

  test('of an e-mail goes to the phone of the contact that alone has the address', async () => {
    const { actor } = await ana();
    const previewed = async () => {
      const context: Parameters<typeof previewV1>[0]['previewContext'] = async () => ({
        balance: 1,
        byPlan: new Map(),
      });
      const request = { ...body, channel: 'email', to: 'ana@loja.example', fallback: ['sms'] } as const;
      return accepted(await previewV1({ ...ports, previewContext: context }, actor, request)).hops[1];
    };
    expect(await previewed()).toMatchObject({ channel: 'sms', to: PHONE });
    accepted(await createContact(contacts, actor, { phone: OTHER_PHONE, email: 'ana@loja.example' }));
    expect(await previewed()).toMatchObject({ channel: 'sms', refusal: { code: 'invalid_recipient' } });
  });

  test('is skipped if the contact has none, and the timeline shows why', async () => {
    const { actor } = await ana({});
    const answer = accepted(await sendV1(ports, actor, 'key', body));
    expect(answer.fallback).toMatchObject([{ channel: 'email', refusal: { code: 'invalid_recipient' } }]);
    await runOut(answer.id);
    expect(await skippedOf(answer.id)).toEqual([expect.stringContaining('skipped: The fallback has no recipient')]);
  });

  test('goes to the address that the contact has when it is due', async () => {
    const { actor, contact } = await ana();
    const { id } = accepted(await sendV1(ports, actor, 'key', body));
    accepted(await changeContact(contacts, actor, contact.id, { email: 'nova@loja.example' }));
    await runOut(id);
    expect(await mailsOf(actor)).toMatchObject([{ to: 'nova@loja.example' }]);
  });

  test('stays with the person, even if another contact has the phone when it is due', async () => {
    const { actor, contact } = await ana();
    const { id } = accepted(await sendV1(ports, actor, 'key', body));
    accepted(await changeContact(contacts, actor, contact.id, { phone: OTHER_PHONE }));
    accepted(await createContact(contacts, actor, { phone: PHONE, email: 'bia@loja.example' }));
    await runOut(id);
    expect(await mailsOf(actor)).toEqual([{ to: 'ana@loja.example', contactId: contact.id }]);
  });

  test('is skipped once the contact opted out or was erased', async () => {
    const [out, gone] = [await ana(), await ana()];
    const ids = [];
    for (const { actor } of [out, gone]) ids.push(accepted(await sendV1(ports, actor, 'key', body)).id);
    accepted(await optOutContact(contacts, out.actor, out.contact.id, {}));
    const erasing = { clock: () => world.now, store: erasureStore(table), forget: async () => {}, enqueue: () => {} };
    await deleteContact({ ...erasing, contacts }, gone.actor, gone.contact.id);
    for (const id of ids) await runOut(id);
    expect(await mailsOf(out.actor)).toEqual([]);
    expect(await mailsOf(gone.actor)).toEqual([]);
    expect(await skippedOf(ids[0] as Id<'message'>)).toEqual([expect.stringContaining('opted out')]);
  });
});
