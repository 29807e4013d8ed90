import { describe, expect, test } from 'vitest';
import type { WhatsappFlow } from '../../shared/domain/channels/whatsapp/flows/flow.ts';
import { archiveFlow, updateFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { deleteFlow, deprecateFlow, publishFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { aFlow, aNumber, tenant, useNumbers } from './kit.ts';
import { flowStatus, orders } from './reports.ts';

const { world, ports } = await useNumbers();

const published = async (actor: Actor): Promise<WhatsappFlow> =>
  accepted(await publishFlow(ports, actor, (await aFlow(ports, actor)).id));
const apply = (actor: Actor, event: MetaReport) => applyMetaReport(ports, actor, event);
const state = async ({ organizationId, id }: WhatsappFlow) => {
  const { status, platformStatus } = (await ports.flows.read(organizationId, id)) ?? {};
  return [status, platformStatus];
};

describe('the flow of a report', () => {
  test('is found in one read, however many flows exist', async () => {
    const actor = await tenant(world);
    const flow = await published(actor);
    for (let more = 0; more < 25; more++) await aFlow(ports, actor, { numberId: flow.numberId, name: `outro${more}` });
    const before = new Map(world.proxy.calls);
    expect(await apply(actor, flowStatus(flow, 'BLOCKED', 1))).toBe('kept');
    const calls = [...world.proxy.calls].map(([action, count]) => [action, count - (before.get(action) ?? 0)] as const);
    // One read finds the flow, the other is of the change.
    expect(Object.fromEntries(calls.filter(([, count]) => count > 0))).toEqual({ GetItem: 2, TransactWriteItems: 1 });
    expect(await state(flow)).toEqual(['paused', 'BLOCKED']);
  });

  test('is matched only within its account and organization', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const flow = await published(actor);
    expect(await apply(stranger, flowStatus(flow, 'BLOCKED', 1))).toBe('unmatched');
    expect(await apply(actor, flowStatus({ ...flow, wabaId: '1' }, 'BLOCKED', 1))).toBe('unmatched');
    expect(await apply(actor, flowStatus({ ...flow, platformFlowId: '1' }, 'BLOCKED', 1))).toBe('unmatched');
    expect(await state(flow)).toEqual(['active', 'PUBLISHED']);
  });

  test('is found by its current id, and not at all once it is deleted', async () => {
    const actor = await tenant(world);
    const { id: numberId, wabaId } = await aNumber(ports, actor);
    const flow = await aFlow(ports, actor, { numberId });
    const named = (platformFlowId: string) => ports.flows.named(actor.organizationId, { wabaId, platformFlowId });
    const called = (platformFlowId: string | undefined) =>
      updateFlow(ports, actor, flow.id, () => ({ platformFlowId }));
    const partitions = ['one', 'two'].map((id) => KEYS.metaFlow(actor.organizationId, wabaId, id).pk);
    const rows = async () =>
      (await Promise.all(partitions.map((partition) => world.table.query({ partition })))).flatMap(({ rows }) => rows);
    expect(await rows()).toEqual([]);
    accepted(await called('one'));
    expect(await named('one')).toBe(flow.id);
    accepted(await called('two'));
    expect([await named('one'), await named('two')]).toEqual([undefined, flow.id]);
    accepted(await called('two'));
    expect(await rows()).toHaveLength(1);
    expect(await deleteFlow(ports, actor, flow.id)).toBeUndefined();
    expect(await rows()).toEqual([]);
  });
});

describe('a report on a flow', () => {
  test('gives the same state in every order and when repeated', async () => {
    const actor = await tenant(world);
    for (const order of orders([
      ['BLOCKED', 1],
      ['THROTTLED', 2],
      ['PUBLISHED', 3],
    ] as const)) {
      const flow = await published(actor);
      for (const [status, seconds] of [...order, ...order]) await apply(actor, flowStatus(flow, status, seconds));
      expect([order, await state(flow)]).toEqual([order, ['active', 'PUBLISHED']]);
    }
  });

  test('of DEPRECATED is final, whatever else is reported in the same second', async () => {
    const actor = await tenant(world);
    for (const order of orders([
      ['PUBLISHED', 1],
      ['BLOCKED', 1],
      ['DEPRECATED', 1],
    ] as const)) {
      const flow = await published(actor);
      for (const [status, seconds] of order) await apply(actor, flowStatus(flow, status, seconds));
      expect([order, await state(flow)]).toEqual([order, ['deprecated', 'DEPRECATED']]);
    }
  });

  test('that is older does not revive a deprecated or archived flow', async () => {
    const actor = await tenant(world);
    const flow = await published(actor);
    accepted(await deprecateFlow(ports, actor, flow.id));
    for (const status of ['THROTTLED', 'PUBLISHED', 'BLOCKED']) await apply(actor, flowStatus(flow, status, 1));
    expect(await state(flow)).toEqual(['deprecated', 'DEPRECATED']);
    accepted(await archiveFlow(ports, actor, flow.id));
    await apply(actor, flowStatus(flow, 'PUBLISHED', 2));
    expect(await state(flow)).toEqual(['archived', 'DEPRECATED']);
  });

  test('pauses a blocked flow until Meta releases it, and does not touch a draft', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const { id: numberId } = await aNumber(ports, actor);
    const draft = await aFlow(ports, actor, { numberId, name: 'rascunho' });
    const { id } = await aFlow(ports, actor, { numberId });
    for (let more = 0; more < 20; more++) await aFlow(ports, actor, { numberId, name: `outro${more}` });
    const flow = accepted(await publishFlow(ports, actor, id));
    expect(await apply(stranger, flowStatus(flow, 'BLOCKED', 1))).toBe('unmatched');
    expect(await apply(actor, flowStatus(flow, 'BLOCKED', 2))).toBe('kept');
    expect(await state(flow)).toEqual(['paused', 'BLOCKED']);
    expect(await apply(actor, flowStatus(flow, 'THROTTLED', 1))).toBe('repeated');
    expect(await apply(actor, flowStatus(flow, 'BLOCKED', 2))).toBe('repeated');
    expect(await apply(actor, flowStatus(flow, 'THROTTLED', 3))).toBe('kept');
    expect(await state(flow)).toEqual(['active', 'THROTTLED']);
    expect(await apply(actor, flowStatus(flow, 'ODD', 4))).toBe('unmatched');
    expect(await state(draft)).toEqual(['draft', undefined]);
  });
});
