import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { PERSON_LOOKUPS } from '../../shared/domain/access/rate-limits.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { apiClient } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { keyed } from './support.ts';

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly name?: string };
}
/** Lookups of a credential without pii:full, at once. */
const MAX_LOOKUPS = 60;
const SCOPES = ['sms:read', 'email:read'];
const phoneOf = (at: number) => `+55119${String(87_000_000 + at)}`;

const messaging = await sharedMessaging();

describe.each(ENVIRONMENTS)('a key of %s without pii:full', (env) => {
  test('looks people up 60 times a minute, over all lists together, then answers 429; other keys are not limited', async () => {
    const owner = await messaging.tenant();
    const masking = await messaging.limited(owner[env], SCOPES);
    const lookUp = (client: typeof masking, at: number) =>
      at % 2
        ? client.get('/v2/sms/messages', { phone: phoneOf(at) })
        : client.get('/v2/email/messages', { to: `pessoa${at}@example.com` });
    const answers = await Promise.all(Array.from({ length: MAX_LOOKUPS + 40 }, (_, at) => lookUp(masking, at)));
    const refused = answers.filter(({ status }) => status !== 200);
    // One more each second that this took.
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused.length).toBeLessThanOrEqual(40);
    for (const answer of refused) {
      expectProblem(answer, 429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect((await masking.get('/v2/sms/messages')).status).toBe(200);
    const another = await messaging.limited(owner[env], SCOPES);
    expect((await lookUp(another, 1)).status).toBe(200);
    const seeing = await messaging.limited(owner[env], [...SCOPES, 'pii:full']);
    for (let at = 0; at < MAX_LOOKUPS + 5; at++) expect((await lookUp(seeing, at)).status).toBe(200);
  }, 180_000);
});

/** The statuses of more calls at once than a minute has lookups, with what that takes. */
const statusesOf = async (call: (at: number) => Promise<{ readonly status: number }>): Promise<ReadonlySet<number>> => {
  const answers = await Promise.all(Array.from({ length: MAX_LOOKUPS + 40 }, (_, at) => call(at)));
  return new Set(answers.map(({ status }) => status));
};

describe('without pii:full', () => {
  test('a refused strict batch draws a lookup for each person that it names as opted out, and for no other fault', async () => {
    const owner = await messaging.tenant();
    const masking = await messaging.limited(owner.test, ['messages:send', 'sms:read']);
    const people = Array.from({ length: 40 }, (_, at) => phoneOf(700 + at));
    for (const phone of people)
      expect((await owner.test.post('/contacts', { phone, optIn: { status: 'denied' } })).status).toBe(201);
    const strict = (client: typeof masking, to: readonly string[]) =>
      client.post('/v1/messages/bulk', {
        mode: 'strict',
        messages: to.map((each) => ({ channel: 'sms', to: each, text: 'Oi' })),
      });
    for (let turn = 0; turn < 3; turn++) expectProblem(await strict(masking, ['+5511']), 422);
    const named = await strict(masking, people);
    expect([named.status, named.body.errors.length]).toEqual([422, 40]);
    const refused = await strict(masking, people);
    expectProblem(refused, 429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5);
    for (let turn = 0; turn < 3; turn++) expectProblem(await strict(owner.test, people), 422);
  });

  test('a refused contact reveals who has a phone 60 times a minute, then 429; callers with pii:full are not limited', async () => {
    const owner = await messaging.tenant();
    const masking = await messaging.limited(owner.test, ['contacts:write', 'sms:read']);
    const phone = phoneOf(500);
    expect((await owner.test.post('/contacts', { phone })).status).toBe(201);
    // Half of them, and so below the limit, are lists.
    const lookUp = (at: number) =>
      at % 2 ? masking.get('/v2/sms/messages', { phone }) : masking.post('/contacts', { phone });
    expect(await statusesOf(lookUp)).toEqual(new Set([200, 409, 429]));
    expect(await statusesOf(() => owner.test.post('/contacts', { phone }))).toEqual(new Set([409]));
  }, 180_000);

  test('a key without lookups left is refused whomever it names, so that the refusal reveals nothing', async () => {
    const owner = await messaging.tenant();
    const scopes = ['contacts:write', 'messages:send', 'sms:send'];
    const { body: key } = await owner.test.post('/v2/api-keys', { name: 'Drained', scopes });
    const masking = apiClient(messaging.url, key.key);
    const [known, unknown] = [phoneOf(600), phoneOf(601)];
    const own = (await masking.post('/contacts', { phone: known })).body.id;
    const bucket = KEYS.bucket(key.id, PERSON_LOOKUPS.name);
    await messaging.tables.test.write({ update: bucket, set: { fullAt: Date.now() + 600_000 } });
    for (const phone of [known, unknown]) {
      expectProblem(await masking.post('/contacts', { phone }), 429);
      expectProblem(await masking.call('PATCH', `/contacts/${own}`, { body: { phone } }), 429);
      expectProblem(await masking.post('/contacts/import', { contatos: [{ phone }], onConflict: 'skip' }), 429);
      expectProblem(await masking.post('/v1/messages/preview', { channel: 'sms', to: phone, text: 'Oi' }), 429);
    }
    expect((await masking.call('PATCH', `/contacts/${own}`, { body: { name: 'Ana' } })).status).toBe(200);
    expect((await owner.test.post('/contacts', { phone: unknown })).status).toBe(201);
  });

  test('a preview reveals who opted out 60 times a minute, then 429; callers with pii:full are not limited', async () => {
    const owner = await messaging.tenant();
    const masking = await messaging.limited(owner.test, ['messages:send', 'sms:send']);
    const phone = phoneOf(600);
    await owner.test.post('/contacts', { phone, optIn: { status: 'denied' } });
    const preview = (client: typeof masking, to: string) =>
      client.post('/v1/messages/preview', { channel: 'sms', to, text: 'Oferta' });
    expect((await preview(masking, phone)).body.hops[0].refusal.reason).toBe('opt_out');
    expect(await statusesOf(() => preview(masking, phone))).toEqual(new Set([200, 429]));
    expect(await statusesOf(() => preview(owner.test, phone))).toEqual(new Set([200]));
  }, 180_000);

  test('a preview reveals who has another address 60 times a minute, then 429; what no fallback finds is not limited', async () => {
    const owner = await messaging.tenant();
    const masking = await messaging.limited(owner.test, ['messages:send', 'sms:send']);
    const [known, unknown] = [phoneOf(610), phoneOf(611)];
    await owner.test.post('/contacts', { phone: known, email: 'ana@loja.example' });
    const preview = (to: string) =>
      masking.post('/v1/messages/preview', { channel: 'sms', to, text: 'Oi', fallback: ['email'] });
    expect((await preview(unknown)).body.hops[1].refusal.code).toBe('invalid_recipient');
    expect(await statusesOf(() => preview(unknown))).toEqual(new Set([200]));
    expect((await preview(known)).body.hops[1].to).toMatch(/^a.*\*/);
    expect(await statusesOf(() => preview(known))).toEqual(new Set([200, 429]));
  }, 180_000);

  test('a dry run of resends to an address reveals who opted out 60 times a minute, then 429; other dry runs are not limited', async () => {
    const owner = await messaging.tenant();
    const masking = await messaging.limited(owner.test, ['messages:manage']);
    const [phone, other] = [phoneOf(900), phoneOf(901)];
    await owner.test.post('/contacts', { phone, optIn: { status: 'denied' } });
    const hour = 3_600_000;
    const scheduledAt = new Date(Date.now() + hour).toISOString();
    await owner.test.post('/v1/messages', { channel: 'sms', to: other, text: 'Oferta', scheduledAt }, keyed());
    const filter = { from: new Date(Date.now() - hour).toISOString(), to: scheduledAt };
    const resend = (client: typeof masking, correction: object) =>
      client.post('/v1/messages/bulk-resend', { filter, correction, dryRun: true });
    expect((await resend(masking, { to: phone })).body).toMatchObject({ rejected: 1 });
    expect(await statusesOf(() => resend(masking, { to: phone }))).toEqual(new Set([202, 429]));
    expect((await resend(masking, { to: other })).body).toMatchObject({ rejected: 0 });
    expect(await statusesOf(() => resend(owner.test, { to: phone }))).toEqual(new Set([202]));
  }, 180_000);

  test('a turn that is reported for an address reveals who is a contact 60 times a minute, then 429 and no turn; one for a contact’s id is not limited', async () => {
    const owner = await messaging.tenant();
    const masking = await messaging.limited(owner.test, ['messages:send', 'contacts:read']);
    const [known, unknown] = [phoneOf(800), phoneOf(801)];
    const contactId = (await owner.test.post('/contacts', { phone: known })).body.id;
    const report = (client: typeof masking, who: object) =>
      client.post('/v2/ai/interactions', { ...who, channel: 'sms', model: 'atendente-2', role: 'user' });
    const answers = await Promise.all(
      Array.from({ length: MAX_LOOKUPS + 40 }, (_, at) => report(masking, { to: at % 2 ? known : unknown })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201, 422, 429]));
    const { items } = (await owner.test.get(`/contacts/${contactId}/timeline`, { limit: 100 })).body;
    expect(items).toHaveLength(statuses.filter((status) => status === 201).length);
    expect((await report(masking, { contactId })).status).toBe(201);
    expect(await statusesOf(() => report(owner.test, { to: known }))).toEqual(new Set([201]));
    const entered = (await owner.test.get('/v2/audit', { action: 'person.looked_up', limit: 1 })).body.items;
    expect(entered).toMatchObject([{ object: 'ai.report', details: { fields: ['to'] } }]);
  }, 180_000);

  test('every lookup is recorded in the audit log with its caller, list and fields, never with the address; with pii:full none is', async () => {
    const owner = await messaging.tenant();
    const masking = await messaging.limited(owner.test, [...SCOPES, 'contacts:write']);
    await owner.test.post('/contacts', { phone: phoneOf(700) });
    const requested = [
      await masking.get('/v2/sms/messages', { phone: phoneOf(700) }),
      await masking.get('/v2/email/messages', { to: 'pessoa@example.com' }),
      await masking.post('/contacts', { phone: phoneOf(700) }),
    ];
    await masking.get('/v2/sms/messages', { limit: 1 });
    await owner.test.get('/v2/sms/messages', { phone: phoneOf(700) });
    const { items } = (await owner.test.get('/v2/audit', { action: 'person.looked_up' })).body;
    const reported = items.map(({ id: _, at: __, actor: { kind, name }, ...rest }: Entry) => ({ kind, name, ...rest }));
    const expected = [
      ['sms.list', 'phone'],
      ['email.list', 'to'],
      ['contacts.create', 'phone'],
    ].map(([object, field], at) => ({
      kind: 'key',
      name: 'Limited',
      action: 'person.looked_up',
      object,
      ip: '127.0.0.1',
      requestId: requested[at]?.headers.get('x-request-id'),
      details: { fields: [field] },
    }));
    expect(reported).toEqual(expected.toReversed());
    const rows = (await messaging.rowsOf('test', '')).filter(({ pk }) => pk.startsWith('AUDS#'));
    expect(JSON.stringify(rows)).not.toMatch(/1198700|pessoa/);
  });
});

