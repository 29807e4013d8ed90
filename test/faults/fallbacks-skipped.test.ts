import { afterEach, describe, expect, test } from 'vitest';
import { sendV1, type V1SendRequest } from '../../shared/domain/api/v1-send.ts';
import type { PlanPorts } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { SubmitPorts } from '../../shared/domain/sending/accept.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { timelineOf } from '../../shared/domain/tracking/timeline.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { advanceFallbackPortsOf, plannerOf, sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const PHONE = '+5511987654321';
const ABROAD = '+14155550100';
const WAIT_MS = 60_000;

/** The state of the stage and the contact; a test changes it between acceptance and step. */
const state = { windowOpen: true, address: undefined as string | undefined, denied: undefined as string | undefined };
const world = await use(startWorld('live'));
const opening = { ...state };
afterEach(() => {
  world.reset();
  Object.assign(state, opening);
});

const senderOf: PlanPorts['senderOf'] = async () => (state.windowOpen ? { lastInboundAt: world.now - 1 } : {});
const recipientOf: SubmitPorts['recipientOf'] = async () => state.address;
const candidates: SubmitPorts['routing']['candidates'] = async (channel, ...rest) =>
  channel === 'rcs'
    ? { kind: 'none', missing: 'RCS_PROVIDER is missing' }
    : world.ports.routing.candidates(channel, ...rest);
const submitPorts = () => ({
  ...submitPortsOf(world),
  plan: plannerOf(world, { senderOf }),
  recipientOf,
  routing: {
    ...world.ports.routing,
    candidates,
  },
});
const optOut = async (actor: Actor, to: string) => {
  const hash = await world.ports.recipientHashOf(actor.organizationId, 'phone', to);
  await world.table.write({ put: { ...KEYS.phone(actor.organizationId, hash), optInStatus: 'denied' } });
};
const bodyWith = (fallback: V1SendRequest['fallback']) =>
  ({ channel: 'sms', to: PHONE, text: 'Oi', fallback, fallback_after: WAIT_MS }) as const;

/** The first message was sent and reported as failed; every further step is then taken. */
const runOut = async (id: Id<'message'>) => {
  await sendQueued(sendQueuedPortsOf(world), id);
  await deliverReport(world, reportOf(id, 'failed'));
  const ports = { ...advanceFallbackPortsOf(world, plannerOf(world, { senderOf })), recipientOf };
  for (let step = 0; step < 6; step++) {
    world.now += WAIT_MS;
    await advanceFallback(ports, id);
  }
};
const storedOf = async (id: Id<'message'>) => {
  const message = await world.ports.messageStore.read(id);
  if (!message) throw new Error('it was not stored');
  return message;
};
const skippedOf = async (id: Id<'message'>) =>
  (await storedOf(id)).decisions.filter(({ kind }) => kind === 'fallback').map(({ detail }) => detail);

describe('a later fallback that cannot be sent', { timeout: 180_000 }, () => {
  test.each<[string, NonNullable<V1SendRequest['fallback']>[number], string, string | undefined, () => void]>([
    ['its window is closed', 'whatsapp', 'window_closed', undefined, () => (state.windowOpen = false)],
    ['nobody tells an address', 'email', 'invalid_recipient', undefined, () => {}],
    ['its recipient opted out', { channel: 'sms', to: ABROAD }, 'invalid_request', 'opt_out', () => {}],
    [
      'its text breaks the rules',
      { channel: 'instagram', to: '1784140', text: 'é'.repeat(600) },
      'invalid_request',
      undefined,
      () => {},
    ],
    ['it would cost too much', { channel: 'whatsapp', maxCoins: 1 }, 'precondition_failed', undefined, () => {}],
    ['nobody carries it', 'rcs', 'provider_failed', undefined, () => {}],
  ])('because %s refuses nothing: response, repeat and timeline show why', async (_, step, code, reason, arrange) => {
    arrange();
    const actor = await world.organization(10_000);
    await optOut(actor, ABROAD);
    const body = bodyWith([step, 'sms']);
    const answer = accepted(await sendV1(submitPorts(), actor, 'key', body));
    const channel = typeof step === 'string' ? step : step.channel;
    const refusal = { code, detail: expect.any(String), action: expect.any(String), ...(reason ? { reason } : {}) };
    expect(answer.fallback).toEqual([
      { channel, after: '60s', refusal },
      { channel: 'sms', after: '60s', price: { coins: 800 } },
    ]);
    expect(accepted(await sendV1(submitPorts(), actor, 'key', body)).fallback).toEqual(answer.fallback);
    const reported = timelineOf(await storedOf(answer.id), [], undefined, [], true).find(
      ({ kind }) => kind === 'fallback',
    );
    expect(reported?.detail).toContain(`${channel} (cannot be sent now: ${reason ?? code}), then sms at 800 coins`);
  });

  test('is skipped when it is due, with the reason, and the next one leaves', async () => {
    state.windowOpen = false;
    const actor = await world.organization(10_000);
    const { id } = accepted(await sendV1(submitPorts(), actor, 'key', bodyWith(['whatsapp', 'email', 'sms'])));
    await runOut(id);
    expect(await skippedOf(id)).toEqual([
      expect.stringContaining('step=1 channel=whatsapp skipped: The recipient did not write'),
      expect.stringContaining('step=2 channel=email skipped: The fallback has no recipient'),
      expect.stringContaining('step=3 channel=sms sent as'),
    ]);
    const { messages } = await checkMoney(world.table, actor.organizationId, { quiet: false });
    expect(messages.map(({ channel }) => channel)).toEqual(['sms', 'sms']);
  });

  test.each<[string, Channel, () => void]>([
    ['the recipient wrote meanwhile', 'whatsapp', () => (state.windowOpen = true)],
    ['the contact has an address now', 'email', () => (state.address = 'ana@loja.example')],
  ])('leaves after all when it is due and %s', async (_, channel, change) => {
    state.windowOpen = false;
    const actor = await world.organization(10_000);
    const body = { ...bodyWith([channel]), contactId: parseId('contact', 'cnt_000000000000000000001') };
    await world.table.write({ put: { ...KEYS.contact(body.contactId), org: actor.organizationId } });
    const answer = accepted(await sendV1(submitPorts(), actor, 'key', body));
    expect(answer.fallback).toMatchObject([{ refusal: {} }]);
    change();
    await runOut(answer.id);
    const { messages } = await checkMoney(world.table, actor.organizationId, { quiet: false });
    expect(messages.map((message) => message.channel).toSorted()).toEqual(['sms', channel].toSorted());
  });

  test('leaves for the contact that its own was merged into meanwhile', async () => {
    const actor = await world.organization(10_000);
    const [merged, heir] = [1, 2].map((at) => parseId('contact', `cnt_00000000000000000000${at}`));
    const put = (id: Id<'contact'> | undefined) =>
      world.table.write({ put: { ...KEYS.contact(id as Id<'contact'>), org: actor.organizationId } });
    await put(merged);
    const answer = accepted(await sendV1(submitPorts(), actor, 'key', { ...bodyWith(['sms']), contactId: merged }));
    await world.table.write({ delete: KEYS.contact(merged as Id<'contact'>) });
    await put(heir);
    await world.table.write({ update: KEYS.message(answer.id), set: { contactId: heir } });
    await runOut(answer.id);
    const { messages } = await checkMoney(world.table, actor.organizationId, { quiet: false });
    expect(messages.map(({ contactId }) => contactId)).toEqual([heir, heir]);
  });

  test('is skipped when its recipient opted out after the acceptance', async () => {
    const actor = await world.organization(10_000);
    const { id } = accepted(await sendV1(submitPorts(), actor, 'key', bodyWith([{ channel: 'sms', to: ABROAD }])));
    await optOut(actor, ABROAD);
    await runOut(id);
    expect(await skippedOf(id)).toEqual(['step=1 channel=sms skipped: The contact opted out.']);
  });
});
