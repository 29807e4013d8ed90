import { describe, expect, onTestFinished, test } from 'vitest';
import type { Account } from '../../shared/domain/access/accounts.ts';
import { activateAccount, suspendAccount, updateAccount } from '../../shared/domain/access/people.ts';
import { renewSession } from '../../shared/domain/access/renew-session.ts';
import {
  BROWSER_TOKEN_MS,
  COOKIE_GRACE_MS,
  MAX_BROWSER_TOKENS,
  setCookie,
} from '../../shared/domain/access/session-cookie.ts';
import {
  type Entered,
  endSession,
  enteredView,
  listSessions,
  SESSION_MS,
  sessionView,
} from '../../shared/domain/access/sessions.ts';
import { newLink, signIn } from '../../shared/domain/access/sign-in.ts';
import { auditEntry } from '../../shared/domain/audit/entry.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { setConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import { accepted } from '../support/accepted.ts';
import { waitAsInvocation } from '../support/patience.ts';
import { startPeople } from '../support/people.ts';
import { use } from '../support/use.ts';

const world = await use(startPeople());
const { ports, person, sessionOf, state } = world;
const REFUSED = { name: 'UNAUTHORIZED' };

const enter = async (account: Account): Promise<Entered & { cookie: string }> => {
  const { link, path } = newLink(account, 'test', state.now);
  await ports.store.putLink(link);
  return withCookie(accepted(await signIn(ports, path.split('#')[1] ?? '', { cookie: true })));
};
const withCookie = (entered: Entered) => {
  if (entered.cookie === undefined) throw new Error('no cookie was given');
  return { ...entered, cookie: entered.cookie };
};
const renew = async (cookie: string) => withCookie(accepted(await renewSession(ports, cookie)));
const authorize = (token: string) => world.authorize('test', `Bearer ${token}`, state.now);
const ana = async () => person(await world.organization(), 'support');

