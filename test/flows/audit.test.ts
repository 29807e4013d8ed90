import { describe, expect, test } from 'vitest';
import { ACCESS_COMMANDS } from '../../infra/operator/commands/access.ts';
import { AUDIT_COMMANDS } from '../../infra/operator/commands/audit.ts';
import { MONEY_COMMANDS } from '../../infra/operator/commands/money.ts';
import { PEOPLE_COMMANDS } from '../../infra/operator/commands/people.ts';
import { PROVIDER_COMMANDS } from '../../infra/operator/commands/providers.ts';
import { SENDER_COMMANDS } from '../../infra/operator/commands/senders.ts';
import { SUPPRESSION_COMMANDS } from '../../infra/operator/commands/suppression.ts';
import type { Target } from '../../infra/operator/target.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../../shared/domain/audit/entry.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { apiClient, type Client } from '../support/api.ts';
import { pagesOf } from '../support/pages.ts';
import { expectProblem } from '../support/problems.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { use } from '../support/use.ts';
import { ENTERED, MARK, NOT_ENTERED, useEverything } from './audit-acts.ts';

const messaging = await sharedMessaging();
const receiver = await use(startReceiver());
const COMMANDS = [
  ...ACCESS_COMMANDS,
  ...AUDIT_COMMANDS,
  ...MONEY_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...PROVIDER_COMMANDS,
  ...SENDER_COMMANDS,
  ...SUPPRESSION_COMMANDS,
];
/** Runs one of the operator's commands. */
const operator = async (name: string, options: Readonly<Record<string, unknown>>) => {
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) throw new Error(`there is no ${name}`);
  const target = messaging as unknown as Target;
  const { data } = await command.run(target, command.options.parse(options) as never);
  return data as ReturnType<typeof JSON.parse>;
};

type Entry = {
  readonly id: string;
  readonly actor: { readonly id: string; readonly kind: string; readonly name?: string };
  readonly action: AuditAction;
  readonly object: string;
  readonly ip?: string;
  readonly requestId?: string;
  readonly details: Readonly<Record<string, unknown>>;
};
const entriesOf = async (client: Client, query: Readonly<Record<string, string | number>> = {}): Promise<Entry[]> => {
  const pages = await pagesOf(async (cursor) => {
    const { status, body } = await client.get('/v2/audit', { ...query, ...(cursor ? { cursor } : {}) });
    expect(status).toBe(200);
    return body;
  });
  return pages.flatMap(({ items }) => items);
};

const owner = await messaging.tenant();
/** The last request of each operation that is entered. */
const requests: ReadonlyMap<string, string> = await useEverything({ messaging, owner, url: receiver.url, operator });
/** The owner's log in the test stage, once everything was used. */
const entries = await entriesOf(owner.test);
/** The stage's own entries, as the operator sees them. */
const ofStage: Entry[] = (await operator('audit list', { env: 'test', limit: '500' })).items;

