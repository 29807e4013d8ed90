import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMessage } from '../../shared/domain/api/create-message.ts';
import { type ResendPorts, resend } from '../../shared/domain/api/resend.ts';
import { sendEmail } from '../../shared/domain/api/send-email.ts';
import { sendRcs } from '../../shared/domain/api/send-rcs.ts';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { type PreviewPorts, previewV1, sendV1 } from '../../shared/domain/api/v1-send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { AnswerPorts, SubmitPorts } from '../../shared/domain/sending/accept.ts';
import { accepted } from '../support/accepted.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { cancelAndForcePortsOf, emailPortsOf, plannerOf, submitPortsOf } from '../support/world-queued.ts';

const PHONE = '+5511987654321';
const TEXT = 'Seu pedido saiu.';

/** Whether the recipient's window is open, and the organization has a sender of e-mails. */
const state = { open: true, sender: true };

const world = await use(startWorld('live'));
/** Reads of keys outside of transactions. */
const reads = vi.fn(world.ports.idempotencyRecord);
Object.assign(world.ports, { idempotencyRecord: reads });
beforeEach(() => {
  // Not the mock itself: what a hook returns is called after the test.
  reads.mockClear();
});
afterEach(() => {
  world.reset();
  Object.assign(state, { open: true, sender: true });
});

const submitPorts = (): SubmitPorts & AnswerPorts => {
  const ports = submitPortsOf(world);
  const senderOf = async () => (state.open ? { lastInboundAt: world.now - 1 } : {});
  return { ...ports, plan: plannerOf(world, { senderOf }) };
};
const emailPorts = () => ({
  ...emailPortsOf(world),
  emailSender: async () => (state.sender ? 'ola@loja.example' : undefined),
});
const resendPorts = (): ResendPorts => ({ ...cancelAndForcePortsOf(world), ...submitPorts() });

/** A send by one operation; the same text and recipient under the same key are the same request. */
type Send = (actor: Actor, key: string, text?: string, to?: string) => Promise<object>;
const ofText = (channel: 'sms' | 'whatsapp', text: string, to: string) =>
  ({ channel, to, type: 'text', payload: { text } }) as const;
const OPERATIONS = {
  'POST /messages': (actor, key, text = TEXT, to = PHONE) =>
    createMessage(submitPorts(), actor, key, ofText('whatsapp', text, to)),
  'POST /v1/messages': (actor, key, text = TEXT, to = PHONE) =>
    sendV1(submitPorts(), actor, key, { channel: 'whatsapp', to, text }),
  'the SMS send': (actor, key, body = TEXT, to = PHONE) =>
    sendSms(world.ports, actor, key, { to, body, route: 'premium' }),
  'the RCS send': (actor, key, text = TEXT, to = PHONE) =>
    sendRcs(world.ports, actor, key, { to, content: { text }, route: 'easy_rcs' }),
  'the e-mail send': (actor, key, text = TEXT, to = 'ana@loja.example') =>
    sendEmail(emailPorts(), actor, key, { to, subject: 'Pedido', text }),
} as const satisfies Readonly<Record<string, Send>>;
const SYNC = ['the SMS send', 'the RCS send', 'the e-mail send'] as const;

const funded = () => world.organization(100_000);
const unpriced = { name: 'PRECONDITION_FAILED' };
const reused = { name: 'CONFLICT', details: { detail: 'This Idempotency-Key was used with another body.' } };

