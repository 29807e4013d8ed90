import { describe, expect, test } from 'vitest';
import { newLinkRequest } from '../../shared/domain/access/accounts.ts';
import { invite, suspendAccount } from '../../shared/domain/access/people.ts';
import { LINK_MS, mailRequestedLinks, requestLink, signIn } from '../../shared/domain/access/sign-in.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { accepted } from '../support/accepted.ts';
import { startPeople } from '../support/people.ts';
import { use } from '../support/use.ts';

const world = await use(startPeople());
const { ports, person, sessionOf, current, mails, enqueued, state } = world;

/** Sends requested mails; the tokens that were mailed, the newest last. */
const mailed = async (): Promise<string[]> => {
  const before = mails.length;
  for (const { id } of enqueued.splice(0)) await mailRequestedLinks(ports, id);
  return mails.slice(before).map(({ token }) => token);
};
const linkFor = async (email: string): Promise<string> => {
  await requestLink(ports, email, '203.0.113.1');
  const [token] = await mailed();
  if (token === undefined) throw new Error('no link was mailed');
  return token;
};
const authorize = (token: string) => world.authorize('test', `Bearer ${token}`, state.now);

describe('a link', () => {
  test('opens one session, of twenty that use it at the same time', async () => {
    const ana = await person(await world.organization(), 'support');
    const token = await linkFor(ana.email);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => signIn(ports, token)));
    const [session, ...others] = outcomes.filter((outcome) => !isRefusal(outcome));
    expect(others).toEqual([]);
    for (const outcome of outcomes) if (isRefusal(outcome)) expect(outcome.name).toBe('UNAUTHORIZED');
    expect((await authorize(accepted(session)?.secret.text ?? ''))?.context).toMatchObject({ accountId: ana.id });
    expect(await signIn(ports, token)).toMatchObject({ name: 'UNAUTHORIZED' });
  });

  test('is stored as a hash, and its request as a blind index: neither token nor address stands in the table', async () => {
    const ana = await person(await world.organization(), 'viewer', { email: 'marker-1842@example.com' });
    await requestLink(ports, 'Marker-1842@EXAMPLE.com', '203.0.113.77');
    const requested = JSON.stringify(await world.rows('test'));
    expect(requested.split('marker-1842@example.com')).toHaveLength(2);
    expect(requested).not.toMatch(/Marker-1842|203\.0\.113\.77/);
    const [token = ''] = await mailed();
    expect(mails.at(-1)).toMatchObject({ to: ana.email });
    const session = accepted(await signIn(ports, token));
    const rows = JSON.stringify(await world.rows('test'));
    for (const secret of [token, session.secret.text]) expect(rows).not.toContain(secret);
  });

  test('ends after 15 minutes; one that accepts an invitation after seven days', async () => {
    const owner = await person(await world.organization(), 'owner');
    const invitation = { name: 'Bia', email: 'late@example.com', role: 'viewer' } as const;
    accepted(await invite(ports, sessionOf(owner), invitation));
    const [accept = ''] = await mailed();
    const enter = await linkFor(owner.email);
    const start = state.now;
    state.now = start + LINK_MS.signIn;
    expect(await signIn(ports, enter)).toMatchObject({ name: 'UNAUTHORIZED' });
    state.now = start + LINK_MS.invitation - 1;
    expect(accepted(await signIn(ports, accept)).session).toBeDefined();
    state.now = start;
  });

  test('accepts an invitation: the account becomes active, and an owner counts from then on', async () => {
    const owner = await person(await world.organization(), 'owner');
    const request = { name: 'Bia', email: 'second-owner@example.com', role: 'owner' } as const;
    const invited = accepted(await invite(ports, sessionOf(owner), request));
    const [token = ''] = await mailed();
    expect(await suspendAccount(ports, sessionOf(owner), owner.id)).toMatchObject({ name: 'CONFLICT' });
    accepted(await signIn(ports, token));
    expect(await current(invited)).toMatchObject({ status: 'active', acceptedAt: state.now });
    expect(await suspendAccount(ports, sessionOf(owner), owner.id)).toMatchObject({ status: 'suspended' });
  });

  test('that was mailed for an invitation ends when another one accepts it, whatever is left of its seven days', async () => {
    const owner = await person(await world.organization(), 'owner');
    const request = { name: 'Bia', email: 'twice-invited@example.com', role: 'viewer' } as const;
    accepted(await invite(ports, sessionOf(owner), request));
    const [first = ''] = await mailed();
    const session = accepted(await signIn(ports, await linkFor(request.email)));
    expect(await signIn(ports, first)).toMatchObject({ name: 'UNAUTHORIZED' });
    expect((await authorize(session.secret.text))?.context).toBeDefined();
    expect(accepted(await signIn(ports, await linkFor(request.email))).session).toBeDefined();
  });

  test('ends with a suspension, and a suspended person is mailed none', async () => {
    const organizationId = await world.organization();
    const [owner, ana] = [await person(organizationId, 'owner'), await person(organizationId, 'viewer')];
    const token = await linkFor(ana.email);
    accepted(await suspendAccount(ports, sessionOf(owner), ana.id));
    expect(await signIn(ports, token)).toMatchObject({ name: 'UNAUTHORIZED' });
    await requestLink(ports, ana.email, '203.0.113.1');
    expect(await mailed()).toEqual([]);
    const { acceptedAt = 0, ...rest } = await current(ana);
    await ports.accounts.change(
      { ...rest, acceptedAt },
      { ...rest, acceptedAt, status: 'active', version: rest.version + 1 },
      undefined,
    );
    expect(await signIn(ports, token)).toMatchObject({ name: 'UNAUTHORIZED' });
  });

  test('of another environment, or of no form, is refused without a read', async () => {
    expect(await signIn(ports, `svc_link_live_${'0'.repeat(40)}`)).toMatchObject({ name: 'UNAUTHORIZED' });
    for (const bad of ['', 'x', `svc_link_test_${'0'.repeat(39)}`, `svc_link_test_${'0'.repeat(40)}`])
      expect(await signIn(ports, bad)).toMatchObject({ name: 'UNAUTHORIZED' });
  });
});

