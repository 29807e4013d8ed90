import { describe, expect, test } from 'vitest';
import { newAccount, personHash } from '../../shared/domain/access/accounts.ts';
import { newLink } from '../../shared/domain/access/sign-in.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { putLink } from '../../shared/storage/access/sign-in-links.ts';
import { apiClient } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** A token of a link that signs an owner of a new organization in. */
const linkToken = async (env: Environment): Promise<string> => {
  const { id: organizationId } = await messaging.tenant();
  const email = `ana-${organizationId}@example.com`;
  const emailHash = personHash(await messaging.vault(env, 'people'), email);
  const fields = { organizationId, name: 'Ana', email, emailHash, role: 'owner', status: 'active' } as const;
  const account = newAccount(fields, Date.now());
  await accountStore(messaging.tables[env], { byOperator: true }).create(account, undefined);
  const { link, path } = newLink(account, env, Date.now());
  await putLink(messaging.tables[env], link);
  return path.split('#')[1] ?? '';
};
const enter = async (env: Environment, headers: Record<string, string> = OWN_PAGE) =>
  messaging.anonymous.call('POST', '/sessions', {
    query: { env },
    body: { token: await linkToken(env), cookie: true },
    headers,
  });
const renew = (env: Environment, cookie: string | undefined, headers: Record<string, string> = OWN_PAGE) =>
  messaging.anonymous.call('POST', '/sessions/refresh', {
    query: { env },
    headers: { ...headers, ...(cookie === undefined ? {} : { cookie }) },
  });
const pairOf = (answer: { headers: Headers }): string => answer.headers.get('set-cookie')?.split(';')[0] ?? '';

describe.each(['live', 'test'] as const)("a browser's session in %s", (env) => {
  test('is kept by a cookie that no script reads, no other site sends and no other host sets', async () => {
    const opened = await enter(env);
    expect(opened).toMatchObject({
      status: 201,
      body: { organization: { name: 'Loja Azul', env }, person: { role: 'owner', name: 'Ana' } },
    });
    const [pair, ...attributes] = (opened.headers.get('set-cookie') ?? '').split('; ');
    expect(pair).toMatch(new RegExp(`^__Host-session-${env}=ses_`));
    expect(attributes).toEqual([
      'Path=/',
      expect.stringMatching(/^Max-Age=43\d{3}$/),
      'HttpOnly',
      'Secure',
      'SameSite=Strict',
    ]);
    expect(opened.text).not.toContain(pair?.split('=')[1]);
  });

  test('is renewed by its cookie, which authorizes nothing else', async () => {
    const cookie = pairOf(await enter(env));
    const renewed = await renew(env, `other=1; ${cookie}`);
    expect(renewed).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^svc_session_/) } });
    expect(pairOf(renewed)).not.toBe(cookie);
    expect((await apiClient(messaging.url, renewed.body.token).get('/v2/wallet')).status).toBe(200);
    for (const path of ['/v2/wallet', '/v2/sessions', '/messages'])
      expectProblem(await messaging.anonymous.call('GET', path, { headers: { ...OWN_PAGE, cookie } }), 401);
  });

  test('is neither opened nor renewed from a page of another origin', async () => {
    const cookie = pairOf(await enter(env));
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: messaging.url },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ] as Record<string, string>[]) {
      expectProblem(await enter(env, headers), 403);
      expectProblem(await renew(env, cookie, headers), 403);
    }
    expect((await renew(env, cookie, { origin: messaging.url })).status).toBe(201);
  });

  test('of the other environment, of two cookies, or of none is refused', async () => {
    const cookie = pairOf(await enter(env));
    const other = env === 'live' ? 'test' : 'live';
    for (const given of [undefined, '', `${cookie}; ${cookie}`, cookie.replace(env, other), `${cookie}x`])
      expectProblem(await renew(env, given), 401);
    expectProblem(await renew(other, cookie), 401);
    expect((await renew(env, cookie)).status).toBe(201);
  });
});
