import { afterEach, describe, expect, test } from 'vitest';
import { type AutomatedRequest, sendAutomated } from '../../shared/domain/api/automated-send.ts';
import { cancel } from '../../shared/domain/api/cancel-and-force.ts';
import { resend } from '../../shared/domain/api/resend.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { JourneyLabel } from '../../shared/domain/message/message.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { readJourneyCounts } from '../../shared/storage/automation/counters.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { aStep, ofJourney, recounted, withoutZeros } from '../support/automated.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import { onTransactions, tableFaults } from '../support/fault-proxy.ts';
import { messagesOf } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import {
  advanceFallbackPortsOf,
  cancelAndForcePortsOf,
  sendQueuedPortsOf,
  submitPortsOf,
} from '../support/world-queued.ts';

const PHONE = '+5511987654321';
const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;

const countsOf = async ({ journeyId, stepId }: JourneyLabel) =>
  withoutZeros((await readJourneyCounts(table, journeyId, { consistent: true })).get(stepId) ?? {});
/** The counters of the step, which must equal those derived from its messages. */
const checked = async (actor: Actor, step: JourneyLabel) => {
  const counts = await countsOf(step);
  expect(counts).toEqual(recounted(await messagesOf(table, actor.organizationId)));
  return counts;
};
const send = async (actor: Actor, step: JourneyLabel, visit = 1, body: Partial<AutomatedRequest> = {}) => {
  const request = { channel: 'sms', to: PHONE, text: 'Oi', ...body } as const;
  return accepted(await sendAutomated(submitPortsOf(world), actor, ofJourney(step, visit), request)).message;
};
const leave = (id: Id<'message'>) => sendQueued(sendQueuedPortsOf(world), id);
const reported = (
  id: Id<'message'>,
  status: Parameters<typeof reportOf>[1],
  more: Parameters<typeof reportOf>[2] = {},
) => deliverReport(world, reportOf(id, status, more));
const setUp = async () => ({ actor: await world.organization(1_000_000), step: aStep() });

