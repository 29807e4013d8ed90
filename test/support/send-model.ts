import fc from 'fast-check';
import { CHANNELS } from '../../shared/domain/channels/registry.ts';
import { Refusal } from '../../shared/domain/core/errors.ts';
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
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { overdue } from '../../shared/storage/work/due.ts';
import { outbox } from '../../shared/storage/work/outbox.ts';
import { keyOn, planOn, reportsOf } from './channel-plans.ts';
import { coinsOn, reportOf } from './channel-plans-live.ts';
import { proofOn } from './channel-plans-told.ts';
import { FAULTS, type Fault } from './fault-proxy.ts';
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

const TABLE_FAULTS: Readonly<Record<string, Fault>> = {
  conflict: FAULTS.conflict(5),
  throttle: FAULTS.throttle,
  internal: FAULTS.internal,
  loseAnswer: FAULTS.loseAnswer,
  drop: FAULTS.drop,
};

/** A step of a history: what callers, providers, queues and the table do, in any order. */
export type Step =
  | { readonly do: 'send'; readonly key: number; readonly body: number; readonly answer: keyof typeof ANSWERS }
  /** A send that leaves by itself, with two fallbacks. */
  | { readonly do: 'submit'; readonly key: number; readonly answer: keyof typeof ANSWERS }
  | { readonly do: 'receipt'; readonly of: number; readonly report: number }
  | { readonly do: 'work'; readonly order: number; readonly twice: boolean }
  | { readonly do: 'sweep'; readonly ms: number }
  | { readonly do: 'fault'; readonly kind: keyof typeof TABLE_FAULTS; readonly calls: number };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      key: fc.nat({ max: 5 }),
      body: fc.nat({ max: 1 }),
      answer: fc.constantFrom(...(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      key: fc.nat({ max: 3 }),
      answer: fc.constantFrom(...(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('receipt' as const),
      of: fc.nat({ max: 9 }),
      report: fc.nat({ max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('work' as const), order: fc.nat(), twice: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('sweep' as const), ms: fc.constantFrom(1_000, 16_000, 31_000, 120_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      kind: fc.constantFrom(...Object.keys(TABLE_FAULTS)),
      calls: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

/** Histories of up to `length` steps. */
export const historyArbitrary = (length: number): fc.Arbitrary<Step[]> =>
  fc.array(stepArbitrary, { minLength: 1, maxLength: length });

/** Work that may fail for a fault that was injected: its row stays due, so that it comes again. */
const tolerant = async (work: () => Promise<unknown>): Promise<void> => {
  await work().catch(() => {});
};

const markPublished = async (world: World, id: Id<'event'>): Promise<void> => {
  const events = outbox(world.table);
  const found = await events.read(id);
  if (found) await events.markPublished([found.event], world.now);
};

const plansOf =
  (world: World): AdvanceFallbackPorts['plan'] =>
  async (_, { channel, text = '' }) => ({ plan: await planOn(world, channel, text) });

/** What the dispatcher hands over: overdue messages and chains, found by their due rows alone. */
const dispatchDue = async (world: World): Promise<void> => {
  for (const kind of ['send_message', 'fallback'] as const)
    world.workItems.push(...(await overdue(world.table, kind, world.now, 100)));
};

const workThrough = async (world: World): Promise<void> => {
  for (const item of world.workItems.splice(0)) {
    if (item.kind === 'publish_event') {
      await tolerant(() => markPublished(world, PARSE_KEY.event(item)));
      continue;
    }
    const id = PARSE_KEY.message(item);
    if (item.kind === 'apply_receipt')
      await tolerant(() => applyReceipt(world.ports, id, PARSE_KEY.receipt(item).fingerprint));
    else if (item.kind === 'recover_send') await tolerant(() => recoverSend(world.ports, id));
    else if (item.kind === 'sandbox_outcome') await tolerant(() => applySandboxReport(world.ports, id));
    else if (item.kind === 'send_message') await tolerant(() => sendQueued(sendQueuedPortsOf(world), id));
    else if (item.kind === 'fallback')
      await tolerant(() => advanceFallback(advanceFallbackPortsOf(world, plansOf(world)), id));
  }
};

const shuffled = <T>(items: readonly T[], order: number): T[] =>
  [...items]
    .map((item, at) => ({ item, key: Math.imul(at + 1, order | 1) >>> 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

/** How long a message is waited for before its fallback, in ms. */
const WAIT_MS = 60_000;
/** The other channel that a fallback goes over: each has its own. */
const other = (channel: Channel): Channel => CHANNELS[(CHANNELS.indexOf(channel) + 1) % CHANNELS.length] ?? 'sms';

/** A fallback begins only while no message before it had arrived, and no hop begins twice; each is billed at its channel's own rate. */
const checkFallbacks = (messages: readonly MessageRecord[], priceOn: ReadonlyMap<Channel, number>): void => {
  const steps = messages.filter(({ id, fallbackId }) => fallbackId !== undefined && fallbackId !== id);
  const places = new Set(steps.map(({ callerKey }) => callerKey));
  if (places.size !== steps.length) throw new Error('a hop of a chain began twice');
  for (const { channel, coins } of steps)
    if (coins !== priceOn.get(channel)) throw new Error(`a hop on ${channel} was billed ${coins} coins`);
  for (const step of steps)
    for (const before of messages)
      if (
        before.fallbackId === step.fallbackId &&
        before.createdAt < step.createdAt &&
        (before.deliveredAt ?? Infinity) < step.createdAt
      )
        throw new Error('a fallback began after a message of its chain had arrived');
};

/** Runs a history in an organization of its own and checks the invariants after every step, and again when all is quiet. */
export const runHistory = async (world: World, channel: Channel, history: readonly Step[]): Promise<void> => {
  const actor = await world.organization(6_000);
  const organizationId = actor.organizationId;
  const last = new Map<string, MessageStatus>();
  const answered: string[] = [];
  world.provider.dispatched.length = 0;
  world.provider.accepted.clear();
  world.workItems.length = 0;

  const priceOn = new Map<Channel, number>();
  for (const each of CHANNELS) priceOn.set(each, await coinsOn(world, each));
  const look = async (quiet: boolean) => {
    const books = await checkMoney(world.table, organizationId, { quiet });
    for (const { id, status } of books.messages) {
      const before = last.get(id);
      if (before !== undefined && before !== status && !advances(before, status))
        throw new Error(`a status went back from ${before} to ${status}`);
      last.set(id, status);
    }
    checkFallbacks(books.messages, priceOn);
    return books;
  };
  const playing = (name: keyof typeof ANSWERS) => {
    const answer = ANSWERS[name];
    world.provider.script =
      answer === 'taken'
        ? [
            ({ messageId }) => {
              world.provider.accepted.add(messageId);
              return { kind: 'unknown', detail: 'no answer' };
            },
          ]
        : answer
          ? [answer]
          : [];
  };
  const answers = async (answer: keyof typeof ANSWERS, sending: () => Promise<Sent | Refusal>) => {
    playing(answer);
    const sent = await sending().catch((error: unknown) => error);
    if (sent instanceof Error && sent.name !== 'Unavailable') throw sent;
    if (!(sent instanceof Refusal) && !(sent instanceof Error)) answered.push((sent as Sent).message.id);
  };
  const sends = (step: Extract<Step, { do: 'send' }>) =>
    answers(step.answer, async () => {
      const said = `Texto ${step.body}`;
      const plan = (await planOn(world, channel, said)) as SendPlanOf<'sms'>;
      return (await sendNow(world.ports, actor, keyOn(channel, `key-${step.key}`, said), { plan })) as Sent | Refusal;
    });
  const submits = (step: Extract<Step, { do: 'submit' }>) =>
    answers(step.answer, async () => {
      const at = world.now;
      const next = (of: Channel): FallbackStep => ({
        channel: of,
        to: '',
        type: 'text',
        text: 'Outra via',
        afterMs: WAIT_MS,
      });
      const sent = await reserveMessage(world.ports, actor, {
        plan: await planOn(world, channel, 'Texto'),
        key: keyOn(channel, `queued-${step.key}`, 'Texto'),
        initial: { status: 'queued', at, steps: [next(other(channel)), next(channel)] },
      });
      if (!(sent instanceof Refusal)) enqueue(world, 'send_message', sent.message.id);
      return sent;
    });
  const take = async (step: Step): Promise<void> => {
    if (step.do === 'send') return sends(step);
    if (step.do === 'submit') return submits(step);
    if (step.do === 'fault') {
      let left = step.calls;
      const fault = TABLE_FAULTS[step.kind];
      world.proxy.plan((call) => (/Transact|Update|Put/.test(call.action) && left-- > 0 ? fault : undefined));
      return;
    }
    if (step.do === 'work') {
      const workItems = world.workItems.splice(0);
      world.workItems.push(...shuffled(step.twice ? [...workItems, ...workItems] : workItems, step.order));
      return workThrough(world);
    }
    if (step.do === 'receipt') {
      const target = world.provider.dispatched[step.of];
      // A receipt exists only of what the provider took.
      if (!target || !world.provider.accepted.has(target.messageId)) return;
      await tolerant(async () => {
        const message = await world.ports.messageStore.read(target.messageId);
        const reports = reportsOf(message?.channel ?? channel);
        const status = reports[step.report % reports.length] ?? 'delivered';
        const parked = await world.ports.addPendingReceipt(
          target.messageId,
          reportOf(target.messageId, status),
          world.now,
        );
        world.workItems.push({
          kind: 'apply_receipt',
          pk: `MSG#${target.messageId}`,
          sk: `RCPT#${parked.fingerprint}`,
        });
      });
      return;
    }
    world.now += step.ms;
    await dispatchDue(world);
    for (const { messageId } of world.provider.dispatched) await tolerant(() => recoverSend(world.ports, messageId));
  };

  for (const step of history) {
    await take(step);
    if (step.do !== 'fault') world.proxy.plan(undefined);
    await look(false);
  }
  world.proxy.plan(undefined);
  for (let turn = 0; turn < 12; turn++) {
    world.now += 31_000;
    const { messages } = await look(false);
    await dispatchDue(world);
    for (const { id } of messages) await recoverSend(world.ports, id);
    for (const { id } of messages)
      for (const { fingerprint } of await world.ports.pendingReceipts(id))
        await applyReceipt(world.ports, id, fingerprint);
    await workThrough(world);
  }
  const { messages } = await look(true);
  const dispatches = new Map<string, number>();
  for (const { messageId } of world.provider.dispatched)
    dispatches.set(messageId, (dispatches.get(messageId) ?? 0) + 1);
  for (const message of messages) {
    if ((dispatches.get(message.id) ?? 0) > 1) throw new Error('a message reached the provider twice');
    const taken = world.provider.accepted.has(message.id);
    const unproven = taken && message.reason === 'indeterminate' && proofOn(message.channel) !== 'inquiry';
    if (!unproven && taken !== (message.hold === 'captured'))
      throw new Error(`accepted ${taken}, but the hold is ${message.hold}`);
    if (unproven && message.hold !== 'released') throw new Error('what nobody knows of was charged');
  }
  if (new Set(messages.map(({ id }) => id)).size !== messages.length) throw new Error('a message stands twice');
  for (const known of answered)
    if (!messages.some(({ id }) => id === known)) throw new Error('an answered message is not stored');
};
