import { describe, expect, test } from 'vitest';
import { changeSubscription, revokeSubscription, rotateSecret } from '../../shared/domain/webhooks/manage.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { backlogWrite, webhookStore } from '../../shared/storage/webhooks/subscriptions.ts';
import { accepted } from '../support/accepted.ts';
import { operatorAct } from '../support/audit.ts';
import { crashingTable } from '../support/crashing-table.ts';
import { withLostAnswer } from '../support/lost-answer.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf } from './kit.ts';

const KEPT_SECONDS = 30 * 24 * 3600;

const hooks = await useWebhooks();
const { world, ports } = hooks;
const { queueMany, deliver } = deliveriesOf(hooks);

const lost = <T>({ id }: Pick<Subscription, 'id'>, work: () => Promise<T>): Promise<T> =>
  withLostAnswer(world.proxy, id, work);
const read = ({ organizationId, id }: Subscription) => ports.subscriptions.read(organizationId, id);
const logTtl = async ({ id }: Subscription) => (await world.table.get(KEYS.feedPage(id, 0)))?.ttl;
const inAMonth = () => Math.ceil(world.now / 1000) + KEPT_SECONDS;

describe('a change of a subscription whose answer is lost', () => {
  test('answers the secret that was rotated, which signs from then on', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const { secret } = accepted(await lost(subscription, () => rotateSecret(ports, actor, subscription.id, 1)));
    const { secrets } = (await read(subscription)) ?? { secrets: [] };
    expect(secrets.map(({ version, sealed }) => [version, sealed])).toEqual([
      [2, `sealed:${secret}`],
      [1, subscription.secrets[0]?.sealed],
    ]);
  });

  test('queues what failed, when it was a resumption', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    const ids = await queueMany(actor, 2);
    await deliver(...ids);
    await changeSubscription(ports, actor, subscription.id, { status: 'paused' });
    hooks.workItems.length = 0;
    const resume = () => changeSubscription(ports, actor, subscription.id, { status: 'active' });
    expect(await lost(subscription, resume)).toMatchObject({ status: 'active' });
    expect(hooks.workItems.map(({ id }) => id)).toEqual(ids);
  });

  test('is a conflict where another change came first', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const before = accepted(await rotateSecret(ports, actor, subscription.id, 1)).subscription;
    const entry = operatorAct(actor.organizationId);
    expect(await ports.subscriptions.change(subscription, before, entry)).toBe(false);
  });
});

describe('the health of a subscription', () => {
  test('counts a failed event once, though the answer of its write is lost', async () => {
    const { organizationId, id } = (await hooks.subscribe()).subscription;
    const fail = () =>
      ports.subscriptions.noteHealth(organizationId, id, { failures: 'another', lastFailureAt: world.now });
    expect(await lost({ id }, fail)).toMatchObject({ consecutiveFailures: 1 });
    expect(await fail()).toMatchObject({ consecutiveFailures: 2 });
  });

  test('lets the log expire with a revocation by a 410 whose answer is lost', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(410));
    const ids = await queueMany(actor, 1);
    const at = KEYS.webhook(subscription.organizationId, subscription.id);
    await withLostAnswer(world.proxy, at.sk, () => deliver(...ids));
    expect(await read(subscription)).toMatchObject({ status: 'revoked' });
    expect(await logTtl(subscription)).toBe(inAMonth());
  });
});

test('a second revocation lets the log expire after the first one ended before it, and records nothing twice', async () => {
  const { actor, subscription } = await hooks.subscribe();
  await queueMany(actor, 1);
  const entry = operatorAct(actor.organizationId);
  const crashing = webhookStore(crashingTable(world.table, 1));
  await expect(crashing.revoke(subscription, world.now, entry)).rejects.toThrow();
  expect(await logTtl(subscription)).toBeUndefined();
  const row = await world.table.get(KEYS.webhook(subscription.organizationId, subscription.id));
  world.now += 60_000;
  await revokeSubscription(ports, actor, subscription.id);
  const ttl = inAMonth();
  expect(await logTtl(subscription)).toBe(ttl);
  world.now += 60_000;
  await revokeSubscription(ports, actor, subscription.id);
  expect(await logTtl(subscription)).toBe(ttl);
  expect(await world.table.get(KEYS.webhook(subscription.organizationId, subscription.id))).toEqual(row);
});

test('a drain whose lease’s answer is lost is made by its worker alone, and its next one is queued', async () => {
  const { subscription } = await hooks.subscribe();
  const { organizationId, id } = subscription;
  await world.table.write({ update: KEYS.webhook(organizationId, id), ...backlogWrite(id, world.now, world.now) });
  const until = world.now + 60_000;
  const take = () => ports.backlog.lease(subscription, world.now, until);
  const lease = await lost(subscription, take);
  if (!lease) throw new Error('the drain was not leased');
  expect(lease).toMatchObject({ until, parkedAt: world.now });
  expect(await take()).toBeUndefined();
  expect(await lost(subscription, () => ports.backlog.rescheduleDrain(lease, until + 1))).toBe(true);
  expect(await ports.backlog.rescheduleDrain(lease, until + 2)).toBe(false);
});