describe.each(Object.entries<Send>(OPERATIONS))('a repeat by %s', (_, send) => {
  test('is replayed though its price is gone, and another body is a 409', async () => {
    const actor = await funded();
    const first = await send(actor, 'key');
    const before = await checkMoney(world.table, actor.organizationId, { quiet: false });
    world.prices = [];
    expect(await send(actor, 'key')).toEqual({ ...first, replayed: true });
    expect(await send(actor, 'key', 'Outro texto.')).toMatchObject(reused);
    expect(await send(actor, 'free')).toMatchObject(unpriced);
    expect(await checkMoney(world.table, actor.organizationId, { quiet: false })).toEqual(before);
  });

  test('with an invalid body is refused for the body, not for its key', async () => {
    const actor = await funded();
    await send(actor, 'key');
    const wrong = await send(actor, 'key', TEXT, 'x');
    expect(wrong).toMatchObject({ details: { errors: [{ path: 'to' }] } });
  });

  test('is replayed without a provider and without balance', async () => {
    const actor = await world.organization(2_000);
    const first = await send(actor, 'key');
    world.candidates = () => ({ kind: 'none', missing: 'nothing' });
    expect(await send(actor, 'key')).toEqual({ ...first, replayed: true });
    expect(await send(actor, 'key', 'Outro texto.')).toMatchObject(reused);
  });

  test('alone costs a read of the key: a send that is accepted reads it in its transaction only', async () => {
    expect(await send(await funded(), 'key')).toMatchObject({ replayed: false });
    expect(reads).not.toHaveBeenCalled();
  });
});

test.each(['POST /messages', 'POST /v1/messages'] as const)('a repeat by %s outlives the window', async (name) => {
  const send = OPERATIONS[name];
  const actor = await funded();
  const first = await send(actor, 'key');
  state.open = false;
  expect(await send(actor, 'key')).toEqual({ ...first, replayed: true });
  expect(await send(actor, 'key', 'Outro texto.')).toMatchObject(reused);
  expect(await send(actor, 'free')).toMatchObject({ details: { meta: { code: 'window_closed' } } });
});

test('a repeat of an e-mail that names no sender outlives the organization’s own', async () => {
  const send = OPERATIONS['the e-mail send'];
  const actor = await funded();
  const first = await send(actor, 'key');
  state.sender = false;
  expect(await send(actor, 'key')).toEqual({ ...first, replayed: true });
  expect(await send(actor, 'key', 'Outro texto.')).toMatchObject(reused);
  expect(await send(actor, 'free')).toMatchObject({ details: { meta: { motivo: 'no_verified_sender' } } });
});

test.each(SYNC)('a repeat by %s while its first is under way is a 409, though its price is gone', async (name) => {
  const send = OPERATIONS[name];
  const actor = await funded();
  world.provider.script = [{ kind: 'unknown', detail: 'no answer within 10 s' }];
  expect(isRefusal(await send(actor, 'key'))).toBe(true);
  world.prices = [];
  expect(await send(actor, 'key')).toMatchObject({ name: 'CONFLICT', details: { meta: { code: 'EM_ANDAMENTO' } } });
});

test('a repeated resend is replayed; one that is accepted reads its key in its transaction only', async () => {
  const actor = await funded();
  const first = accepted(await createMessage(submitPorts(), actor, 'first', ofText('sms', TEXT, PHONE)));
  const again = (metadata = {}) => resend(resendPorts(), actor, first.id, { payload: { text: TEXT }, metadata }, 'key');
  reads.mockClear();
  const { message, replayed } = accepted(await again());
  expect(replayed).toBe(false);
  expect(reads).not.toHaveBeenCalled();
  world.prices = [];
  expect(await again()).toEqual({ message, replayed: true });
  expect(await again({ pedido: 2 })).toMatchObject(reused);
});

const previewPorts = (): PreviewPorts => ({
  ...submitPorts(),
  previewContext: async () => ({ balance: 0, byPlan: new Map() }),
});
const body = { channel: 'sms', to: PHONE, text: TEXT, fallback: ['rcs', 'whatsapp'] } as const;

test.each(['preview', 'step 0'])('a caller’s key never collides with a key of the service: %s', async (key) => {
  const actor = await funded();
  await sendSms(world.ports, actor, key, { to: PHONE, body: TEXT, route: 'premium' });
  world.prices = world.prices.filter(({ channel }) => channel === 'sms');
  const shown = await previewV1(previewPorts(), actor, body);
  expect(shown).toMatchObject({
    hops: [{ price: {} }, { refusal: { code: 'precondition_failed' } }, { refusal: { code: 'precondition_failed' } }],
  });
  const refusal = { code: 'precondition_failed' };
  expect(await sendV1(submitPorts(), actor, 'own', body)).toMatchObject({ fallback: [{ refusal }, { refusal }] });
});
