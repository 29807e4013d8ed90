import fc from 'fast-check';
import { CHANNELS, channelOf } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { FallbackStep } from '../../shared/domain/message/fallback.ts';
import { advances, type MessageRecord, type MessageStatus } from '../../shared/domain/message/message.ts';
import type { ProviderAnswer } from '../../shared/domain/message/provider-port.ts';
import { type AdvanceFallbackPorts, advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { applyReceipt, applySandboxReport } from '../../shared/domain/sending/apply-receipt.ts';
import type { Sent } from '../../shared/domain/sending/idempotency.ts';
import type { SendPlanOf } from '../../shared/domain/sending/plan.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { reserveMessage } from '../../shared/domain/sending/reserve.ts';
import { sendNow } from '../../shared/domain/sending/send-now.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { outbox } from '../../shared/storage/due-work/outbox.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { chanceOf } from './chance.ts';
import { proofOn } from './channel-answers.ts';
import { keyOn, planOn, reportsOf } from './channel-plans.ts';
import { coinsOn, reportOf } from './channel-sends.ts';
import { failUnless } from './fail-unless.ts';
import { tableFaults, tolerant } from './fault-proxy.ts';
import { queuedMessage } from './ids.ts';
import { overdueOf } from './index-entries.ts';
import { checkMoney } from './money.ts';
import type { World } from './world.ts';
import { advanceFallbackPortsOf, enqueue, sendQueuedPortsOf } from './world-queued.ts';

const ANSWERS = {
  accepted: undefined,
  throttled: { kind: 'refused', cause: 'throttled', detail: '429' },
  recipient: { kind: 'refused', cause: 'recipient', detail: '404' },
  lost: { kind: 'unknown', detail: 'no answer' },
  lost_but_taken: 'taken',
} as const satisfies Record<string, ProviderAnswer | 'taken' | undefined>;

const TABLE_FAULTS = tableFaults(5);

type AnswerName = keyof typeof ANSWERS;

interface OneSend {
  readonly key: number;
  readonly body: number;
  readonly answer: AnswerName;
}

/** A step of a history: what callers, providers, queues and the table do, in any order. */
export type Step =
  | ({ readonly do: 'send' } & OneSend)
  /** Sends at the same time. */
  | { readonly do: 'burst'; readonly sends: readonly OneSend[] }
  /** A queued send with two fallbacks. */
  | { readonly do: 'submit'; readonly key: number; readonly answer: AnswerName }
  | { readonly do: 'receipt'; readonly of: number; readonly report: number }
  | { readonly do: 'work'; readonly order: number; readonly twice: boolean }
  | { readonly do: 'sweep'; readonly ms: number }
  | { readonly do: 'fault'; readonly kind: keyof typeof TABLE_FAULTS; readonly calls: number };

const stepOf = <K extends Step['do'], F>(name: K, fields: { [P in keyof F]: fc.Arbitrary<F[P]> }) =>
  fc.record({ do: fc.constant(name), ...fields });
const answer = fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[]));
const stepArbitrary = fc.oneof(
  { weight: 5, arbitrary: stepOf('send', { key: fc.nat({ max: 5 }), body: fc.nat({ max: 1 }), answer }) },
  { weight: 3, arbitrary: stepOf('submit', { key: fc.nat({ max: 3 }), answer }) },
  { weight: 3, arbitrary: stepOf('receipt', { of: fc.nat({ max: 9 }), report: fc.nat({ max: 3 }) }) },
  { weight: 2, arbitrary: stepOf('work', { order: fc.nat(), twice: fc.boolean() }) },
  { weight: 2, arbitrary: stepOf('sweep', { ms: fc.constantFrom(1_000, 16_000, 31_000, 120_000) }) },
  {
    weight: 2,
    arbitrary: stepOf('fault', {
      kind: fc.constantFrom(...Object.keys(TABLE_FAULTS)),
      calls: fc.integer({ min: 1, max: 3 }),
    }),
  },
) as fc.Arbitrary<Step>;

/** Histories of up to `length` steps. */
export const historyArbitrary = (length: number): fc.Arbitrary<Step[]> =>
  fc.array(stepArbitrary, { minLength: 1, maxLength: length });

const burstArbitrary = stepOf('burst', {
  sends: fc.array(fc.record({ key: fc.nat({ max: 40 }), body: fc.nat({ max: 1 }), answer }), {
    minLength: 2,
    maxLength: 16,
  }),
}) as fc.Arbitrary<Step>;
/** The same with bursts among them. */
export const burstsArbitrary = (length: number): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof({ weight: 8, arbitrary: burstArbitrary }, { weight: 10, arbitrary: stepArbitrary }), {
    minLength: 2,
    maxLength: length,
  });

const markPublished = async (world: World, id: Id<'event'>): Promise<void> => {
  const events = outbox(world.table);
  const found = await events.read(id);
  if (found) await events.markPublished([found.event], world.now);
};

