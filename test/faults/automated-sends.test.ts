import { afterEach, describe, expect, test } from 'vitest';
import { type AutomatedRequest, sendAutomated } from '../../shared/domain/api/automated-send.ts';
import { cancel } from '../../shared/domain/api/cancel-and-force.ts';
import { resend } from '../../shared/domain/api/resend.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { linkCodesIn } from '../../shared/domain/links/short-link.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import type { AutomatedSend } from '../../shared/domain/sending/automated.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { messageView } from '../../shared/domain/tracking/views.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { aContact, aStep, ofCampaign, ofJourney } from '../support/automated.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import {
  advanceFallbackPortsOf,
  cancelAndForcePortsOf,
  sendQueuedPortsOf,
  submitPortsOf,
} from '../support/world-queued.ts';

const PHONE = '+5511987654321';
const DAY_MS = 24 * 3_600_000;
const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;

const setUp = async () => {
  const actor = await world.organization(1_000_000);
  return { actor, contactId: await aContact(table, actor) };
};
type Set = Awaited<ReturnType<typeof setUp>>;
const send = (
  { actor: { organizationId, env }, contactId }: Set,
  automated: AutomatedSend,
  body: Partial<AutomatedRequest> = {},
) =>
  sendAutomated(submitPortsOf(world), { organizationId, env }, automated, {
    channel: 'sms',
    to: PHONE,
    text: 'Oi',
    contactId,
    ...body,
  });
const leave = (id: Id<'message'>) => sendQueued(sendQueuedPortsOf(world), id);
const read = (id: Id<'message'>) => world.ports.messageStore.read(id);

describe('the key of a journey or a campaign', () => {
  test('sends once, whatever the message says when the step is repeated', async () => {
    const set = await setUp();
    const step = aStep();
    const first = accepted(await send(set, ofJourney(step)));
    const again = accepted(await send(set, ofJourney(step), { text: 'Olá, Ana', to: '+5511911112222' }));
    expect(again).toMatchObject({ replayed: true, message: { id: first.message.id } });
    expect(accepted(await send(set, ofJourney(step, 2))).replayed).toBe(false);
    expect((await checkMoney(table, set.actor.organizationId, { quiet: false })).messages).toHaveLength(2);
  });

  test('sends once for twenty concurrent calls', async () => {
    const set = await setUp();
    const automated = ofCampaign('cmp_00000000000000000000a' as Id<'campaign'>, set.contactId);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send(set, automated)));
    expect(outcomes.map(accepted).filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await checkMoney(table, set.actor.organizationId, { quiet: false })).messages).toHaveLength(1);
  });

  test('is valid for 400 days, and free after them', async () => {
    const set = await setUp();
    const step = aStep();
    const { message } = accepted(await send(set, ofJourney(step)));
    world.now += 399 * DAY_MS;
    expect(accepted(await send(set, ofJourney(step))).message.id).toBe(message.id);
    world.now += DAY_MS;
    expect(accepted(await send(set, ofJourney(step))).replayed).toBe(false);
  });

  test('sends nothing again where its message has left for the archive, and says which it was', async () => {
    const set = await setUp();
    const step = aStep();
    const { message } = accepted(await send(set, ofJourney(step)));
    await table.write({ delete: KEYS.message(message.id) });
    for (const body of [{}, { contactId: 'cnt_0000000000000000000zz' as Id<'contact'> }]) {
      const again = await send(set, ofJourney(step), body);
      expect(isRefusal(again) && again.details.meta).toEqual({ code: 'JA_ENVIADA', messageId: message.id });
    }
  });

  test('stays taken after a refusal by the provider, and after a cancellation', async () => {
    const set = await setUp();
    const [refused, cancelled] = [aStep(), aStep()];
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    const { message } = accepted(await send(set, ofJourney(refused)));
    await leave(message.id);
    expect((await read(message.id))?.status).toBe('failed');
    expect(accepted(await send(set, ofJourney(refused)))).toMatchObject({
      replayed: true,
      message: { id: message.id },
    });
    const other = accepted(await send(set, ofJourney(cancelled))).message;
    accepted(await cancel(cancelAndForcePortsOf(world), set.actor, other.id));
    expect(accepted(await send(set, ofJourney(cancelled))).message.id).toBe(other.id);
  });
});

