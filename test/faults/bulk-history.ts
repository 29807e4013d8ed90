import fc from 'fast-check';
import { WITHDRAWN } from '../../shared/domain/bulk/escrow.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { bulkWorld, NIGHT_MS, SLEEPER } from '../support/bulk-world.ts';
import { chanceOf } from '../support/chance.ts';
import { failUnless } from '../support/fail-unless.ts';
import { tableFaults, tolerant } from '../support/fault-proxy.ts';
import type { World } from '../support/world.ts';

const TABLE_FAULTS = tableFaults(20);

/** A step of a history: what callers, operators, providers, queues and the table do, in any order. */
export type BulkStep =
  | {
      readonly do: 'bulk';
      readonly count: number;
      /** Its first idempotency key; undefined: without keys. */
      readonly keysFrom: number | undefined;
      readonly mode: 'permissive' | 'strict';
      readonly long: boolean;
      /** How long after the request it is scheduled, in ms. */
      readonly later: number;
      /** Whether every fifth of its messages is in quiet hours. */
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

type Bulk = ReturnType<typeof bulkWorld>;

/** Sends a bulk; the keys of the messages that were accepted. */
const send = async (world: World, bulk: Bulk, actor: Actor, step: Extract<BulkStep, { do: 'bulk' }>) => {
  const { count, keysFrom, mode, long, later, sleepers } = step;
  const messages = Array.from({ length: count }, (_, at) => ({
    text: long ? 'a'.repeat(300) : 'Oi',
    ...(keysFrom === undefined ? {} : { idempotencyKey: `key-${keysFrom + at}-${long}` }),
    ...(sleepers && at % 5 === 0 ? { to: SLEEPER } : {}),
    ...(later === 0 ? {} : { scheduledAt: new Date(world.now + later).toISOString() }),
  }));
  const answer = await tolerant(bulk.send(actor, messages, mode));
  if (!answer || isRefusal(answer)) return [];
  failUnless(mode !== 'strict' || answer.accepted === count, 'a strict batch was accepted in part');
  failUnless(!answer.errors.some(({ code }) => code === 'unavailable'), 'load decided which messages were accepted');
  const refused = new Set(answer.errors.map(({ index }) => index));
  return messages.flatMap(({ idempotencyKey = [] }, at) => (refused.has(at) ? [] : idempotencyKey));
};

const scriptOf = ({ refusedOf4, lost }: Extract<BulkStep, { do: 'answers' }>): World['provider']['script'] =>
  Array.from({ length: 40 }, (_, at) => {
    if (at % 4 < refusedOf4) return { kind: 'refused', cause: 'recipient', detail: '404' };
    if (lost) return { kind: 'unknown', detail: 'no answer' };
    return ({ messageId }) => ({ kind: 'accepted', providerMessageId: `p-${messageId}` });
  });

/** Takes a step; the keys that it had accepted. */
const take = async (world: World, bulk: Bulk, actor: Actor, step: BulkStep): Promise<readonly string[]> => {
  if (step.do === 'bulk') return send(world, bulk, actor, step);
  if (step.do === 'forget') world.workItems.length = 0;
  else if (step.do === 'answers') world.provider.script = scriptOf(step);
  else if ('of' in step) {
    const messages = await bulk.messages(actor);
    const message = messages[step.of % Math.max(1, messages.length)];
    if (message) await tolerant<unknown>(bulk.one[step.do](actor, message.id));
  } else if (step.do === 'wait') {
    world.now += step.ms;
    await bulk.dispatch();
  } else if (step.do === 'work') {
    const { shuffled } = chanceOf(step.order);
    await bulk.work((pending) => shuffled(step.twice ? [...pending, ...pending] : pending));
  } else {
    let left = step.calls;
    const fault = TABLE_FAULTS[step.kind];
    world.proxy.plan(({ action }) => (/Transact|Update|Put|Write/.test(action) && left-- > 0 ? fault : undefined));
  }
  return [];
};

/** At the end each message was sent at most once, and charged exactly when the provider accepted it; no accepted key is lost. */
const checkEnd = async (world: World, bulk: Bulk, messages: readonly MessageRecord[], keys: ReadonlySet<string>) => {
  const dispatched = world.provider.dispatched.map(({ messageId }) => messageId);
  failUnless(new Set(dispatched).size === dispatched.length, 'a message reached the provider twice');
  for (const { id, hold } of messages) {
    const taken = world.provider.accepted.has(id);
    failUnless(taken === (hold === 'captured'), `accepted ${taken}, but the hold is ${hold}`);
  }
  for (const { batchId, escrow } of messages.filter(({ id }) => dispatched.includes(id))) {
    const batch = escrow && batchId ? await bulk.store.readBatch(batchId) : undefined;
    failUnless(batch?.state !== 'rejected', 'a message of a refused batch was sent');
  }
  const withdrawn = ({ lastError }: MessageRecord) => lastError === WITHDRAWN;
  const taken = new Set(messages.filter((message) => !withdrawn(message)).map(({ callerKey }) => callerKey));
  for (const key of keys) failUnless(taken.has(key), 'an accepted message is not stored, or was withdrawn');
  const kept = messages.filter(({ reason }) => reason !== 'cancelled').map(({ callerKey }) => callerKey);
  const charged = messages.filter(({ hold }) => hold === 'captured').map(({ callerKey }) => callerKey);
  const repeated = new Set(kept).size !== kept.length;
  failUnless(!repeated || new Set(charged).size === charged.length, 'a key was charged twice');
};

/** Runs a history in an organization of its own and checks the invariants after every step, and again when all is quiet. */
export const runBulkHistory = async (world: World, history: readonly BulkStep[]): Promise<void> => {
  world.reset();
  const bulk = bulkWorld(world);
  const actor = await world.organization(150_000);
  const keys = new Set<string>();
  for (const step of history) {
    for (const key of await take(world, bulk, actor, step)) keys.add(key);
    if (step.do !== 'fault') world.proxy.plan(undefined);
    await bulk.money(actor, false);
  }
  world.proxy.plan(undefined);
  await bulk.settle();
  world.now += NIGHT_MS;
  await bulk.settle();
  const { messages } = await bulk.money(actor);
  await checkEnd(world, bulk, messages, keys);
};