const plansOf =
  (world: World): AdvanceFallbackPorts['plan'] =>
  async (_, { channel, text = '' }) => ({ plan: await planOn(world, channel, text) });

/** Enqueues what is overdue, as the dispatcher does. */
const dispatchDue = async (world: World): Promise<void> => {
  world.workItems.push(...(await overdueOf(world.table, ['send_message', 'fallback'], world.now, 100)));
};

/** Does what a work item of a send is for, as its consumer does. */
export const workOn = async (world: World, item: WorkItem): Promise<unknown> => {
  if (item.kind === 'publish_event') return markPublished(world, PARSE_KEY.event(item));
  const id = PARSE_KEY.message(item);
  if (item.kind === 'apply_receipt') return applyReceipt(world.ports, id, PARSE_KEY.receipt(item).fingerprint);
  if (item.kind === 'recover_send') return recoverSend(world.ports, id);
  if (item.kind === 'sandbox_outcome') return applySandboxReport(world.ports, id);
  if (item.kind === 'send_message') return sendQueued(sendQueuedPortsOf(world), id);
  return item.kind === 'fallback' ? advanceFallback(advanceFallbackPortsOf(world, plansOf(world)), id) : undefined;
};
const workThrough = async (world: World): Promise<void> => {
  for (const item of world.workItems.splice(0)) await tolerant(workOn(world, item));
};

/** How long a message is waited for before its fallback, in ms. */
const WAIT_MS = 60_000;
/** The channels that send a message by one call. A push fans out to devices: test/push, test/faults/push.test.ts. */
export const MODELLED = CHANNELS.filter((channel) => !channelOf(channel).fansOut);
/** The other channel of a channel's fallback. */
const other = (channel: Channel): Channel => MODELLED[(MODELLED.indexOf(channel) + 1) % MODELLED.length] ?? 'sms';

/** A fallback step is taken only while no message before it is delivered, and only once; each is billed at its channel's own price. */
const checkFallbacks = (messages: readonly MessageRecord[], priceOn: ReadonlyMap<Channel, number>): void => {
  const steps = messages.filter(({ id, fallbackId }) => fallbackId !== undefined && fallbackId !== id);
  const keys = new Set(steps.map(({ callerKey }) => callerKey));
  failUnless(keys.size === steps.length, 'a fallback step was taken twice');
  for (const { channel, coins } of steps)
    failUnless(coins === priceOn.get(channel), `a fallback on ${channel} was billed ${coins} coins`);
  for (const step of steps) {
    const before = messages.filter((each) => each.fallbackId === step.fallbackId && each.createdAt < step.createdAt);
    const isDelivered = before.some(({ deliveredAt = Infinity }) => deliveredAt < step.createdAt);
    failUnless(!isDelivered, 'a fallback step was taken after a message before it was delivered');
  }
};

/** The shared state of a history's steps and checks. */
interface Run {
  readonly world: World;
  /** The ports of sends. */
  readonly ports: World['ports'];
  readonly channel: Channel;
  readonly actor: Actor;
  readonly priceOn: ReadonlyMap<Channel, number>;
  /** The last status of each message. */
  readonly statuses: Map<string, MessageStatus>;
  /** Messages whose send was answered. */
  readonly answered: Set<string>;
}

const check = async ({ world, actor, statuses, priceOn }: Run, quiet: boolean): Promise<readonly MessageRecord[]> => {
  const { messages } = await checkMoney(world.table, actor.organizationId, { quiet });
  for (const { id, status } of messages) {
    const before = statuses.get(id) ?? status;
    failUnless(before === status || advances(before, status), `a status went back from ${before} to ${status}`);
    statuses.set(id, status);
  }
  checkFallbacks(messages, priceOn);
  return messages;
};

/** Makes sends while the provider answers so, one answer for each call. */
const sendAnswered = async (
  { world: { provider }, answered }: Run,
  names: readonly AnswerName[],
  sends: readonly (() => Promise<unknown>)[],
): Promise<void> => {
  const loseAcceptance: (typeof provider.script)[number] = ({ messageId }) => {
    provider.accepted.add(messageId);
    return { kind: 'unknown', detail: 'no answer' };
  };
  const accept: (typeof provider.script)[number] = ({ messageId }) => ({
    kind: 'accepted',
    providerMessageId: `p-${messageId}`,
  });
  provider.script = names.map((name) => (ANSWERS[name] === 'taken' ? loseAcceptance : (ANSWERS[name] ?? accept)));
  const outcomes = await Promise.all(sends.map((send) => tolerant(send())));
  for (const sent of outcomes as readonly (Sent | Refusal | undefined)[])
    if (sent && !isRefusal(sent)) answered.add(sent.message.id);
};

