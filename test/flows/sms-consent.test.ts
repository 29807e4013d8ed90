import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, optedOut } from './support.ts';

const PHONE = '+5511999990005';
const REFUSED = { motivo: 'opt_out' };

const messaging = await sharedMessaging();

interface Person {
  readonly owner: Tenant;
  readonly id: string;
}
/** An organization with one contact; opted out unless said otherwise. */
const person = async (optOut = true): Promise<Person> => {
  const owner = await messaging.tenant();
  if (optOut) return { owner, id: await optedOut(owner.test, { phone: PHONE }) };
  return { owner, id: (await owner.test.post('/contacts', { phone: PHONE })).body.id };
};

describe('a contact that opted out', () => {
  test.each([
    ['named by contactId', (id: string) => ({ contactId: id, to: '+5511999990006' })],
    ['named by contactId without a recipient', (id: string) => ({ contactId: id })],
    ['found by the recipient', () => ({})],
  ])('is refused premium when %s: 422 opt_out, nothing stored or charged', async (_, fields) => {
    const { owner, id } = await person();
    const before = await messaging.rowsOf('test', owner.id);
    expectProblem(await owner.test.send(fields(id)), 422, { meta: REFUSED });
    expect(await messaging.rowsOf('test', owner.id)).toEqual(before);
    expect(await balanceOf(owner.test)).toBe(10_000_000);
  });

  test('is always accepted on otp, named or not', async () => {
    const { owner, id } = await person();
    for (const fields of [{ contactId: id }, {}])
      expect(await owner.test.send({ ...fields, route: 'otp' })).toMatchObject({ status: 201, body: { route: 'otp' } });
  });

  test('leaves the key free: an otp with the same key is a new send', async () => {
    const { owner } = await person();
    expectProblem(await owner.test.send({}, 'k'), 422, { meta: REFUSED });
    expect(await owner.test.send({ route: 'otp' }, 'k')).toMatchObject({ status: 201, body: { replayed: false } });
  });

  test('is refused before the balance is checked, and after route and replay', async () => {
    const owner = await messaging.tenant();
    await optedOut(owner.live, { phone: PHONE });
    expectProblem(await owner.live.send(), 422, { meta: REFUSED });
    expectProblem(await owner.live.send({ route: 'la_dedicada' }), 412);
    expectProblem(await owner.live.send({ route: 'otp' }), 402);
    const { owner: other, id } = await person(false);
    const first = await other.test.send({}, 'before');
    await other.test.post(`/contacts/${id}/opt-out`, {});
    expect((await other.test.send({}, 'before')).body).toEqual({ ...first.body, replayed: true });
    expectProblem(await other.test.send({ body: 'Outro' }, 'before'), 409);
  });

  test('that opts in again is accepted on premium, by its id and phone', async () => {
    const { owner, id } = await person();
    expect((await owner.test.post(`/contacts/${id}/opt-in`, { source: 'checkout' })).status).toBe(200);
    for (const fields of [{ contactId: id }, {}]) expect((await owner.test.send(fields)).status).toBe(201);
  });

  test('is refused only in its own organization and environment', async () => {
    const { owner } = await person();
    const stranger = await messaging.tenant();
    expect((await stranger.test.send()).status).toBe(201);
    expectProblem(await owner.live.send(), 402);
  });
});

describe('consent', () => {
  test('that is granted or unknown, or of an unknown phone, forbids nothing', async () => {
    const { owner, id } = await person(false);
    for (const fields of [{}, { contactId: id }, { to: '+5511999990006' }])
      expect((await owner.test.send(fields)).status).toBe(201);
  });

  test('is that of the named contact, not of another one with the phone', async () => {
    const { owner } = await person();
    const { body: other } = await owner.test.post('/contacts', { phone: '+5511999990006' });
    expect((await owner.test.send({ contactId: other.id, to: PHONE })).status).toBe(201);
  });

  test('that was denied when the contact was created applies from the first send', async () => {
    const owner = await messaging.tenant();
    const { status } = await owner.test.post('/contacts', { phone: PHONE, optIn: { status: 'denied' } });
    expect(status).toBe(201);
    expectProblem(await owner.test.send(), 422, { meta: REFUSED });
  });

  test('cannot be checked for an unknown contact: 422 at contactId, also on otp, without opt_out', async () => {
    const owner = await messaging.tenant();
    for (const route of ['premium', 'otp']) {
      const refused = await owner.test.send({ contactId: 'cnt_000000000000000000000', route });
      expectProblem(refused, 422, { errors: ['contactId'] });
      expect(refused.body.meta).toBeUndefined();
    }
  });
});
