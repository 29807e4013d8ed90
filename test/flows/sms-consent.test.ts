import { describe, expect, test } from 'vitest';
import { startMessaging, type Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';

const PHONE = '+5511999990005';
const REFUSED = { motivo: 'opt_out' };

const messaging = await use(startMessaging());

interface Person {
  readonly owner: Tenant;
  readonly id: string;
}
/** An organization with one contact; opted out unless said otherwise. */
const person = async (optOut = true): Promise<Person> => {
  const owner = await messaging.tenant();
  const { body } = await owner.test.post('/contacts', { phone: PHONE });
  if (optOut) expect((await owner.test.post(`/contacts/${body.id}/opt-out`, { reason: 'asked' })).status).toBe(200);
  return { owner, id: body.id };
};

describe('a contact that opted out', () => {
  test.each([
    ['named by contactId', (id: string) => ({ contactId: id, to: '+5511999990006' })],
    ['named by contactId and reached at its own phone', (id: string) => ({ contactId: id })],
    ['known by the recipient alone', () => ({})],
  ])('is sent nothing on premium when it is %s: 422 opt_out, nothing stored or charged', async (_, fields) => {
    const { owner, id } = await person();
    const before = await messaging.rowsOf('test', owner.id);
    expectProblem(await owner.test.send(fields(id)), 422, { meta: REFUSED });
    expect(await messaging.rowsOf('test', owner.id)).toEqual(before);
    expect((await owner.test.get('/v2/wallet')).body.balanceCoins).toBe(10_000_000);
  });

  test('is always sent otp, named or not', async () => {
    const { owner, id } = await person();
    for (const fields of [{ contactId: id }, {}])
      expect(await owner.test.send({ ...fields, route: 'otp' })).toMatchObject({ status: 201, body: { route: 'otp' } });
  });

  test('leaves the key free: an otp with the same key is a first send', async () => {
    const { owner } = await person();
    expectProblem(await owner.test.send({}, 'k'), 422, { meta: REFUSED });
    expect(await owner.test.send({ route: 'otp' }, 'k')).toMatchObject({ status: 201, body: { replayed: false } });
  });

  test('is refused before its money is looked at, and after its route and its replay are', async () => {
    const owner = await messaging.tenant();
    const { body } = await owner.live.post('/contacts', { phone: PHONE });
    await owner.live.post(`/contacts/${body.id}/opt-out`, {});
    expectProblem(await owner.live.send(), 422, { meta: REFUSED });
    expectProblem(await owner.live.send({ route: 'la_dedicada' }), 412);
    expectProblem(await owner.live.send({ route: 'otp' }), 402);
    const { owner: other, id } = await person(false);
    const first = await other.test.send({}, 'before');
    await other.test.post(`/contacts/${id}/opt-out`, {});
    expect((await other.test.send({}, 'before')).body).toEqual({ ...first.body, replayed: true });
    expectProblem(await other.test.send({ body: 'Outro' }, 'before'), 409);
  });

  test('that opts in again is sent premium again, by its id and by its phone', async () => {
    const { owner, id } = await person();
    expect((await owner.test.post(`/contacts/${id}/opt-in`, { source: 'checkout' })).status).toBe(200);
    for (const fields of [{ contactId: id }, {}]) expect((await owner.test.send(fields)).status).toBe(201);
  });

  test('binds only its own organization and environment', async () => {
    const { owner } = await person();
    const stranger = await messaging.tenant();
    expect((await stranger.test.send()).status).toBe(201);
    expectProblem(await owner.live.send(), 402);
  });
});

describe('consent', () => {
  test('that is granted or unknown forbids nothing, and a phone that is no contact’s neither', async () => {
    const { owner, id } = await person(false);
    for (const fields of [{}, { contactId: id }, { to: '+5511999990006' }])
      expect((await owner.test.send(fields)).status).toBe(201);
  });

  test('is that of the named contact, not of whoever else has the phone', async () => {
    const { owner } = await person();
    const { body: other } = await owner.test.post('/contacts', { phone: '+5511999990006' });
    expect((await owner.test.send({ contactId: other.id, to: PHONE })).status).toBe(201);
  });

  test('that was denied when the contact was created holds from its first send on', async () => {
    const owner = await messaging.tenant();
    const { status } = await owner.test.post('/contacts', { phone: PHONE, optIn: { status: 'denied' } });
    expect(status).toBe(201);
    expectProblem(await owner.test.send(), 422, { meta: REFUSED });
  });

  test('of an unknown contact is nobody’s: 422 that names contactId, on otp too, and no opt_out', async () => {
    const owner = await messaging.tenant();
    for (const route of ['premium', 'otp']) {
      const refused = await owner.test.send({ contactId: 'cnt_000000000000000000000', route });
      expectProblem(refused, 422, { errors: ['contactId'] });
      expect(refused.body.meta).toBeUndefined();
    }
  });
});
