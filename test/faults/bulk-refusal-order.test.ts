import { describe, expect, test } from 'vitest';
import { sendV1, toV1Error } from '../../shared/domain/api/v1-send.ts';
import type { BulkPorts } from '../../shared/domain/bulk/ports.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, refuse } from '../../shared/domain/core/errors.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted, type BulkWorld, withBulk } from '../support/bulk-world.ts';
import { messagesOf } from '../support/money.ts';
import type { World } from '../support/world.ts';

const SMS = 800;
const ABROAD = '+14155550100';
const DENIED = '+5511955554444';

let world: World;
let bulk: BulkWorld;
withBulk((...given) => {
  [world, bulk] = given;
});

/** What is wrong at the same time with a send and its fallback. */
interface Wrong {
  readonly plan?: boolean;
  readonly dear?: boolean;
  readonly optedOut?: boolean;
  readonly poor?: boolean;
  readonly uncarried?: boolean;
  readonly fallback?: boolean;
}

/** The ports under which a plan abroad is refused, nobody may carry anything, or no fallback can be. */
const portsOf = ({ uncarried, fallback }: Wrong): BulkPorts => ({
  ...bulk.ports,
  ...(uncarried
    ? {
        routing: {
          ...bulk.ports.routing,
          candidates: async () => ({ kind: 'none', missing: 'NO_PROVIDER is missing' }),
        },
      }
    : {}),
  plan: async (tenant, request) => {
    if (fallback && request.channel === 'rcs') return refuse('VALIDATION_ERROR', 'The fallback cannot be.');
    return request.channel === 'sms' && request.to === ABROAD
      ? refuse('PRECONDITION_FAILED', 'The route is closed.')
      : bulk.ports.plan(tenant, request);
  },
});

const optOut = async (actor: Actor, to: string) => {
  const hash = await world.ports.recipientHashOf(actor.organizationId, 'phone', to);
  await world.table.write({ put: { ...KEYS.phone(actor.organizationId, hash), optInStatus: 'denied' } });
};

const CASES: readonly (readonly [string, Wrong, string, string])[] = [
  [
    'the plan',
    { plan: true, poor: true, uncarried: true, fallback: true },
    'precondition_failed',
    'The route is closed.',
  ],
  [
    'the price limit',
    { dear: true, optedOut: true, poor: true, uncarried: true, fallback: true },
    'precondition_failed',
    'maxCoins',
  ],
  [
    'the opt-out',
    { optedOut: true, poor: true, uncarried: true, fallback: true },
    'invalid_request',
    'The contact opted out.',
  ],
  ['the balance', { poor: true, uncarried: true, fallback: true }, 'insufficient_funds', ''],
  ['the provider', { uncarried: true, fallback: true }, 'provider_failed', 'NO_PROVIDER is missing'],
  ['the fallback', { fallback: true }, 'invalid_request', 'The fallback cannot be.'],
];

describe('of all that is wrong with a send the same is toV1Error first, alone and in a bulk:', {
  timeout: 60_000,
}, () => {
  test.each(CASES)('%s', async (_, wrong, code, detail) => {
    const actor = await world.organization(wrong.poor ? SMS - 1 : 10 * SMS);
    await optOut(actor, DENIED);
    const to = wrong.plan ? ABROAD : wrong.optedOut ? DENIED : '+5511987654321';
    const said = { to, text: 'Oi', fallback: ['rcs' as const], ...(wrong.dear ? { maxCoins: SMS - 1 } : {}) };
    const ports = portsOf(wrong);

    const alone = await sendV1(ports, actor, 'alone', { channel: 'sms', ...said });
    if (!isRefusal(alone)) throw new Error('it was accepted');
    expect(toV1Error(alone)).toMatchObject({ code, detail: expect.stringContaining(detail) });

    const { routing, plan } = ports;
    const together = accepted(await bulk.send(actor, [said], 'permissive', {}, { routing, plan }));
    expect(together.errors).toEqual([{ index: 0, code, message: expect.stringContaining(detail) }]);
    expect(await messagesOf(world.table, actor.organizationId)).toEqual([]);
  });

  test('and what is right beside it is accepted', async () => {
    const actor = await world.organization(10 * SMS);
    const { routing, plan } = portsOf({ fallback: true });
    const said = [{ text: 'Oi' }, { text: 'Oi', fallback: ['rcs' as const] }, { text: 'Oi' }];
    const answer = accepted(await bulk.send(actor, said, 'permissive', {}, { routing, plan }));
    expect(answer).toMatchObject({ accepted: 2, rejected: 1, errors: [{ index: 1, code: 'invalid_request' }] });
  });
});