describe('asking for a link', () => {
  test('answers and stores the same for an unknown address', async () => {
    const ana = await person(await world.organization(), 'viewer');
    const rowsAfter = async (email: string) => {
      const before = (await world.rows('test')).length;
      expect(await requestLink(ports, email, '203.0.113.1')).toBeUndefined();
      return (await world.rows('test')).length - before;
    };
    expect(await rowsAfter(ana.email)).toBe(await rowsAfter('nobody@example.com'));
    expect(await mailed()).toHaveLength(1);
  });

  test('mails a link for each organization that the person is in', async () => {
    const email = 'both@example.com';
    const first = await person(await world.organization(), 'viewer', { email });
    const second = await person(await world.organization(), 'admin', { email });
    await requestLink(ports, email, '203.0.113.1');
    const tokens = await mailed();
    const sessions = await Promise.all(tokens.map((token) => signIn(ports, token)));
    const ids = sessions.map((session) => accepted(session).session.accountId);
    expect(ids.sort()).toEqual([first.id, second.id].sort());
  });

  test('mails nothing to an address with too many requests', async () => {
    const ana = await person(await world.organization(), 'viewer');
    state.mayMail = false;
    expect(await requestLink(ports, ana.email, '203.0.113.1')).toBeUndefined();
    expect(await mailed()).toEqual([]);
    state.mayMail = true;
  });

  test('is refused to an IP address with too many requests, which mails nothing and stores nothing', async () => {
    const ana = await person(await world.organization(), 'viewer');
    state.limitedIp = '203.0.113.9';
    expect(await requestLink(ports, ana.email, '203.0.113.9')).toMatchObject({ name: 'RATE_LIMITED' });
    expect(enqueued).toEqual([]);
    expect(await requestLink(ports, ana.email, '203.0.113.1')).toBeUndefined();
    expect(await mailed()).toHaveLength(1);
  });

  test('is mailed again when the provider fails, by one worker at a time, and dropped after a quarter of an hour', async () => {
    const ana = await person(await world.organization(), 'viewer');
    await requestLink(ports, ana.email, '203.0.113.1');
    const [request] = enqueued.splice(0);
    if (!request) throw new Error('nothing was enqueued');
    state.mailFails = true;
    await expect(mailRequestedLinks(ports, request.id)).rejects.toThrow('down');
    state.mailFails = false;
    const before = mails.length;
    await mailRequestedLinks(ports, request.id);
    expect(mails).toHaveLength(before);
    state.now += 120_001;
    await Promise.all([mailRequestedLinks(ports, request.id), mailRequestedLinks(ports, request.id)]);
    expect(mails).toHaveLength(before + 1);
    const late = newLinkRequest({ emailHash: ana.emailHash }, state.now);
    await ports.store.putRequest(late);
    state.now += 16 * 60_000;
    await mailRequestedLinks(ports, late.id);
    expect(mails).toHaveLength(before + 1);
    expect(await ports.store.takeRequest(late.id, state.now + 600_000)).toBeUndefined();
  });
});
