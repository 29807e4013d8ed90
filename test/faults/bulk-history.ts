import fc from 'fast-check';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { bulkWorld, NIGHT_MS, SLEEPER } from './bulk-world.ts';
import { FAULTS, type Fault } from './fault-proxy.ts';
import { checkMoney, messagesOf } from './money.ts';
import type { World } from './world.ts';

const TABLE_FAULTS: Readonly<Record<string, Fault>> = {
  conflict: FAULTS.conflict(20),
  throttle: FAULTS.throttle,
  internal: FAULTS.internal,
  loseAnswer: FAULTS.loseAnswer,
  drop: FAULTS.drop,
};

/** A step of a history: what callers, operators, providers, queues and the table do, in any order. */
export type BulkStep =
  | {
      readonly do: 'bulk';
      readonly count: number;
      /** The first of its keys; undefined: without keys. */
      readonly keysFrom: number | undefined;
      readonly mode: 'permissive' | 'strict';
      readonly long: boolean;
      /** How long after it is accepted it leaves, in ms. */
      readonly later: number;
      /** Whether every fifth of its messages meets quiet hours. */
      readonly sleepers: boolean;
    }
  | { readonly do: 'answers'; readonly refusedOf4: number; readonly lost: boolean }
  | { readonly do: 'work'; readonly order: number; readonly twice: boolean }
  | { readonly do: 'forget' }
  | { readonly do: 'cancel' | 'resend' | 'force'; readonly of: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'fault'; readonly kind: string; readonly calls: number };

const stepArbitrary: fc.Arbitrary<BulkStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('bulk' as const),
      count: fc.integer({ min: 1, max: 110 }),
      keysFrom: fc.option(fc.nat({ max: 120 }), { nil: undefined }),
      mode: fc.constantFrom('permissive' as const, 'strict' as const),
      long: fc.boolean(),
      later: fc.constantFrom(0, 0, 90_000, 150_000),
      sleepers: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('answers' as const), refusedOf4: fc.nat({ max: 3 }), lost: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('work' as const), order: fc.nat(), twice: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'resend' as const, 'force' as const),
      of: fc.nat({ max: 200 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, 6_000, 31_000, 61_000, 120_000, NIGHT_MS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      kind: fc.constantFrom(...Object.keys(TABLE_FAULTS)),
      calls: fc.integer({ min: 1, max: 6 }),
    }),
  },
);

/** Histories of up to `length` steps. */
export const bulkHistories = (length: number): fc.Arbitrary<BulkStep[]> =>
  fc.array(stepArbitrary, { minLength: 1, maxLength: length });

const shuffled = <T>(items: readonly T[], order: number): T[] =>
  [...items]
    .map((item, at) => ({ item, key: Math.imul(at + 1, order | 1) >>> 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

/** Work that may fail for a fault that was injected: its row stays due, so that it comes again. */
const tolerant = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof Error && error.name === 'Unavailable') return undefined;
    throw error;
  });

/** Runs a history in an organization of its own and checks the invariants after every step, and again when all is quiet. */
export const runBulkHistory = async (world: World, history: readonly BulkStep[]): Promise<void> => {
  const bulk = bulkWorld(world);
  const actor = await world.organization(150_000);
  const { organizationId } = actor;
  const recorded = new Set<string>();
  world.provider.dispatched.length = 0;
  world.provider.accepted.clear();
  world.provider.script = [];
  world.workItems.length = 0;
  const look = (quiet: boolean) => checkMoney(world.table, organizationId, { quiet });

  const send = async ({ count, keysFrom, mode, long, later, sleepers }: Extract<BulkStep, { do: 'bulk' }>) => {
    const messages = Array.from({ length: count }, (_, at) => ({
      text: long ? 'a'.repeat(300) : 'Oi',
      ...(keysFrom === undefined ? {} : { idempotencyKey: `key-${keysFrom + at}-${long}` }),
      ...(sleepers && at % 5 === 0 ? { to: SLEEPER } : {}),
      ...(later === 0 ? {} : { scheduledAt: new Date(world.now + later).toISOString() }),
    }));
    const answer = await tolerant(bulk.send(actor, messages, mode));
    if (!answer || isRefusal(answer)) return;
    if (mode === 'strict' && answer.accepted !== count) throw new Error('a strict batch was accepted in part');
    const refused = new Set(answer.errors.map(({ index }) => index));
    for (const [at, { idempotencyKey }] of messages.entries())
      if (idempotencyKey && !refused.has(at)) recorded.add(idempotencyKey);
  };
  const take = async (step: BulkStep): Promise<void> => {
    if (step.do === 'bulk') return send(step);
    if (step.do === 'forget') {
      world.workItems.length = 0;
      return;
    }
    if (step.do === 'answers') {
      world.provider.script = Array.from({ length: 40 }, (_, at) => {
        if (at % 4 < step.refusedOf4) return { kind: 'refused', cause: 'recipient', detail: '404' } as const;
        return step.lost
          ? ({ kind: 'unknown', detail: 'no answer' } as const)
          : ({ messageId }) => {
              world.provider.accepted.add(messageId);
              return { kind: 'accepted', providerMessageId: `p-${messageId}` };
            };
      });
      return;
    }
    if ('of' in step) {
      const messages = await messagesOf(world.table, organizationId);
      const message = messages[step.of % Math.max(1, messages.length)];
      if (message) await tolerant<unknown>(bulk.one[step.do](actor, message.id));
      return;
    }
    if (step.do === 'wait') {
      world.now += step.ms;
      return bulk.dispatch();
    }
    if (step.do === 'work')
      return bulk.work((pending) => shuffled(step.twice ? [...pending, ...pending] : pending, step.order));
    let left = step.calls;
    const fault = TABLE_FAULTS[step.kind];
    world.proxy.plan(({ action }) => (/Transact|Update|Put|Write/.test(action) && left-- > 0 ? fault : undefined));
  };

  for (const step of history) {
    await take(step);
    if (step.do !== 'fault') world.proxy.plan(undefined);
    await look(false);
  }
  world.proxy.plan(undefined);
  await bulk.settle();
  world.now += NIGHT_MS;
  await bulk.settle();
  const { messages } = await look(true);
  const dispatched = world.provider.dispatched.map(({ messageId }) => messageId);
  if (new Set(dispatched).size !== dispatched.length) throw new Error('a message reached the provider twice');
  for (const { id, hold } of messages) {
    const taken = world.provider.accepted.has(id);
    if (taken !== (hold === 'captured')) throw new Error(`accepted ${taken}, but the hold is ${hold}`);
  }
  for (const { batchId, escrow } of messages.filter(({ id }) => dispatched.includes(id))) {
    const batch = escrow && batchId && (await bulk.store.readBatch(batchId));
    if (batch && batch.state === 'rejected') throw new Error('a message of a refused strict batch left');
  }
  const kept = messages.filter(({ reason }) => reason !== 'cancelled').map(({ callerKey }) => callerKey);
  const live = new Set(messages.map(({ callerKey }) => callerKey));
  for (const key of recorded) if (!live.has(key)) throw new Error('a promised message is not stored');
  const twice = kept.filter((key, at) => kept.indexOf(key) !== at);
  const charged = messages.filter(({ hold }) => hold === 'captured').map(({ callerKey }) => callerKey);
  if (twice.length > 0 && new Set(charged).size !== charged.length) throw new Error('a key was charged twice');
};
