import { describe, expect, test } from 'vitest';
import { BULK_MODES, type BulkMode } from '../../shared/domain/bulk/accept.ts';
import { DECISION_TIMEOUT_MS } from '../../shared/domain/bulk/ports.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, Unavailable } from '../../shared/domain/core/errors.ts';
import { keyed, useBulk } from '../support/bulk-world.ts';
import { FAULTS, type Fault } from '../support/fault-proxy.ts';

const COUNT = 3;

/** The answers of a table, a network or a machine under load. */
const LOAD: readonly (readonly [string, Fault])[] = [
  ['a throttle', FAULTS.throttle],
  ['an internal error', FAULTS.internal],
  ['an answer that is cut short', FAULTS.cut],
  ["a gateway's own error", FAULTS.gateway],
  ["a gateway's own limit", FAULTS.tooMany],
  ['an answer that is no JSON', FAULTS.noJson],
];
/** Each kind of call that a bulk send makes meets the fault once; the kinds that each send makes also always. */
const CALLS = ['BatchGetItem', 'TransactWriteItems', 'BatchWriteItem', 'PutItem', 'GetItem'] as const;
const PLANS = [
  ...CALLS.map((action) => ({ action, times: 1 })),
  ...CALLS.slice(0, 2).map((action) => ({ action, times: Number.POSITIVE_INFINITY })),
];

const { world, bulk } = await useBulk();

const actors: Actor[] = [];
const repeat = (actor: Actor, mode: BulkMode) => bulk.send(actor, keyed(COUNT), mode);

describe.each(BULK_MODES)('a bulk send, %s', (mode) => {
  test.each(LOAD)(
    'with the fault %s is accepted or answered 503, never 500; its retry is accepted',
    async (_, fault) => {
      const own: Actor[] = [];
      for (const { action, times } of PLANS) {
        const actor = await world.organization();
        own.push(actor);
        let left = times;
        world.proxy.plan((call) => (call.action === action && left-- > 0 ? fault : undefined));
        const outcome = await repeat(actor, mode).catch((error: unknown) => error);
        world.proxy.plan(undefined);
        const what = `${action}, ${times} times`;
        if (isRefusal(outcome)) expect(outcome.name, what).toBe('SERVICE_UNAVAILABLE');
        else if (outcome instanceof Error) expect(outcome, what).toBeInstanceOf(Unavailable);
        await bulk.money(actor, false);
      }
      // An undecided batch is refused after this time.
      world.now += DECISION_TIMEOUT_MS + 1;
      await bulk.dispatch();
      for (const actor of own) expect(await repeat(actor, mode)).toMatchObject({ accepted: COUNT, rejected: 0 });
      actors.push(...own);
    },
    60_000,
  );
});

test('under any fault during a bulk send, each of its messages is sent once and charged once', {
  timeout: 180_000,
}, async () => {
  await bulk.settle();
  for (const actor of actors) {
    const { messages } = await bulk.money(actor);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(COUNT);
  }
  const dispatched = world.provider.dispatched.map(({ messageId }) => messageId);
  expect(dispatched).toHaveLength(actors.length * COUNT);
  expect(new Set(dispatched).size).toBe(dispatched.length);
});