const sendSync = async ({ world, ports, channel, actor }: Run, { key, body }: OneSend) => {
  const text = `Texto ${body}`;
  const plan = (await planOn(world, channel, text)) as SendPlanOf<'sms'>;
  return sendNow(ports, actor, keyOn(channel, `key-${key}`, text), { plan });
};
const submit = async ({ world, ports, channel, actor }: Run, { key }: Extract<Step, { do: 'submit' }>) => {
  const at = world.now;
  const next = (of: Channel): FallbackStep => ({
    channel: of,
    to: '',
    type: 'text',
    text: 'Outro canal',
    afterMs: WAIT_MS,
  });
  const sent = await reserveMessage(ports, actor, {
    plan: await planOn(world, channel, 'Texto'),
    key: keyOn(channel, `queued-${key}`, 'Texto'),
    initial: { status: 'queued', at, steps: [next(other(channel)), next(channel)] },
  });
  if (!isRefusal(sent)) enqueue(world, 'send_message', sent.message.id);
  return sent;
};

/** Stores a report of a message that the provider accepted, and enqueues it. */
const report = async ({ world, channel }: Run, { of, report: nth }: Extract<Step, { do: 'receipt' }>) => {
  const messageId = world.provider.dispatched[of]?.messageId;
  if (!messageId || !world.provider.accepted.has(messageId)) return;
  const message = await world.ports.messageStore.read(messageId);
  const reports = reportsOf(message?.channel ?? channel);
  const status = reports[nth % reports.length] ?? 'delivered';
  const { fingerprint } = await world.ports.addPendingReceipt(
    queuedMessage(messageId),
    reportOf(messageId, status),
    world.now,
  );
  world.workItems.push({ kind: 'apply_receipt', ...KEYS.receipt(messageId, fingerprint) });
};

const take = async (run: Run, step: Step): Promise<unknown> => {
  const { world } = run;
  if (step.do === 'send') return sendAnswered(run, [step.answer], [() => sendSync(run, step)]);
  if (step.do === 'submit') return sendAnswered(run, [step.answer], [() => submit(run, step)]);
  if (step.do === 'burst') {
    const answers = step.sends.map((one) => one.answer);
    const sends = step.sends.map((one) => () => sendSync(run, one));
    return sendAnswered(run, answers, sends);
  }
  if (step.do === 'receipt') return tolerant(report(run, step));
  if (step.do === 'fault') {
    let left = step.calls;
    const fault = TABLE_FAULTS[step.kind];
    return world.proxy.plan(({ action }) => (/Transact|Update|Put/.test(action) && left-- > 0 ? fault : undefined));
  }
  if (step.do === 'work') {
    const items = world.workItems.splice(0);
    world.workItems.push(...chanceOf(step.order).shuffled(step.twice ? [...items, ...items] : items));
    return workThrough(world);
  }
  world.now += step.ms;
  await dispatchDue(world);
  for (const { messageId } of world.provider.dispatched) await tolerant(recoverSend(world.ports, messageId));
  return undefined;
};

/** Lets time pass until nothing is under way. */
const settle = async (run: Run): Promise<void> => {
  const { world } = run;
  for (let turn = 0; turn < 12; turn++) {
    world.now += 31_000;
    const messages = await check(run, false);
    await dispatchDue(world);
    for (const { id } of messages) await recoverSend(world.ports, id);
    for (const { id } of messages)
      for (const { fingerprint } of await world.ports.pendingReceipts(id))
        await applyReceipt(world.ports, id, fingerprint);
    await workThrough(world);
  }
};

/** At the end each message was sent at most once, and charged exactly when the provider accepted it, as far as that can be proven. */
const checkEnd = ({ world, answered }: Run, messages: readonly MessageRecord[]): void => {
  const dispatched = world.provider.dispatched.map(({ messageId }) => messageId);
  failUnless(new Set(dispatched).size === dispatched.length, 'a message reached the provider twice');
  for (const { id, reason, channel, hold } of messages) {
    const taken = world.provider.accepted.has(id);
    const unproven = taken && reason === 'indeterminate' && proofOn(channel) !== 'status_query';
    if (unproven) failUnless(hold === 'released', 'an indeterminate message was charged');
    else failUnless(taken === (hold === 'captured'), `accepted ${taken}, but the hold is ${hold}`);
  }
  const stored = new Set<string>(messages.map(({ id }) => id));
  failUnless(stored.size === messages.length, 'a message is stored twice');
  for (const id of answered) failUnless(stored.has(id), 'an answered message is not stored');
};

/** Runs a history in an organization of its own and checks the invariants after every step, and again when all is quiet. */
export const runHistory = async (
  world: World,
  channel: Channel,
  history: readonly Step[],
  ports = world.ports,
): Promise<void> => {
  world.reset();
  const actor = await world.organization(6_000);
  const prices = CHANNELS.map(async (each) => [each, await coinsOn(world, each)] as const);
  const priceOn = new Map(await Promise.all(prices));
  const run: Run = { world, ports, channel, actor, priceOn, statuses: new Map(), answered: new Set() };
  for (const step of history) {
    await take(run, step);
    if (step.do !== 'fault') world.proxy.plan(undefined);
    await check(run, false);
  }
  world.proxy.plan(undefined);
  await settle(run);
  checkEnd(run, await check(run, true));
};