describe('the cap of a journey', () => {
  const cap = { messages: 2, days: 7 };
  const capped = (visit: number) => ({ ...ofJourney(aStep(), visit), frequency: { cap } });
  const motivoOf = (outcome: Awaited<ReturnType<typeof send>>) =>
    isRefusal(outcome) ? outcome.details.meta?.motivo : undefined;

  test('counts what journeys and campaigns sent to the contact together, and nothing that the API sent', async () => {
    const set = await setUp();
    for (let sends = 0; sends < 3; sends++)
      accepted(await world.sms(set.actor, undefined, { contactId: set.contactId }));
    accepted(await send(set, ofCampaign(newId('campaign'), set.contactId)));
    accepted(await send(set, capped(1), { channel: 'email', to: 'ana@loja.example' }));
    const refused = await send(set, capped(2));
    expect(motivoOf(refused)).toBe('frequency_cap');
    expect((await checkMoney(table, set.actor.organizationId, { quiet: false })).messages).toHaveLength(5);
    world.now += 8 * DAY_MS;
    expect(motivoOf(await send(set, capped(3)))).toBeUndefined();
  });

  test('neither holds back nor counts what is transactional, and answers a repeat as it answered first', async () => {
    const set = await setUp();
    for (let visit = 0; visit < 3; visit++) accepted(await send(set, capped(visit), { route: 'otp' }));
    const email = { subject: 'Pedido', text: 'Saiu', transactional: true };
    const body = { channel: 'email', to: 'ana@loja.example', text: undefined, payload: { email } } as const;
    accepted(await send(set, capped(4), body));
    const last = capped(5);
    accepted(await send(set, last));
    accepted(await send(set, capped(6)));
    expect(motivoOf(await send(set, capped(7)))).toBe('frequency_cap');
    expect(accepted(await send(set, last)).replayed).toBe(true);
  });
});

describe('a message of a journey', () => {
  const step = aStep({ awaited: true });
  const labels = { origin: 'automation', journey: step } as const;

  test('says which step of which run sent it, with its fallbacks, and shows nothing of that', async () => {
    const set = await setUp();
    const body = { fallback: ['rcs'], fallback_after: 60_000, campaignId: 'natal', route: 'premium' } as const;
    const { message } = accepted(await send(set, ofJourney(step), body));
    expect(message).toMatchObject({ ...labels, campaignId: 'natal' });
    expect(await read(message.id)).toMatchObject(labels);
    expect(JSON.stringify(messageView(message, true))).not.toMatch(/automation|jor_|run_/);
    await leave(message.id);
    world.now += 60_000;
    await advanceFallback(advanceFallbackPortsOf(world), message.id);
    const { messages } = await checkMoney(table, set.actor.organizationId, { quiet: false });
    const next = messages.find(({ id }) => id !== message.id);
    expect(next).toMatchObject({ channel: 'rcs', fallbackId: message.id, ...labels, campaignId: 'natal' });
  });

  test('is resent as one of the same step', async () => {
    const set = await setUp();
    const { message } = accepted(await send(set, ofJourney(step, 2)));
    const { organizationId } = set.actor;
    const ports = {
      ...submitPortsOf(world),
      readMessage: (_: Id<'organization'>, id: Id<'message'>) => readMessage(table, organizationId, id),
      isUndecided: async () => false,
    };
    const resent = accepted(await resend(ports, set.actor, message.id, {}, undefined));
    expect(resent.message).toMatchObject({ replaces: message.id, ...labels });
  });

  test('has its links tracked, and those of its fallbacks', async () => {
    const set = await setUp();
    const text = 'Veja https://loja.example/natal';
    const { message } = accepted(await send(set, ofJourney(step, 3), { text, fallback: ['rcs'] }));
    const [code = ''] = linkCodesIn(JSON.stringify(message.content));
    expect(await table.get(KEYS.link(code))).toMatchObject({
      url: 'https://loja.example/natal',
      messageId: message.id,
    });
    const [fallback] = JSON.parse(String((await table.get(KEYS.fallback(message.id)))?.steps));
    expect(fallback).toMatchObject({ channel: 'rcs', trackLinks: true, labels });
  });
});
