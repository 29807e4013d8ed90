import { beforeAll, describe, expect, test, vi } from 'vitest';
import { unsubscribeToken } from '../../shared/domain/contacts/unsubscribe-token.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { emailConsentStore } from '../../shared/storage/contacts/email-addresses.ts';
import { recipientConsent } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import type { Tenant } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const EMAIL = 'ana@loja.example';
const ONE_CLICK = 'List-Unsubscribe=One-Click';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let owner: Tenant;
const messaging = await sharedMessaging();
const fresh = async () => {
  owner = await messaging.tenant({ takesEvents: true });
};

const hashOf = async (env: Environment, email: string) =>
  (await messaging.vault(env, 'recipients')).blindIndex(owner.id, 'email', email);
const linkOf = async (env: Environment = 'test', email = EMAIL) => {
  const organizationId = owner.id;
  const emailHash = await hashOf(env, email);
  return `/u/${unsubscribeToken(await messaging.vault(env, 'unsubscribe'), { organizationId, env, emailHash })}`;
};
const click = (path: string, body = ONE_CLICK, headers: Record<string, string> = FORM) =>
  messaging.anonymous.post(path, body, headers);
/** Whether a send to the address that names no contact would be reserved. */
const maySend = async (email = EMAIL, env: Environment = 'test') => {
  const consent = { recipient: 'email', recipientHash: await hashOf(env, email), requiresConsent: true } as const;
  const check = recipientConsent(owner.id, consent);
  return check !== undefined && (await messaging.tables[env].transact([check])).ok;
};
let phones = 0;
const contact = async (fields: object = {}) => {
  phones++;
  const phone = `+55119${String(90_000_000 + phones)}`;
  const { status, body } = await owner.test.post('/contacts', { phone, email: EMAIL, ...fields });
  expect(status).toBe(201);
  return body.id as string;
};
const optOut = (id: string) => owner.test.post(`/contacts/${id}/opt-out`, { reason: 'asked' });
const optIn = (id: string) => owner.test.post(`/contacts/${id}/opt-in`, { source: 'checkout' });
const statusOf = async (id: string) => (await owner.test.get(`/contacts/${id}`)).body.optIn;
const optOuts = async () =>
  (await messaging.eventsOf('test', owner.id)).filter(({ type }) => type === 'contact.opted_out');

describe('one click', () => {
  beforeAll(fresh);

  test('unsubscribes the address, opts out every contact with it and raises contact.opted_out once for each', async () => {
    const ids = [await contact(), await contact({ email: 'ANA@Loja.Example' })];
    const other = await contact({ email: 'bia@loja.example' });
    expect(await maySend()).toBe(true);
    const link = await linkOf();
    for (const _ of [1, 2]) {
      const { status, headers, text } = await click(link);
      expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
      expect(text).toContain('Inscrição cancelada');
    }
    expect(await maySend()).toBe(false);
    for (const id of ids)
      expect(await statusOf(id)).toMatchObject({ status: 'denied', revokedReason: 'unsubscribed by e-mail' });
    expect((await optOuts()).map(({ data }) => data.contactId).sort()).toEqual(ids.sort());
    expect(await statusOf(other)).toEqual({ status: 'unknown' });
    expect(await maySend('bia@loja.example')).toBe(true);
  });

  test('unsubscribes an address without a contact, whatever its case', async () => {
    expect((await click(await linkOf('test', 'Nova@Loja.Example'))).status).toBe(200);
    expect(await maySend('nova@loja.example')).toBe(false);
  });

  test('may be either form of RFC 8058; anything else is 400 and changes nothing', async () => {
    const link = await linkOf('test', 'caio@loja.example');
    for (const body of [
      '',
      'List-Unsubscribe=no',
      '{"List-Unsubscribe":"One-Click"}',
      'x=List-Unsubscribe%3DOne-Click',
    ])
      expectProblem(await click(link, body), 400);
    expect(await maySend('caio@loja.example')).toBe(true);
    const multipart = `--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n`;
    expect((await click(link, multipart, { 'content-type': 'multipart/form-data; boundary=b' })).status).toBe(200);
    expect(await maySend('caio@loja.example')).toBe(false);
  });

  test('repeated 50 times concurrently opts out once', async () => {
    await fresh();
    const id = await contact();
    const link = await linkOf();
    const answers = await Promise.all(Array.from({ length: 50 }, () => click(link)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await optOuts()).length).toBe(1);
    expect((await optIn(id)).status).toBe(200);
    expect(await maySend()).toBe(true);
  });

  test('applies to its own organization and environment only', async () => {
    await fresh();
    const first = owner;
    await click(await linkOf());
    await fresh();
    expect(await maySend()).toBe(true);
    owner = first;
    expect(await maySend(EMAIL, 'live')).toBe(true);
    expect((await click(await linkOf('live'))).status).toBe(200);
    expect(await maySend(EMAIL, 'live')).toBe(false);
  });
});

