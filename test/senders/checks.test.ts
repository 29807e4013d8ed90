import { beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../shared/domain/audit/entry.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Sender } from '../../shared/domain/senders/sender.ts';
import { checkSender, createSender, deleteSender, verifySender } from '../../shared/domain/senders/senders.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { accepted } from '../support/accepted.ts';
import { newDomain, useSenders } from './kit.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { world, ses, enqueued, ports, senders, reset, own, ownerOf, registered, stored, stateOf } = await useSenders();
const due = async (at: number) => (await overdue(world.table, 'check_sender', at, 100)).length;
beforeEach(reset);

describe('a pending domain', () => {
  test('is due for a check one minute after it was registered, and verified by the check once SES found its records', async () => {
    const owner = await ownerOf();
    const before = await due(world.now + MINUTE);
    const sender = await registered(owner, newDomain());
    expect(enqueued).toEqual([MINUTE]);
    expect([await due(world.now + MINUTE - 1), await due(world.now + MINUTE + 1)]).toEqual([before, before + 1]);
    own(sender);
    ses.known.set(sender.value, 'verified');
    await checkSender(ports, owner, sender.id);
    expect(await stateOf(sender)).toBe('verified');
    expect(await due(world.now + 100 * HOUR)).toBe(before);
    await checkSender(ports, owner, sender.id);
    expect(await stateOf(sender)).toBe('verified');
  });

  test('is checked less and less often, at least once an hour, and rejected after 72 hours without proof', async () => {
    const owner = await ownerOf();
    const sender = await registered(owner, newDomain());
    const startedAt = world.now;
    for (let turn = 0; turn < 200 && (await stateOf(sender)) === 'pending'; turn++) {
      world.now += enqueued.at(-1) ?? 0;
      await checkSender(ports, owner, sender.id);
    }
    expect(await stateOf(sender)).toBe('rejected');
    expect((world.now - startedAt) / HOUR).toBeGreaterThanOrEqual(72);
    expect((world.now - startedAt) / HOUR).toBeLessThan(73.1);
    expect(enqueued.toSorted((a, b) => a - b)).toEqual(enqueued);
    expect(enqueued.at(-1)).toBe(HOUR);
    expect(ses.known.has(sender.value)).toBe(false);
  });

  test('stays pending and due while SES does not answer', async () => {
    const owner = await ownerOf();
    const sender = await registered(owner, newDomain());
    ses.down = true;
    await expect(checkSender(ports, owner, sender.id)).rejects.toThrow('TimeoutError');
    expect(await stateOf(sender)).toBe('pending');
    expect(await due(world.now + MINUTE + 1)).toBeGreaterThan(0);
  });

  test('whose registration SES did not confirm is not stored, and its value is free', async () => {
    const [owner, other] = [await ownerOf(), await ownerOf()];
    const domain = newDomain();
    ses.down = true;
    await expect(registered(owner, domain)).rejects.toThrow('TimeoutError');
    ses.down = false;
    expect(await senders.list(owner.organizationId)).toEqual([]);
    expect((await registered(other, domain)).status).toBe('pending');
  });
});

describe('a domain whose DKIM records SES finds', () => {
  const tokenOf = ({ records = [] }: Sender) => records.find(({ type }) => type === 'TXT')?.value;

  test('is not verified by what its owner set for another organization’s registration', async () => {
    const [former, thief] = [await ownerOf(), await ownerOf()];
    const domain = newDomain();
    const first = await registered(former, domain);
    own(first);
    await deleteSender(ports, former, first.id);
    const second = await registered(thief, domain);
    ses.known.set(domain, 'verified');
    await checkSender(ports, thief, second.id);
    expect(accepted(await verifySender(ports, thief, second.id)).status).toBe('pending');
    expect(tokenOf(second)).not.toBe(tokenOf(first));
    own(second);
    expect(accepted(await verifySender(ports, thief, second.id)).status).toBe('verified');
  });

  test('without its registration’s record is rejected after 72 hours, and has the same record when it is registered again', async () => {
    const owner = await ownerOf();
    const sender = await registered(owner, newDomain());
    ses.known.set(sender.value, 'verified');
    world.now += 73 * HOUR;
    await checkSender(ports, owner, sender.id);
    expect(await stateOf(sender)).toBe('rejected');
    expect(tokenOf(accepted(await verifySender(ports, owner, sender.id)))).toBe(tokenOf(sender));
  });

  test('registered before registrations had records is given one by its next check', async () => {
    const owner = await ownerOf();
    const sender = await registered(owner, newDomain());
    await senders.change(sender, { ...sender, records: undefined, version: sender.version + 1 });
    ses.known.set(sender.value, 'verified');
    await checkSender(ports, owner, sender.id);
    const after = await stored(sender);
    expect([after?.status, after && tokenOf(after)]).toEqual(['pending', expect.stringMatching(/^messaging-verify=/)]);
  });

  test('is verified without a record if it is an address: its link is its proof', async () => {
    const owner = await ownerOf();
    const sender = await registered(owner, `ola@${newDomain()}`);
    expect(sender.records).toBeUndefined();
    ses.known.set(sender.value, 'verified');
    expect(accepted(await verifySender(ports, owner, sender.id)).status).toBe('verified');
  });
});

describe('a rejected domain', () => {
  const rejected = async (owner: Caller, domain: string) => {
    const sender = await registered(owner, domain);
    ses.known.set(domain, 'rejected');
    await checkSender(ports, owner, sender.id);
    expect(await stateOf(sender)).toBe('rejected');
    return sender;
  };

  test('is free for another organization, whose registration the former one neither acquires nor removes', async () => {
    const [owner, other] = [await ownerOf(), await ownerOf()];
    const domain = newDomain();
    const former = await rejected(owner, domain);
    const sender = await registered(other, domain);
    own(sender);
    ses.known.set(domain, 'verified');
    await checkSender(ports, other, sender.id);
    expect(await verifySender(ports, owner, former.id)).toMatchObject({
      details: { detail: 'Another organization has this sender.' },
    });
    expect(await stateOf(former)).toBe('rejected');
    expect(await deleteSender(ports, owner, former.id)).toBeUndefined();
    expect(ses.known.get(domain)).toBe('verified');
    expect(await stateOf(sender)).toBe('verified');
    expect(isRefusal(await createSender(ports, owner, { channel: 'email', value: domain }))).toBe(true);
  });

  test('that is registered again has another 72 hours, and its value again', async () => {
    const [owner, other] = [await ownerOf(), await ownerOf()];
    const domain = newDomain();
    const { id } = await rejected(owner, domain);
    world.now += 100 * HOUR;
    expect(accepted(await verifySender(ports, owner, id))).toMatchObject({
      status: 'pending',
      checkUntil: world.now + 72 * HOUR,
    });
    expect(isRefusal(await createSender(ports, other, { channel: 'email', value: domain }))).toBe(true);
  });
});
