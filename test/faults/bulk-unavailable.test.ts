import { describe, expect, test } from 'vitest';
import { BULK_MODES, type BulkMode, DECISION_TIMEOUT_MS } from '../../shared/domain/bulk/accept.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, Unavailable } from '../../shared/domain/core/errors.ts';
import { type BulkWorld, keyed, withBulk } from '../support/bulk-world.ts';
import { FAULTS, type Fault } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import type { World } from '../support/world.ts';

const COUNT = 3;

/** What a table, a network or a machine under load answers with. */
const LOAD: readonly (readonly [string, Fault])[] = [
  ['a throttle', FAULTS.throttle],
  ['an internal error', FAULTS.internal],
  ['an answer that is cut short', FAULTS.cut],
  ["a gateway's own error", FAULTS.gateway],
  ["a gateway's own limit", FAULTS.tooMany],
  ['an answer that is no JSON', FAULTS.noJson],
];
/** Each kind of call that a bulk send makes meets the fault by itself, once; those that every one makes, always. */
const CALLS = ['BatchGetItem', 'TransactWriteItems', 'BatchWriteItem', 'PutItem', 'GetItem'] as const;
const PLANS = [
  ...CALLS.map((action) => ({ action, times: 1 })),
  ...CALLS.slice(0, 2).map((action) => ({ action, times: Number.POSITIVE_INFINITY })),
];

let world: World;
let bulk: BulkWorld;
withBulk((...given) => {
  [world, bulk] = given;
});

const actors: Actor[] = [];
const repeat = (actor: Actor, mode: BulkMode) => bulk.send(actor, keyed(COUNT), mode);

describe.each(BULK_MODES)('a bulk send, %s', (mode) => {
  test.each(LOAD)(
    'that meets %s is accepted or told to come again, and never a fault of ours; its repeat is accepted',
    async (_, fault) => {
      const own: Actor[] = [];
      for (const { action, times } of PLANS) {
        const actor = await world.organization(1_000_000);
        own.push(actor);
        let left = times;
        world.proxy.plan((call) => (call.action === action && left-- > 0 ? fault : undefined));
        const outcome = await repeat(actor, mode).catch((error: unknown) => error);
        world.proxy.plan(undefined);
        const what = `${action}, ${times} times`;
        if (isRefusal(outcome)) expect(outcome.name, what).toBe('SERVICE_UNAVAILABLE');
        else if (outcome instanceof Error) expect(outcome, what).toBeInstanceOf(Unavailable);
        await checkMoney(world.table, actor.organizationId, { quiet: false });
      }
      // A strict batch that nobody could decide is refused by whoever finds it after this.
      world.now += DECISION_TIMEOUT_MS + 1;
      await bulk.dispatch();
      for (const actor of own) expect(await repeat(actor, mode)).toMatchObject({ accepted: COUNT, rejected: 0 });
      actors.push(...own);
    },
    60_000,
  );
});

test('whatever a bulk send met, each of its messages was sent once and charged once', { timeout: 60_000 }, async () => {
  await bulk.settle();
  for (const { organizationId } of actors) {
    const { messages } = await checkMoney(world.table, organizationId);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(COUNT);
  }
  const dispatched = world.provider.dispatched.map(({ messageId }) => messageId);
  expect(dispatched).toHaveLength(actors.length * COUNT);
  expect(new Set(dispatched).size).toBe(dispatched.length);
});
