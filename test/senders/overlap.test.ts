import { beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../shared/domain/audit/entry.ts';
import { assignSender, verifyByUse } from '../../shared/domain/senders/assign.ts';
import type { Sender } from '../../shared/domain/senders/sender.ts';
import { checkSender, createSender, deleteSender, verifySender } from '../../shared/domain/senders/senders.ts';
import { releaseValue } from '../../shared/storage/senders/senders.ts';
import { accepted } from '../support/accepted.ts';
import { newDomain, useSenders } from './kit.ts';

const { world, ses, ports, senders, reset, own, ownerOf, registered, stateOf } = await useSenders();
beforeEach(reset);

const TAKEN = { details: { detail: 'Another organization has this sender.' } };
/** A pending sender whose proofs all stand. */
const proved = async (owner: Caller, value: string): Promise<Sender> => {
  const sender = await registered(owner, value);
  own(sender);
  ses.known.set(value, 'verified');
  return sender;
};
const verify = (owner: Caller, { id }: Sender) => verifySender(ports, owner, id);

describe('two organizations that registered a domain and what is below it', () => {
  test.each(['ola@', 'news.'])('are not both verified: the second one is 409, whichever it is (%s)', async (below) => {
    for (const isAboveFirst of [true, false]) {
      const [upper, lower] = [await ownerOf(), await ownerOf()];
      const domain = newDomain();
      const above = { owner: upper, sender: await proved(upper, domain) };
      const beneath = { owner: lower, sender: await proved(lower, `${below}${domain}`) };
      const [first, second] = isAboveFirst ? [above, beneath] : [beneath, above];
      expect(accepted(await verify(first.owner, first.sender)).status).toBe('verified');
      expect(await verify(second.owner, second.sender)).toMatchObject(TAKEN);
      await checkSender(ports, second.owner, second.sender.id);
      expect(await stateOf(second.sender)).toBe('pending');
    }
  });

  test('verified concurrently are one verified only, however they interleave', async () => {
    for (let round = 0; round < 8; round++) {
      const [upper, lower] = [await ownerOf(), await ownerOf()];
      const domain = newDomain();
      const above = await proved(upper, domain);
      const beneath = await proved(lower, `a.b.${domain}`);
      const turns = [verify(upper, above), verify(lower, beneath)];
      await Promise.all(round % 2 ? turns.toReversed() : turns);
      expect([await stateOf(above), await stateOf(beneath)].toSorted()).toEqual(['pending', 'verified']);
    }
  });

  test('cannot both be assigned either, even concurrently', async () => {
    for (let round = 0; round < 8; round++) {
      const [upper, lower] = [await ownerOf(), await ownerOf()];
      const domain = newDomain();
      const assigned = await Promise.all([
        assignSender(ports, upper, 'email', domain),
        assignSender(ports, lower, 'email', `a.${domain}`),
      ]);
      expect(assigned.filter((sender) => sender !== undefined)).toHaveLength(1);
    }
  });
});

describe('a domain below which another organization verified something', () => {
  test('is 409 at its registration, and free once the operator released the deleted value below', async () => {
    const [owner, other] = [await ownerOf(), await ownerOf()];
    const domain = newDomain();
    const value = `news.${domain}`;
    const sender = accepted(await verify(owner, await proved(owner, value)));
    const register = () => createSender(ports, other, { channel: 'email', value: domain });
    expect(await register()).toMatchObject(TAKEN);
    await deleteSender(ports, owner, sender.id);
    expect(await register()).toMatchObject(TAKEN);
    expect(await releaseValue(world.table, 'email', value, world.now)).toBe(true);
    expect(accepted(await register()).status).toBe('pending');
  });

  test('belongs to the organization if it verified all of it, in any order and concurrently', async () => {
    const owner = await ownerOf();
    const domain = newDomain();
    const values = [`ola@${domain}`, domain, `a.${domain}`, `x@a.${domain}`];
    const all = await Promise.all(values.map((value) => proved(owner, value)));
    const verified = await Promise.all(all.map((sender) => verify(owner, sender)));
    expect(verified.map((sender) => accepted(sender).status)).toEqual(Array(4).fill('verified'));
  });

  test('of more than 20 labels is rejected', async () => {
    const owner = await ownerOf();
    const value = `${'a.'.repeat(19)}${newDomain()}`;
    expect(await createSender(ports, owner, { channel: 'email', value })).toMatchObject({ name: 'VALIDATION_ERROR' });
  });
});

describe('in the sandbox a value that an organization uses', () => {
  const listed = async (owner: Caller) => (await senders.list(owner.organizationId)).map(({ value }) => value);

  test.each([
    ['email', newDomain()],
    ['sms', 'PRIMEIRA'],
  ] as const)(
    'is listed as its own, regardless of earlier users, and stays free to register: %s',
    async (channel, value) => {
      const [first, second, third] = [await ownerOf(), await ownerOf(), await ownerOf()];
      for (const owner of [first, second]) {
        expect(await verifyByUse(ports, owner, channel, value, [])).toBe(true);
        expect(await listed(owner)).toEqual([value]);
      }
      expect(accepted(await createSender(ports, third, { channel, value })).status).toBe('pending');
    },
  );

  test('is listed even if another organization registered it, and takes nothing from it', async () => {
    const [owner, user] = [await ownerOf(), await ownerOf()];
    const domain = newDomain();
    const sender = await proved(owner, domain);
    expect(await verifyByUse(ports, user, 'email', `ola@${domain}`, [])).toBe(true);
    expect(await verifyByUse(ports, user, 'email', domain, [])).toBe(true);
    expect((await listed(user)).toSorted()).toEqual([domain, `ola@${domain}`].toSorted());
    expect(accepted(await verify(owner, sender)).status).toBe('verified');
  });
});