describe("a browser's session", () => {
  test('has a token for 15 minutes, which its cookie renews for 12 hours and no longer', async () => {
    const opened = await enter(await ana());
    const start = state.now;
    expect(enteredView(opened)).toMatchObject({
      expiresAt: new Date(start + BROWSER_TOKEN_MS).toISOString(),
      session: { id: opened.session.id, expiresAt: new Date(start + SESSION_MS).toISOString() },
      person: { role: 'support', name: 'Ana' },
      organization: { name: 'Loja Azul', env: 'test' },
    });
    state.now = start + BROWSER_TOKEN_MS - 1;
    expect(await authorize(opened.secret.text)).toBeDefined();
    state.now += 1;
    expect(await authorize(opened.secret.text)).toBeUndefined();
    state.now = start + SESSION_MS - 1_000;
    const last = await renew(opened.cookie);
    expect(last.credential.expiresAt).toBe(start + SESSION_MS);
    expect(await authorize(last.secret.text)).toBeDefined();
    state.now = start + SESSION_MS;
    expect(await renewSession(ports, last.cookie)).toMatchObject(REFUSED);
    expect(await authorize(last.secret.text)).toBeUndefined();
  });

  test('stays one session, and its cookie is another after each renewal', async () => {
    const account = await ana();
    const opened = await enter(account);
    const first = await renew(opened.cookie);
    state.now += 1_000;
    const third = await renew(first.cookie);
    expect(new Set([opened.cookie, first.cookie, third.cookie]).size).toBe(3);
    expect(third.session.id).toBe(opened.session.id);
    expect(accepted(await listSessions(ports, sessionOf(account), undefined, state.now))).toHaveLength(1);
    for (const { secret } of [opened, first, third]) expect(await authorize(secret.text)).toBeDefined();
  });

  test('gives twenty tabs that renew concurrently a token each and the same cookie, which stays valid', async () => {
    // They wait for each other as an invocation does.
    setConflictPatience(waitAsInvocation);
    onTestFinished(() => setConflictPatience(() => 0));
    const opened = await enter(await ana());
    const tabs = await Promise.all(Array.from({ length: 20 }, () => renew(opened.cookie)));
    expect(new Set(tabs.map(({ cookie }) => cookie)).size).toBe(1);
    expect(new Set(tabs.map(({ secret }) => secret.text)).size).toBe(20);
    const working = await Promise.all(tabs.map(async ({ secret }) => (await authorize(secret.text)) !== undefined));
    expect(working.filter(Boolean)).toHaveLength(MAX_BROWSER_TOKENS);
    expect(await renew(tabs[0]?.cookie ?? '')).toBeDefined();
  });

  test('ends with every token when a cookie comes that was replaced over a minute ago, and the log says so', async () => {
    const account = await ana();
    const opened = await enter(account);
    const thief = await renew(opened.cookie);
    state.now += COOKIE_GRACE_MS;
    expect(await renewSession(ports, opened.cookie)).not.toMatchObject(REFUSED);
    state.now += 1;
    expect(await renewSession(ports, opened.cookie)).toMatchObject(REFUSED);
    expect(await authorize(thief.secret.text)).toBeUndefined();
    expect(await renewSession(ports, thief.cookie)).toMatchObject(REFUSED);
    const rows = JSON.stringify(await world.rows('test'));
    expect(rows).toContain('cookieReused');
  });

  test('is renewed by a replaced cookie for a minute after its replacement, however old the session is', async () => {
    const opened = await enter(await ana());
    state.now += 10 * COOKIE_GRACE_MS;
    const next = await renew(opened.cookie);
    state.now += COOKIE_GRACE_MS;
    expect((await renew(opened.cookie)).cookie).toBe(next.cookie);
  });

  test('is of its stage, and of an account that is active and still in its organization', async () => {
    const account = await ana();
    const opened = await enter(account);
    expect(await renewSession({ ...ports, env: 'live' }, opened.cookie)).toMatchObject(REFUSED);
    for (const change of [{ organizationId: await world.organization() }, { status: 'suspended' as const }]) {
      const accounts = { read: async () => ({ ...account, ...change }) };
      expect(await renewSession({ ...ports, accounts }, opened.cookie)).toMatchObject(REFUSED);
    }
    expect(await renew(opened.cookie)).toBeDefined();
  });

  test('has a cookie that the browser drops when the session ends, and at once after that', () => {
    expect(setCookie('test', 'x', 1_999)).toContain('; Max-Age=1;');
    expect(setCookie('test', 'x', -1_000)).toContain('; Max-Age=0;');
  });

  test('ends when a cookie comes that was replaced twice, however quickly', async () => {
    const opened = await enter(await ana());
    const first = await renew(opened.cookie);
    const second = await renew(first.cookie);
    expect(await renewSession(ports, opened.cookie)).toMatchObject(REFUSED);
    for (const { secret } of [opened, first, second]) expect(await authorize(secret.text)).toBeUndefined();
  });

  test('is not touched by a cookie that was never its own', async () => {
    const opened = await enter(await ana());
    const other = await enter(await ana());
    const [id, secret = '', generation, proof = ''] = opened.cookie.split('.');
    const [otherId, otherSecret] = other.cookie.split('.');
    for (const forged of [
      `${otherId}.${secret}.${generation}.${proof}`,
      `${id}.${otherSecret}.${generation}.${proof}`,
      `${id}.${secret}.1.${proof}`,
      `${id}.${secret}.0.${'0'.repeat(64)}`,
      `ses_${'0'.repeat(21)}.${secret}.0.${proof}`,
      `${opened.cookie} `,
      '',
    ])
      expect(await renewSession(ports, forged), forged).toMatchObject(REFUSED);
    expect(await renewSession(ports, undefined)).toMatchObject(REFUSED);
    expect(await renew(opened.cookie)).toBeDefined();
    expect(await renew(other.cookie)).toBeDefined();
  });

  test('is not renewed by a replaced cookie that says it is the latest: its proof is of its own generation', async () => {
    const opened = await enter(await ana());
    const second = await renew((await renew(opened.cookie)).cookie);
    const [id, secret, , proof] = opened.cookie.split('.');
    for (const generation of [1, 2])
      expect(await renewSession(ports, `${id}.${secret}.${generation}.${proof}`)).toMatchObject(REFUSED);
    expect(await renew(second.cookie)).toBeDefined();
  });

  test('ends with every token that it gave when its person signs out, also one renewed at that moment', async () => {
    const account = await ana();
    const opened = await enter(account);
    const tokens = [opened.secret.text, (await renew(opened.cookie)).secret.text];
    const [ended, ...racing] = await Promise.all([
      endSession(ports, sessionOf(account), opened.session.id),
      ...Array.from({ length: 5 }, () => renewSession(ports, opened.cookie)),
    ]);
    expect(ended).toBeUndefined();
    for (const outcome of racing) if (!isRefusal(outcome)) tokens.push(outcome.secret.text);
    for (const token of tokens) expect(await authorize(token)).toBeUndefined();
    expect(await renewSession(ports, opened.cookie)).toMatchObject(REFUSED);
    expect(await endSession(ports, sessionOf(account), opened.session.id)).toMatchObject({ name: 'NOT_FOUND' });
  });

  test('does not end as it was before a renewal, whose token would outlive it', async () => {
    const account = await ana();
    const opened = await enter(account);
    const renewed = await renew(opened.cookie);
    const act = { action: 'session.ended', object: opened.session.id, at: state.now } as const;
    expect(await ports.sessions.end(opened.session, auditEntry(sessionOf(account), act))).toBe(false);
    expect(await authorize(renewed.secret.text)).toBeDefined();
    expect(await ports.sessions.end(renewed.session, auditEntry(sessionOf(account), act))).toBe(true);
    for (const { secret } of [opened, renewed]) expect(await authorize(secret.text)).toBeUndefined();
  });

  test('has the current role, and is refused permanently once its account was suspended', async () => {
    const organizationId = await world.organization();
    const [owner, bia] = [await person(organizationId, 'owner'), await person(organizationId, 'support')];
    const opened = await enter(bia);
    accepted(await updateAccount(ports, sessionOf(owner), bia.id, { role: 'viewer' }));
    const narrower = await renew(opened.cookie);
    expect(enteredView(narrower).scopes).not.toContain('messages:manage');
    accepted(await suspendAccount(ports, sessionOf(owner), bia.id));
    expect(await renewSession(ports, narrower.cookie)).toMatchObject(REFUSED);
    accepted(await activateAccount(ports, sessionOf(owner), bia.id));
    expect(await renewSession(ports, narrower.cookie)).toMatchObject(REFUSED);
  });

  test('is not renewed for an account that is suspended at that moment', async () => {
    const organizationId = await world.organization();
    const [owner, bia] = [await person(organizationId, 'owner'), await person(organizationId, 'support')];
    const opened = await enter(bia);
    let reads = 0;
    const read: typeof ports.accounts.read = async (id) => {
      const before = await ports.accounts.read(id);
      reads += 1;
      if (reads === 1) accepted(await suspendAccount(ports, sessionOf(owner), bia.id));
      return before;
    };
    expect(await renewSession({ ...ports, accounts: { read } }, opened.cookie)).toMatchObject(REFUSED);
    expect(reads).toBe(2);
  });

  test('stores neither its cookie nor a token', async () => {
    const opened = await enter(await ana());
    const next = await renew(opened.cookie);
    const rows = JSON.stringify(await world.rows('test'));
    for (const secret of [
      opened.secret.text,
      next.secret.text,
      ...next.cookie.split('.').filter((part) => part.length >= 40),
    ])
      expect(rows).not.toContain(secret);
  });

  test('without a cookie is one of 12 hours that nothing renews', async () => {
    const { link, path } = newLink(await ana(), 'test', state.now);
    await ports.store.putLink(link);
    const opened = accepted(await signIn(ports, path.split('#')[1] ?? ''));
    expect(opened.cookie).toBeUndefined();
    expect(opened.credential.expiresAt).toBe(state.now + SESSION_MS);
    expect(await renewSession(ports, `${opened.session.id}.${'0'.repeat(40)}.0.${'0'.repeat(64)}`)).toMatchObject(
      REFUSED,
    );
  });
});

