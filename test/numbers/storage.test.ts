import { beforeAll, describe, expect, test } from 'vitest';
import { createFlow, deleteFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { changeNumber, disconnectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import {
  changeTemplate,
  createTemplate,
  deleteTemplate,
} from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { allowed, aNumber, portsOf, tenant } from './kit.ts';

let ports: ReturnType<typeof portsOf>['ports'];
const world = await use(startWorld('test'));
beforeAll(async () => {
  ({ ports } = portsOf(world));
});

/** The next transaction is carried out, and its answer is lost. */
const lost = async <T>(work: () => Promise<T>): Promise<T> => {
  let done = false;
  world.proxy.plan(({ action }) => {
    if (done || action !== 'TransactWriteItems') return undefined;
    done = true;
    return FAULTS.loseAnswer;
  });
  const outcome = await work();
  world.proxy.plan(() => undefined);
  expect(done).toBe(true);
  return outcome;
};
/** How many of each the organization's own counters say. */
const counted = async ({ organizationId }: Actor) => {
  const row = await world.table.get(KEYS.organization(organizationId));
  return [row?.numbers ?? 0, row?.templates ?? 0, row?.flows ?? 0];
};
const SCREEN = { id: 'A', terminal: true, layout: { type: 'SingleColumnLayout' as const, children: [] } };

describe('when the answer to its commit was lost', () => {
  test('what was made is there once, what was changed is changed once, and what was removed is gone', async () => {
    const actor = await tenant(world);
    const number = await lost(() => aNumber(ports, actor));
    const words = { numberId: number.id, name: 'ola', language: 'pt-BR', category: 'utility' } as const;
    const components = [{ type: 'BODY', payload: { text: 'Oi' } }];
    const template = allowed(await lost(() => createTemplate(ports, actor, { ...words, components })));
    const flowJson = { version: '6.2', data_api_version: '3.0', screens: [SCREEN] };
    const wish = { numberId: number.id, name: 'Oi', platformCategories: ['OTHER'] as const, flowJson };
    const flow = allowed(await lost(() => createFlow(ports, actor, wish)));
    expect(await counted(actor)).toEqual([1, 1, 1]);

    const renamed = allowed(await lost(() => changeTemplate(ports, actor, template.id, { name: 'oi' })));
    expect(renamed.version).toBe(2);
    expect(await ports.templates.named(actor.organizationId, 'ola')).toEqual([]);
    const slowed = allowed(await lost(() => changeNumber(ports, actor, number.id, { rateLimit: { perSecond: 3 } })));
    expect(await ports.numbers.read(actor.organizationId, number.id)).toEqual(slowed);

    expect(await lost(() => deleteTemplate(ports, actor, template.id))).toBeUndefined();
    expect(await lost(() => deleteFlow(ports, actor, flow.id, async () => undefined))).toBeUndefined();
    expect(await lost(() => disconnectNumber(ports, actor, number.id))).toBeUndefined();
    expect(await counted(actor)).toEqual([0, 0, 0]);
    expect(await ports.numbers.accessToken(number)).toBeUndefined();
  });
});

describe('changes at the same moment', () => {
  test('of different fields of a number are all kept', async () => {
    const actor = await tenant(world);
    const { id } = await aNumber(ports, actor);
    await Promise.all([
      changeNumber(ports, actor, id, { rateLimit: { perSecond: 3 } }),
      changeNumber(ports, actor, id, { rateLimit: { perDay: 40 } }),
      changeNumber(ports, actor, id, { meta: { byo: true } }),
    ]);
    expect(await ports.numbers.read(actor.organizationId, id)).toMatchObject({
      ownLimit: { perSecond: 3, perDay: 40 },
      byo: true,
      version: 4,
    });
  });
});