describe('the message counters of a step', () => {
  test('count each message once, from its acceptance to its reports, whatever is repeated', async () => {
    const { actor, step } = await setUp();
    const { id, coins } = await send(actor, step);
    await send(actor, step);
    expect(await checked(actor, step)).toEqual({ accepted: 1, coinsHeld: coins });
    await Promise.all([leave(id), leave(id)]);
    await leave(id);
    expect(await checked(actor, step)).toEqual({ accepted: 1, sent: 1, coinsCaptured: coins });
    for (const _ of [1, 2]) await reported(id, 'delivered');
    expect(await checked(actor, step)).toEqual({ accepted: 1, sent: 1, delivered: 1, coinsCaptured: coins });
  });

  test('a message that is read without having been delivered is both, and late reports of less change nothing', async () => {
    const { actor, step } = await setUp();
    const { id, coins } = await send(actor, step, 1, { channel: 'whatsapp' });
    await leave(id);
    for (const status of ['read', 'delivered', 'failed', 'read'] as const) await reported(id, status);
    expect(await checked(actor, step)).toEqual({ accepted: 1, sent: 1, delivered: 1, read: 1, coinsCaptured: coins });
  });

  test('a delivered e-mail that bounces is failed, and not delivered', async () => {
    const { actor, step } = await setUp();
    const { id } = await send(actor, step, 1, { channel: 'email', to: 'ana@loja.example' });
    await leave(id);
    await reported(id, 'delivered');
    await reported(id, 'bounced', { reason: 'invalid_address' });
    expect(await checked(actor, step)).toMatchObject({ sent: 1, failed: 1 });
  });

  test('a refused message is failed and was not sent, and holds nothing', async () => {
    const { actor, step } = await setUp();
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    const { id } = await send(actor, step);
    await leave(id);
    expect(await checked(actor, step)).toEqual({ accepted: 1, unsent: 1, failed: 1 });
    await send(actor, step);
    expect(await checked(actor, step)).toMatchObject({ accepted: 1, unsent: 1 });
    await send(actor, step, 2);
    expect(await checked(actor, step)).toMatchObject({ accepted: 2, unsent: 1 });
  });

  test('a cancelled message is failed; one that is resent before it left is not, and the new one counts', async () => {
    const { actor, step } = await setUp();
    const [one, two] = [await send(actor, step), await send(actor, step, 2)];
    accepted(await cancel(cancelAndForcePortsOf(world), actor, one.id));
    const ports = {
      ...submitPortsOf(world),
      readMessage: (organizationId: Id<'organization'>, id: Id<'message'>) => readMessage(table, organizationId, id),
      isUndecided: async () => false,
    };
    accepted(await resend(ports, actor, two.id, {}, undefined));
    expect(await checked(actor, step)).toEqual({
      accepted: 3,
      unsent: 2,
      replaced: 1,
      cancelled: 1,
      failed: 1,
      coinsHeld: two.coins,
    });
  });

  test('a message that was given up and is read after all was sent', async () => {
    const { actor, step } = await setUp();
    world.provider.hasStatusQuery = false;
    world.provider.script = [{ kind: 'unknown', detail: 'time-out' }];
    const { id } = await send(actor, step, 1, { channel: 'whatsapp' });
    await leave(id);
    world.now += 120_000;
    await recoverSend({ ...world.ports }, id);
    expect(await checked(actor, step)).toEqual({ accepted: 1, unsent: 1, failed: 1 });
    await reported(id, 'read');
    expect(await checked(actor, step)).toEqual({ accepted: 1, sent: 1, delivered: 1, read: 1 });
  });

  test('its fallbacks are messages of the step, and an RCS that left as an SMS gives back what it cost less', async () => {
    const { actor, step } = await setUp();
    const first = await send(actor, step, 1, { fallback: ['rcs'], fallback_after: 60_000 });
    await leave(first.id);
    await reported(first.id, 'undelivered');
    await advanceFallback(advanceFallbackPortsOf(world), first.id);
    const next = (await messagesOf(table, actor.organizationId)).find(({ channel }) => channel === 'rcs');
    if (!next) throw new Error('the fallback was not sent');
    await leave(next.id);
    await reported(next.id, 'delivered', { via: 'rcs' });
    const counts = await checked(actor, step);
    expect(counts).toMatchObject({ accepted: 2, sent: 2, delivered: 1, failed: 1 });
  });

  test.each(Object.entries(tableFaults(8)))(
    'are exact although every other transaction fails: %s',
    async (_name, fault) => {
      const { actor, step } = await setUp();
      world.proxy.plan(onTransactions(fault, { every: 2 }));
      const ids: Id<'message'>[] = [];
      for (const visit of [1, 2, 3]) ids.push((await send(actor, step, visit)).id);
      world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no' }];
      for (const id of ids) await leave(id);
      for (const id of ids) await reported(id, 'delivered');
      world.proxy.plan(undefined);
      expect(await checked(actor, step)).toMatchObject({ accepted: 3, unsent: 1, sent: 2, delivered: 2, failed: 1 });
    },
  );

  test('are exact if sixty messages of one step change concurrently', async () => {
    const { actor, step } = await setUp();
    const visits = Array.from({ length: 60 }, (_, at) => at);
    const ids = await Promise.all(visits.map(async (visit) => (await send(actor, step, visit)).id));
    await Promise.all(ids.map(leave));
    await Promise.all(ids.map((id) => reported(id, 'delivered')));
    expect(await checked(actor, step)).toMatchObject({ accepted: 60, sent: 60, delivered: 60 });
  });
});

test('a transaction that conflicts on a counter row is repeated with another row', async () => {
  const { actor, step } = await setUp();
  const { id } = await send(actor, step);
  const rows: (string | undefined)[] = [];
  world.proxy.plan(({ action, body }) => {
    if (action !== 'TransactWriteItems') return undefined;
    rows.push(/JCNT#[^}]*}[^}]*}/.exec(body)?.[0]);
    return rows.length <= 3 ? tableFaults(6).conflict : undefined;
  });
  await leave(id);
  world.proxy.plan(undefined);
  expect(rows).toHaveLength(4);
  for (const [at, row] of rows.entries()) expect(row !== undefined && row !== rows[at - 1]).toBe(true);
  expect(await checked(actor, step)).toMatchObject({ sent: 1 });
});

test('a message that neither a journey nor a campaign sent is counted nowhere', async () => {
  const actor = await world.organization(1_000_000);
  let counted = 0;
  world.proxy.plan(({ body }) => void (/[JC]CNT#/.test(body) && counted++));
  await world.sms(actor);
  expect(counted).toBe(0);
});
