import { expect, test } from 'vitest';
import { deleteFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { changeNumber, disconnectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { changeTemplate, deleteTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { aFlow, aNumber, aTemplate, tenant, useNumbers } from './kit.ts';

const { world, ports } = await useNumbers('test');

/** Runs work whose next transaction commits, with its response lost. */
const withLostResponse = async <T>(work: () => Promise<T>): Promise<T> => {
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
/** The organization's counters of numbers, templates and flows. */
const countersOf = ({ organizationId }: Actor) =>
  Promise.all((['numbers', 'templates', 'flows'] as const).map((each) => readCount(world.table, organizationId, each)));

test('a write whose response is lost creates, changes and deletes exactly once', async () => {
  const actor = await tenant(world);
  const number = await withLostResponse(() => aNumber(ports, actor));
  const template = await withLostResponse(() => aTemplate(ports, actor, { numberId: number.id, name: 'ola' }));
  const flow = await withLostResponse(() => aFlow(ports, actor, { numberId: number.id }));
  expect(await countersOf(actor)).toEqual([1, 1, 1]);

  const renamed = accepted(await withLostResponse(() => changeTemplate(ports, actor, template.id, { name: 'oi' })));
  expect(renamed.version).toBe(2);
  expect(await ports.templates.named(actor.organizationId, 'ola')).toEqual([]);
  const slowed = accepted(
    await withLostResponse(() => changeNumber(ports, actor, number.id, { rateLimit: { perSecond: 3 } })),
  );
  expect(await ports.numbers.read(actor.organizationId, number.id)).toEqual(slowed);

  expect(await withLostResponse(() => deleteTemplate(ports, actor, template.id))).toBeUndefined();
  expect(await withLostResponse(() => deleteFlow(ports, actor, flow.id))).toBeUndefined();
  expect(await withLostResponse(() => disconnectNumber(ports, actor, number.id))).toBeUndefined();
  expect(await countersOf(actor)).toEqual([0, 0, 0]);
  expect(await ports.numbers.accessToken(number)).toBeUndefined();
});

test('concurrent changes of different fields of a number are all applied', async () => {
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