describe('the audit log', () => {
  test('has an entry of every kind of act', () => {
    const reported = new Set([...entries, ...ofStage].map(({ action }) => action));
    // An erasure ends a quarter of an hour after the deletion: test/storage/contact-erasure.test.ts.
    expect(AUDIT_ACTIONS.filter((action) => !reported.has(action))).toEqual(['contact.erased']);
  });

  test('is written by every operation that changes the set-up: each one either writes an entry or is listed as an exception', () => {
    const changing = OPERATIONS.filter(({ method, permission }) => method !== 'GET' && permission !== 'public');
    const others = changing.map(({ id }) => id).filter((id) => !NOT_ENTERED.some((pattern) => pattern.test(id)));
    expect(others.sort()).toEqual(Object.keys(ENTERED).sort());
    const all = [...entries, ...ofStage];
    const reported = others.map((id) => all.find(({ requestId }) => requestId === requests.get(id))?.action);
    expect(reported).toEqual(others.map((id) => ENTERED[id]));
  });

  test('says of a key what was set, how long its old secret works on, and whether the keys below were spared', () => {
    const reported = entries
      .filter(({ action }) => action.startsWith('key.'))
      .map(({ action, actor, details }) => ({ action, by: actor.kind, details }));
    expect(reported).toEqual(
      expect.arrayContaining([
        { action: 'key.created', by: 'operator', details: { fields: ['name', 'scopes'] } },
        { action: 'key.revoked', by: 'operator', details: { onlyThis: true } },
        { action: 'key.created', by: 'key', details: { fields: ['name', 'scopes'] } },
        { action: 'key.changed', by: 'key', details: { fields: ['name'] } },
        { action: 'key.rotated', by: 'key', details: { overlapHours: 2 } },
        { action: 'key.revoked', by: 'key', details: { onlyThis: false } },
      ]),
    );
  });

  test('has entries of the people that the operator added and changed, and of the sessions it opened', () => {
    const byOperator = entries.filter(({ actor }) => actor.kind === 'operator').map(({ action }) => action);
    expect(byOperator).toEqual(expect.arrayContaining(['account.created', 'account.changed', 'session.created']));
  });

  test('has no entry of what was refused', async () => {
    const before = (await entriesOf(owner.test)).length;
    expectProblem(await owner.test.post('/v2/senders', { channel: 'sms', value: '' }), 422);
    expectProblem(await owner.test.call('DELETE', `/webhooks/wbh_${'0'.repeat(21)}`), 404);
    expectProblem(await owner.test.call('DELETE', `/v2/api-keys/key_${'0'.repeat(21)}`), 404);
    expect(await entriesOf(owner.test)).toHaveLength(before);
  });

  test('names the key or person, the address and the request of an act', async () => {
    const answer = await owner.test.call('PATCH', '/v2/wallet', { body: { lowBalanceCoins: 77 } });
    const [newest] = await entriesOf(owner.test, { action: 'wallet.changed' });
    expect(newest).toMatchObject({
      actor: { kind: 'key', id: expect.stringMatching(/^key_/), name: 'First test key' },
      object: owner.id,
      ip: '127.0.0.1',
      requestId: answer.headers.get('x-request-id'),
      details: { coins: 77 },
    });
    const { id } = await operator('account create', {
      organization: owner.id,
      name: 'Ana',
      email: `${MARK}@x.example`,
    });
    const { token } = await operator('session create', { account: id, env: 'test' });
    await apiClient(messaging.url, token).call('PATCH', '/v2/wallet', { body: { lowBalanceCoins: 78 } });
    expect((await entriesOf(owner.test, { actor: id }))[0]).toMatchObject({
      actor: { kind: 'account', id, name: 'Ana' },
      action: 'wallet.changed',
    });
  });

  test('calls the operator by no name, and shows no address of theirs', () => {
    const acts = entries.filter(({ actor }) => actor.kind === 'operator');
    expect(new Set(acts.map(({ action }) => action))).toContain('wallet.credited');
    const byCommand = ofStage.filter(({ requestId }) => requestId === undefined);
    for (const { actor, ip, requestId } of [...acts, ...byCommand])
      expect({ actor, ip, requestId }).toEqual({ actor: { kind: 'operator', id: 'operator' } });
  });

  test('records in the stage’s log which operator acted in a session, and from where', () => {
    const inSessions = ofStage.filter(({ requestId, actor }) => requestId !== undefined && actor.name === MARK);
    expect(new Set(inSessions.map(({ action }) => action))).toEqual(
      new Set([
        'stage.viewed',
        'dead_letters.peeked',
        'dead_letters.redriven',
        'organization.viewed',
        'work.retried',
        'breaker.probed',
        'breaker.reset',
      ]),
    );
    for (const { actor, ip } of inSessions)
      expect({ actor, ip }).toEqual({
        actor: { kind: 'operator', id: expect.stringMatching(/^acc_/), name: MARK },
        ip: '127.0.0.1',
      });
    expect(entries.filter(({ action }) => action === 'organization.viewed')).toHaveLength(1);
  });

  test('holds no personal data, secret or value that was sent, in any of its rows', async () => {
    const rows = (await messaging.rowsOf('test', '')).filter(({ pk }) => pk.startsWith('AUDS#'));
    expect(rows.length).toBeGreaterThan(8 * 20);
    const bare = MARK.toLowerCase();
    expect(rows.filter((row) => JSON.stringify(row).toLowerCase().includes(bare))).toEqual([]);
    expect(JSON.stringify(rows)).not.toMatch(/5511999\d{6}|svc_(?:live|test)_|whsec_/);
  });

  test('selects by actor, action, object and time, and pages by cursor', async () => {
    const [{ object } = { object: '' }] = entries.filter(({ action }) => action === 'webhook.changed');
    const found = await entriesOf(owner.test, { object, limit: 2 });
    expect(found.map(({ id }) => id)).toEqual(entries.filter((each) => each.object === object).map(({ id }) => id));
    expect(found.length).toBeGreaterThan(2);
    expect((await entriesOf(owner.test, { object, action: 'webhook.created' })).length).toBe(1);
    expect(await entriesOf(owner.test, { object, actor: 'operator' })).toEqual([]);
    expect(await entriesOf(owner.test, { to: '2020-01-01T00:00:00Z' })).toEqual([]);
  });

  test('shows no organization the acts of another, or of its other environment', async () => {
    const stranger = await messaging.tenant();
    for (const client of [stranger.test, owner.live]) {
      const ids = new Set((await entriesOf(client)).map(({ id }) => id));
      expect(entries.filter(({ id }) => ids.has(id))).toEqual([]);
    }
    const { nextCursor } = (await owner.test.get('/v2/audit', { limit: 1 })).body;
    expectProblem(await stranger.test.get('/v2/audit', { cursor: nextCursor }), 400);
  });

  test('needs audit:read, and refuses an unknown action and a time that is none', async () => {
    expectProblem(await (await messaging.limited(owner.test, ['keys:read'])).get('/v2/audit'), 403);
    expectProblem(await owner.test.get('/v2/audit', { action: 'webhook.sung' }), 400);
    expectProblem(await owner.test.get('/v2/audit', { from: 'yesterday' }), 400);
  });

  test('has an entry of the price table that the operator set, in the log of the stage', () => {
    const [set] = ofStage.filter(({ action }) => action === 'prices.set');
    expect(set).toMatchObject({ object: 'prices', details: { count: DEFAULT_PRICES.length } });
  });
});