test('every lookup is logged with its caller, never with the address', async () => {
  const owner = await messaging.tenant();
  const masking = await messaging.limited(owner.test, SCOPES);
  await masking.get('/v2/sms/messages', { phone: phoneOf(1) });
  await owner.test.get('/v2/email/messages', { to: 'pessoa@example.com' });
  await masking.get('/v2/sms/messages', { limit: 1 });
  const linesNow = async () =>
    (await readFile(join(messaging.dataDir, 'functions.log'), 'utf8')).split('\n').filter(Boolean);
  const reportedNow = async () =>
    (await linesNow())
      .map((line) => JSON.parse(line))
      .filter(({ message, organizationId }) => message === 'person lookup' && organizationId === owner.id);
  await vi.waitFor(async () => expect(await reportedNow()).toHaveLength(2), PATIENCE);
  const reported = await reportedNow();
  expect(reported).toMatchObject([
    { operation: 'sms.list', filters: ['phone'], credentialId: expect.stringMatching(/^key_/), refused: false },
    { operation: 'email.list', filters: ['to'], credentialId: expect.stringMatching(/^key_/), refused: false },
  ]);
  expect(reported[0].credentialId).not.toBe(reported[1].credentialId);
  // A time may have the same digits behind its point.
  expect((await linesNow()).filter((line) => /(?<!\d\.\d*)1198700000|pessoa/.test(line))).toEqual([]);
});