test('a click whose request ended after the address was unsubscribed opts out its contacts in the background', async () => {
  await fresh();
  const ids = [await contact(), await contact()];
  const table = messaging.tables.test;
  const emailHash = await hashOf('test', EMAIL);
  const now = Date.now();
  await emailConsentStore(table).unsubscribe(owner.id, emailHash, now);
  await table.write({ update: KEYS.emailAddress(owner.id, emailHash), set: { dueAt: now } });
  await vi.waitFor(async () => expect((await optOuts()).length).toBe(ids.length), PATIENCE);
  for (const id of ids)
    expect(await statusOf(id)).toMatchObject({ status: 'denied', revokedReason: 'unsubscribed by e-mail' });
  const row = () => table.get(KEYS.emailAddress(owner.id, emailHash));
  await vi.waitFor(async () => expect(await row()).not.toHaveProperty('duePk'), PATIENCE);
});

test('the page changes nothing, loads nothing from other hosts and has a form that posts the click', async () => {
  await fresh();
  const id = await contact();
  const link = await linkOf();
  const { status, headers, text } = await messaging.anonymous.get(link);
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  expect(text).toContain('<html lang="pt-BR">');
  expect(text).not.toMatch(/https?:|\bsrc=|<script|@import|url\(/);
  expect(await maySend()).toBe(true);
  expect((await statusOf(id)).status).toBe('unknown');
  const [, name, value] = /<input type="hidden" name="([^"]+)" value="([^"]+)">/.exec(text) ?? [];
  expect((await click(link, `${name}=${value}`)).status).toBe(200);
  expect(await maySend()).toBe(false);
});

describe('a link', () => {
  beforeAll(fresh);

  test('contains no personal data in clear, and starts with t only in test', async () => {
    const [inTest, inLive] = [await linkOf('test'), await linkOf('live')];
    expect(inTest).toMatch(/^\/u\/t[A-Za-z0-9_-]{107}$/);
    expect(inLive).toMatch(/^\/u\/l[A-Za-z0-9_-]{107}$/);
    expect(Buffer.from(inTest.slice(4), 'base64url').toString('latin1')).not.toContain('ana');
  });

  test('that was altered anywhere, or moved to the other environment, is 404', async () => {
    const link = await linkOf();
    const swapped = (at: number) => `${link.slice(0, at)}${link[at] === 'A' ? 'B' : 'A'}${link.slice(at + 1)}`;
    const altered = [
      ...Array.from({ length: link.length - 4 }, (_, at) => swapped(at + 4)),
      link.replace('/u/t', '/u/l'),
      `${link}A`,
      '/u/t',
      '/u/x',
    ];
    for (const path of altered) expectProblem(await click(path), 404);
    expectProblem(await messaging.anonymous.get(swapped(10)), 404);
    expect(await maySend()).toBe(true);
  });
});

describe('the consent of an address', () => {
  beforeAll(fresh);

  test('is denied as long as one of its contacts has opted out', async () => {
    const [one, two] = [await contact(), await contact()];
    await optOut(one);
    await optOut(two);
    await optOut(two);
    expect(await maySend()).toBe(false);
    await optIn(one);
    await optIn(one);
    expect(await maySend()).toBe(false);
    await optIn(two);
    expect(await maySend()).toBe(true);
  });

  test('that was denied when the contact was created applies from the first send', async () => {
    await contact({ email: 'dora@loja.example', optIn: { status: 'denied' } });
    expect(await maySend('dora@loja.example')).toBe(false);
  });

  test('is restored by an opt-in of its contact, but not by creating another contact', async () => {
    await fresh();
    await click(await linkOf());
    const id = await contact();
    expect(await maySend()).toBe(false);
    await optIn(id);
    expect(await maySend()).toBe(true);
  });

  test('is not affected by a contact without an address', async () => {
    await fresh();
    const id = await contact({ email: undefined });
    await optOut(id);
    expect((await optIn(id)).status).toBe(200);
    expect(await maySend()).toBe(true);
  });
});
