import { beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../shared/domain/audit/entry.ts';
import { assignSender, rejectPending } from '../../shared/domain/senders/assign.ts';
import type { Sender } from '../../shared/domain/senders/sender.ts';
import {
  changeSender,
  checkSender,
  createSender,
  deleteSender,
  verifySender,
} from '../../shared/domain/senders/senders.ts';
import { organizationsWithSender } from '../../shared/storage/senders/senders.ts';
import { accepted } from '../support/accepted.ts';
import { operatorAct } from '../support/audit.ts';
import { newDomain, useSenders } from './kit.ts';

const HOUR = 3_600_000;
const { world, ses, enqueued, ports, senders, reset, own, ownerOf, registered, stored, stateOf } = await useSenders();
beforeEach(reset);

const register = (owner: Caller, value: string, channel: 'email' | 'sms' = 'email') =>
  createSender(ports, owner, { channel, value });
const verified = async (owner: Caller, value: string) => {
  const sender = await registered(owner, value);
  own(sender);
  ses.known.set(value, 'verified');
  return accepted(await verifySender(ports, owner, sender.id));
};
const detailOf = (detail: string) => ({ name: 'CONFLICT', details: { detail } });

describe('an organization', () => {
  test('has at most 100 senders; one that it deletes makes room', async () => {
    const owner = await ownerOf();
    const values = Array.from({ length: 100 }, (_, at) => `Loja ${at}`);
    const all = (await Promise.all(values.map((value) => register(owner, value, 'sms')))).map(accepted);
    expect(await register(owner, 'Mais uma', 'sms')).toMatchObject(
      detailOf('The organization has reached its maximum of senders.'),
    );
    await deleteSender(ports, owner, all[0]?.id as Sender['id']);
    expect(accepted(await register(owner, 'Mais uma', 'sms'))).toMatchObject({ status: 'pending' });
    expect(enqueued).toEqual([]);
  });

  test('is refused as its own if registered again, and as taken for another organization', async () => {
    const [owner, other] = [await ownerOf(), await ownerOf()];
    const domain = newDomain();
    await registered(owner, domain);
    expect(await register(owner, domain.toUpperCase())).toMatchObject(detailOf('The organization has this sender.'));
    expect(await register(other, domain)).toMatchObject(detailOf('Another organization has this sender.'));
  });

  test('may register an address and a subdomain below its own verified domain, and below a pending one of another', async () => {
    const [owner, other] = [await ownerOf(), await ownerOf()];
    const [own, pending] = [newDomain(), newDomain()];
    await verified(owner, own);
    await registered(other, pending);
    for (const value of [`ola@${own}`, `news.${own}`, `ola@${pending}`])
      expect((await registered(owner, value)).status).toBe('pending');
  });
});

describe('a sender', () => {
  test('of SMS is returned as it is when it is verified, and is never checked', async () => {
    const owner = await ownerOf();
    const sender = accepted(await register(owner, 'PADARIA', 'sms'));
    expect(await verifySender(ports, owner, sender.id)).toEqual(sender);
    await checkSender(ports, owner, sender.id);
    expect(await stored(sender)).toEqual(sender);
  });

  test('that is verified is not checked again', async () => {
    const owner = await ownerOf();
    const sender = await verified(owner, newDomain());
    ses.known.clear();
    expect(await verifySender(ports, owner, sender.id)).toEqual(sender);
    await checkSender(ports, owner, sender.id);
    expect(await stateOf(sender)).toBe('verified');
  });

  test('that the operator assigned is verified immediately, and SES is not notified of its end', async () => {
    const owner = await ownerOf();
    const domain = newDomain();
    ses.known.set(domain, 'verified');
    const sender = await assignSender(ports, owner, 'email', domain);
    expect(sender).toMatchObject({ status: 'verified', assigned: true });
    expect(await assignSender(ports, owner, 'email', domain)).toMatchObject({ id: sender?.id });
    if (sender) await deleteSender(ports, owner, sender.id);
    expect(ses.known.get(domain)).toBe('verified');
    expect(await senders.list(owner.organizationId)).toEqual([]);
  });

  test('that was registered and then assigned is not checked any more', async () => {
    const owner = await ownerOf();
    const sender = await registered(owner, newDomain());
    await assignSender(ports, owner, 'email', sender.value);
    const now = await stored(sender);
    expect([now?.status, now?.checkUntil, now?.nextCheckAt]).toEqual(['verified', undefined, undefined]);
  });

  test('is neither verified nor deleted while SES does not answer', async () => {
    const owner = await ownerOf();
    const sender = await registered(owner, newDomain());
    ses.down = true;
    await expect(verifySender(ports, owner, sender.id)).rejects.toThrow('TimeoutError');
    await expect(deleteSender(ports, owner, sender.id)).rejects.toThrow('TimeoutError');
    expect(await stateOf(sender)).toBe('pending');
  });

  test('that became the default meanwhile is not deleted as a non-default: its default would outlive it', async () => {
    const owner = await ownerOf();
    const sender = await assignSender(ports, owner, 'sms', 'ENQUANTO');
    if (!sender) throw new Error('it is free');
    await changeSender(ports, owner, sender.id, { isDefault: true });
    expect(await senders.remove(sender, operatorAct(owner.organizationId))).toBe(false);
    await deleteSender(ports, owner, sender.id);
    expect(await senders.defaultOf(owner.organizationId, 'sms')).toBeUndefined();
  });

  test('is the default until that is cleared, or it is deleted; repeats change nothing', async () => {
    const owner = await ownerOf();
    const { organizationId } = owner;
    const sender = await assignSender(ports, owner, 'sms', 'A DE SEMPRE');
    if (!sender) throw new Error('it is free');
    const change = async (isDefault: boolean) => accepted(await changeSender(ports, owner, sender.id, { isDefault }));
    expect(await change(true)).toMatchObject({ isDefault: true });
    const { version } = await change(true);
    expect(await stored(sender)).toMatchObject({ isDefault: true, version });
    expect(await senders.defaultOf(organizationId, 'sms')).toBe(sender.value);
    await change(false);
    expect(await senders.defaultOf(organizationId, 'sms')).toBeUndefined();
    await change(true);
    await deleteSender(ports, owner, sender.id);
    expect(await senders.defaultOf(organizationId, 'sms')).toBeUndefined();
  });
});

describe('if no e-mail provider is set up', () => {
  const NONE = { name: 'PRECONDITION_FAILED', details: { meta: { motivo: 'no_provider' } } };

  test('an e-mail sender is refused and its value stays free; one of SMS is registered', async () => {
    const [owner, other] = [await ownerOf(), await ownerOf()];
    const domain = newDomain();
    ses.absent = true;
    expect(await register(owner, domain)).toMatchObject(NONE);
    expect(accepted(await register(owner, 'SEM SES', 'sms')).status).toBe('pending');
    ses.absent = false;
    expect((await registered(other, domain)).status).toBe('pending');
  });

  test('a pending one can be neither verified nor deleted, and is rejected after its 72 hours', async () => {
    const owner = await ownerOf();
    const sender = await registered(owner, newDomain());
    ses.absent = true;
    expect(await verifySender(ports, owner, sender.id)).toMatchObject(NONE);
    expect(await deleteSender(ports, owner, sender.id)).toMatchObject(NONE);
    await checkSender(ports, owner, sender.id);
    expect(await stateOf(sender)).toBe('pending');
    world.now += 73 * HOUR;
    await checkSender(ports, owner, sender.id);
    expect(await stateOf(sender)).toBe('rejected');
  });
});

test('an SMS name that an organization merely requested is free for others, and for the operator to assign', async () => {
  const [squatter, owner] = [await ownerOf(), await ownerOf()];
  const requested = accepted(await register(squatter, 'BANCO', 'sms'));
  accepted(await register(owner, 'banco', 'sms'));
  expect(await assignSender(ports, owner, 'sms', 'BANCO')).toMatchObject({ status: 'verified' });
  expect(await assignSender(ports, squatter, 'sms', 'BANCO')).toBeUndefined();
  expect(await stateOf(requested)).toBe('pending');
});

test('a domain that another organization has not proved is rejected there when the operator assigns it; a verified one is not', async () => {
  const [squatter, owner] = [await ownerOf(), await ownerOf()];
  const [requested, proved] = [await registered(squatter, newDomain()), await verified(squatter, newDomain())];
  expect(await rejectPending(ports, owner, 'email', requested.value)).toBe(true);
  expect(await assignSender(ports, owner, 'email', requested.value)).toMatchObject({ status: 'verified' });
  expect(await stateOf(requested)).toBe('rejected');
  expect(await rejectPending(ports, owner, 'email', proved.value)).toBe(false);
  expect(await assignSender(ports, owner, 'email', proved.value)).toBeUndefined();
  expect(await stateOf(proved)).toBe('verified');
});

describe('messages to a number', () => {
  const ownersOf = (value: string) => organizationsWithSender(world.table, 'sms', value);

  test('belong to its verified organization, with or without the plus sign, and to no organization after their deletion', async () => {
    const owner = await ownerOf();
    const sender = await assignSender(ports, owner, 'sms', '+5511400007777');
    for (const value of ['+5511400007777', '5511400007777'])
      expect(await ownersOf(value)).toEqual([owner.organizationId]);
    if (sender) await deleteSender(ports, owner, sender.id);
    expect(await ownersOf('+5511400007777')).toEqual([]);
  });

  test('do not belong to an organization that merely requested it', async () => {
    const [owner, squatter] = [await ownerOf(), await ownerOf()];
    await register(squatter, '28123', 'sms');
    expect(await ownersOf('28123')).toEqual([]);
    await assignSender(ports, owner, 'sms', '28123');
    expect(await ownersOf('28123')).toEqual([owner.organizationId]);
  });

  test('are shared by all organizations to which they were assigned', async () => {
    const owners = [await ownerOf(), await ownerOf(), await ownerOf()];
    for (const owner of owners) await assignSender(ports, owner, 'sms', '28456');
    expect((await ownersOf('28456')).toSorted()).toEqual(owners.map((owner) => owner.organizationId).toSorted());
  });
});
