import { describe, expect, test } from 'vitest';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import type { BulkPorts } from '../../shared/domain/bulk/ports.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, refuse, toV1Error } from '../../shared/domain/core/errors.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { useBulk } from '../support/bulk-world.ts';
import { submitPortsOf } from '../support/world-queued.ts';

const SMS = 800;
const ABROAD = '+14155550100';
const DENIED = '+5511955554444';

const { world, bulk } = await useBulk();

/** The fault of a send, besides that its fallback cannot be sent. */
type Fault = 'plan' | 'maxCoins' | 'optedOut' | 'balance' | 'provider';
/** In the order in which they are reported. */
const FAULTS: readonly (readonly [Fault, code: string, detail: string])[] = [
  ['plan', 'precondition_failed', 'The route is closed.'],
  ['maxCoins', 'precondition_failed', 'maxCoins'],
  ['optedOut', 'invalid_request', 'The contact opted out.'],
  ['balance', 'insufficient_funds', ''],
  ['provider', 'provider_failed', 'NO_PROVIDER is missing'],
];

/** Ports that refuse a plan abroad and every fallback, and have no provider where that is among the faults. */
const portsOf = (faults: readonly Fault[]): Pick<BulkPorts, 'routing' | 'plan'> => ({
  routing: bulk.ports.routing,
  ...(faults.includes('provider')
    ? {
        routing: {
          ...bulk.ports.routing,
          candidates: async () => ({ kind: 'none', missing: 'NO_PROVIDER is missing' }),
        },
      }
    : {}),
  plan: async (tenant, request) => {
    if (request.channel === 'rcs') return refuse('VALIDATION_ERROR', 'The fallback cannot be.');
    return request.channel === 'sms' && request.to === ABROAD
      ? refuse('PRECONDITION_FAILED', 'The route is closed.')
      : bulk.ports.plan(tenant, request);
  },
});

const optOut = async (actor: Actor, to: string) => {
  const hash = await world.ports.recipientHashOf(actor.organizationId, 'phone', to);
  await world.table.write({ put: { ...KEYS.phone(actor.organizationId, hash), optInStatus: 'denied' } });
};

describe('a send with several faults, alone and in a bulk', { timeout: 180_000 }, () => {
  test.each(FAULTS)('is refused for the first of them: %s', async (fault, code, detail) => {
    const faults = FAULTS.slice(FAULTS.findIndex(([name]) => name === fault)).map(([name]) => name);
    const actor = await world.organization(faults.includes('balance') ? SMS - 1 : 10 * SMS);
    await optOut(actor, DENIED);
    const to = fault === 'plan' ? ABROAD : faults.includes('optedOut') ? DENIED : '+5511987654321';
    const limit = faults.includes('maxCoins') ? { maxCoins: SMS - 1 } : {};
    const fields = { to, text: 'Oi', fallback: ['rcs' as const], ...limit };
    const ports = portsOf(faults);

    const alone = await sendV1({ ...submitPortsOf(world), ...bulk.ports, ...ports }, actor, 'alone', {
      channel: 'sms',
      ...fields,
    });
    if (!isRefusal(alone)) throw new Error('it was accepted');
    expect(toV1Error(alone)).toMatchObject({ code, detail: expect.stringContaining(detail) });

    const together = accepted(await bulk.send(actor, [fields], 'permissive', {}, ports));
    expect(together.errors).toEqual([{ index: 0, code, message: expect.stringContaining(detail) }]);
    expect(await bulk.messages(actor)).toEqual([]);
  });

  test('whose fallback alone cannot be sent is accepted, by itself and in a bulk', async () => {
    const actor = await world.organization(10 * SMS);
    const messages = [{ text: 'Oi' }, { text: 'Oi', fallback: ['rcs' as const] }, { text: 'Oi' }];
    const answer = accepted(await bulk.send(actor, messages, 'permissive', {}, portsOf([])));
    expect(answer).toMatchObject({ accepted: 3, rejected: 0, errors: [] });
  });
});
