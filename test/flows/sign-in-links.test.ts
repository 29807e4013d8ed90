import { afterEach, describe, expect, test, vi } from 'vitest';
import { banner } from '../../infra/local/banner.ts';
import { type Demo, demoSignIn, ensureDemo } from '../../infra/local/demo.ts';
import { readAccount } from '../../shared/storage/access/accounts.ts';
import { operatorJson, operatorOf } from '../support/operator.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
const admin = operatorJson(messaging.dataDir);
const MINUTE_MS = 60_000;
afterEach(() => vi.restoreAllMocks());

/** Exchanges the link, as its page does. */
const signIn = (path: string) => {
  const { searchParams, hash } = new URL(path, messaging.url);
  const query = Object.fromEntries(searchParams);
  return messaging.anonymous.call('POST', '/sessions', { query, body: { token: hash.slice(1) } });
};
/** Makes a link as it was made that long ago. */
const madeAgo = async <T>(minutes: number, make: () => Promise<T>): Promise<T> => {
  const then = Date.now() - minutes * MINUTE_MS;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(then);
  return make().finally(() => clock.mockRestore());
};

let people = 0;
const person = async (): Promise<string> => {
  const { id: organization } = await messaging.tenant();
  const email = `link-${++people}@loja.example`;
  const { id } = await admin('account', 'create', '--organization', organization, '--name', 'Ana', '--email', email);
  return id;
};
const linkOf = (id: string, env = 'test') => admin('session', 'link', '--account', id, '--env', env);

describe("the operator's `session link`", () => {
  test.each(['live', 'test'] as const)('signs the person in to %s, once, within 15 minutes', async (env) => {
    const id = await person();
    const before = Date.now();
    const { path, expiresAt } = await linkOf(id, env);
    const lasts = Date.parse(expiresAt) - before;
    expect(lasts).toBeGreaterThanOrEqual(15 * MINUTE_MS);
    expect(lasts).toBeLessThanOrEqual(15 * MINUTE_MS + Date.now() - before);
    expect(path).toMatch(
      env === 'test' ? /^\/console\/sign-in\?env=test#svc_link_test_\w+$/ : /^\/console\/sign-in#svc_link_live_\w+$/,
    );
    const opened = await signIn(path);
    expect(opened).toMatchObject({ status: 201, body: { person: { accountId: id, role: 'owner' } } });
    expectProblem(await signIn(path), 401);
    // Each link is of its own: another one works.
    expect((await signIn((await linkOf(id, env)).path)).status).toBe(201);
  });

  test('is refused once 15 minutes have passed, and not before', async () => {
    const id = await person();
    const expired = await madeAgo(15, () => linkOf(id));
    expectProblem(await signIn(expired.path), 401);
    const young = await madeAgo(13, () => linkOf(id));
    expect((await signIn(young.path)).status).toBe(201);
  });

  test('is not created for a person who may not sign in, and ends with a suspension', async () => {
    const id = await person();
    const { path } = await linkOf(id);
    await admin('account', 'set', '--id', id, '--status', 'suspended');
    expectProblem(await signIn(path), 401);
    const run = operatorOf(messaging.dataDir);
    for (const account of [id, `acc_${'0'.repeat(21)}`]) {
      const refused = await run('session', 'link', '--account', account, '--env', 'test');
      expect(refused).toEqual({ code: 1, stdout: '', stderr: 'There is no such account here.\n' });
    }
  });
});

describe('the link that `npm start` prints', () => {
  const printed = (demo: Demo, path: string): string => {
    const { url, dataDir } = messaging;
    const stack = { url, dataDir, smppPort: undefined } as unknown as Parameters<typeof banner>[0];
    return banner(stack, demo, { logTo: 'file', signIn: path });
  };
  const printedLink = (text: string): string => /\S+\/console\/sign-in\S+/.exec(text)?.[0] ?? '';

  test("signs in to the sandbox as the demo's owner, once, within 15 minutes; each start prints its own", async () => {
    const demo = await ensureDemo(messaging.dataDir, messaging.tables);
    expect((await ensureDemo(messaging.dataDir, messaging.tables)).ownerId).toBe(demo.ownerId);
    const links: string[] = [];
    for (let start = 0; start < 2; start++) {
      const text = printed(demo, await demoSignIn(demo, messaging.tables));
      expect(text).toContain('Open the console as the owner of the demo (the link works once, for 15 minutes):');
      links.push(printedLink(text));
    }
    expect(new Set(links).size).toBe(2);
    for (const link of links) {
      expect(link.startsWith(`${messaging.url}/console/sign-in?env=test#svc_link_test_`)).toBe(true);
      const { status, body } = await signIn(link);
      expect(status).toBe(201);
      expect(body.person).toMatchObject({ accountId: demo.ownerId, role: 'owner' });
      expectProblem(await signIn(link), 401);
    }
    const old = await madeAgo(15, () => demoSignIn(demo, messaging.tables));
    expectProblem(await signIn(old), 401);
    expect(await readAccount(messaging.tables.test, demo.ownerId)).toMatchObject({ status: 'active' });
  });
});