describe('the sessions of a person', () => {
  const GONE = { name: 'NOT_FOUND' };

  test('are listed and ended by the person and by managers of the same organization, and by no other', async () => {
    const organizationId = await world.organization();
    const [owner, admin, support] = [
      await person(organizationId, 'owner'),
      await person(organizationId, 'admin'),
      await person(organizationId, 'support'),
    ];
    const stranger = await person(await world.organization(), 'owner');
    const { session } = await enter(owner);
    for (const caller of [admin, support, stranger].map(sessionOf)) {
      expect(await listSessions(ports, caller, owner.id, state.now)).toMatchObject(GONE);
      expect(await endSession(ports, caller, session.id)).toMatchObject(GONE);
    }
    expect(await endSession(ports, { ...sessionOf(owner), env: 'live' }, session.id)).toMatchObject(GONE);
    const own = await enter(support);
    const viewer = await person(organizationId, 'viewer');
    expect(await listSessions(ports, sessionOf(support), viewer.id, state.now)).toMatchObject(GONE);
    expect(await endSession(ports, sessionOf(stranger), own.session.id)).toMatchObject(GONE);
    expect(accepted(await listSessions(ports, sessionOf(admin), support.id, state.now))).toHaveLength(1);
    expect(await endSession(ports, sessionOf(admin), own.session.id)).toBeUndefined();
    expect(await endSession(ports, sessionOf(owner), session.id)).toBeUndefined();
  });

  test('are not listed once they have expired, and one of them is the one that asks', async () => {
    const account = await ana();
    const first = await enter(account);
    state.now += SESSION_MS - 1;
    const second = await enter(account);
    const listed = async () => accepted(await listSessions(ports, sessionOf(account), undefined, state.now));
    expect((await listed()).map(({ id }) => id)).toEqual([second.session.id, first.session.id]);
    const shown = (await listed()).map((each) => sessionView(each, { credentialId: first.session.id }));
    expect(shown.map(({ current }) => current)).toEqual([false, true]);
    state.now += 1;
    expect((await listed()).map(({ id }) => id)).toEqual([second.session.id]);
  });
});
