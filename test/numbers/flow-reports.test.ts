import { describe, expect, test } from 'vitest';
import type { WhatsappFlow } from '../../shared/domain/channels/whatsapp/flows/flow.ts';
import { archiveFlow, createFlow, deleteFlow, updateFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { deprecateFlow, publishFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { allowed, aNumber, tenant, useNumbers } from './kit.ts';

const { world, kit } = await useNumbers();

const AT = Date.parse('2026-03-10T11:00:00Z');
const layout = { type: 'SingleColumnLayout' as const, children: [] };
const flowJson = { version: '6.2', data_api_version: '3.0', screens: [{ id: 'A', terminal: true, layout }] };
const create = async (actor: Actor, numberId: Id<'number'>, name = 'pesquisa') =>
  allowed(await createFlow(kit.ports, actor, { numberId, name, platformCategories: ['SURVEY'], flowJson }));
const published = async (actor: Actor): Promise<WhatsappFlow> => {
  const { id: numberId } = await aNumber(kit.ports, actor);
  const { id } = await create(actor, numberId);
  return allowed(await publishFlow(kit.ports, actor, id));
};
const said = (
  { wabaId, platformFlowId = '' }: Pick<WhatsappFlow, 'wabaId' | 'platformFlowId'>,
  status: string,
  seconds: number,
): MetaReport => ({
  kind: 'platform',
  about: 'flow',
  at: AT + seconds * 1000,
  wabaId,
  platformFlowId,
  status,
});
const apply = (actor: Actor, event: MetaReport) => applyMetaReport(kit.ports, actor, event);
const stands = async ({ organizationId, id }: WhatsappFlow) => {
  const { status, platformStatus } = (await kit.ports.flows.read(organizationId, id)) ?? {};
  return [status, platformStatus];
};

describe('the flow that a report names', () => {
  test('is found in one read, however many flows there are', async () => {
    const actor = await tenant(world);
    const flow = await published(actor);
    for (let more = 0; more < 25; more++) await create(actor, flow.numberId, `outro${more}`);
    const before = new Map(world.proxy.calls);
    expect(await apply(actor, said(flow, 'BLOCKED', 1))).toBe('kept');
    const calls = [...world.proxy.calls].map(([action, count]) => [action, count - (before.get(action) ?? 0)] as const);
    // One finds it, one reads it for the change.
    expect(Object.fromEntries(calls.filter(([, count]) => count > 0))).toEqual({ GetItem: 2, TransactWriteItems: 1 });
    expect(await stands(flow)).toEqual(['paused', 'BLOCKED']);
  });

  test('is the one of its account and organization alone', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const flow = await published(actor);
    expect(await apply(stranger, said(flow, 'BLOCKED', 1))).toBe('unmatched');
    expect(await apply(actor, said({ ...flow, wabaId: '1' }, 'BLOCKED', 1))).toBe('unmatched');
    expect(await apply(actor, said({ ...flow, platformFlowId: '1' }, 'BLOCKED', 1))).toBe('unmatched');
    expect(await stands(flow)).toEqual(['active', 'PUBLISHED']);
  });

  test('is found by the id that it has now, and by none once it is deleted', async () => {
    const actor = await tenant(world);
    const { id: numberId, wabaId } = await aNumber(kit.ports, actor);
    const flow = await create(actor, numberId);
    const named = (platformFlowId: string) => kit.ports.flows.named(actor.organizationId, { wabaId, platformFlowId });
    const called = (platformFlowId: string | undefined) =>
      updateFlow(kit.ports, actor, flow.id, () => ({ platformFlowId }));
    const partitions = ['one', 'two'].map((id) => KEYS.metaFlow(actor.organizationId, wabaId, id).pk);
    const rows = async () =>
      (await Promise.all(partitions.map((partition) => world.table.query({ partition })))).flatMap(({ rows }) => rows);
    expect(await rows()).toEqual([]);
    allowed(await called('one'));
    expect(await named('one')).toBe(flow.id);
    allowed(await called('two'));
    expect([await named('one'), await named('two')]).toEqual([undefined, flow.id]);
    allowed(await called('two'));
    expect(await rows()).toHaveLength(1);
    expect(await deleteFlow(kit.ports, actor, flow.id, async () => undefined)).toBeUndefined();
    expect(await rows()).toEqual([]);
  });
});

describe('a report on a flow', () => {
  const orders = (words: readonly [string, number][]): (readonly [string, number])[][] =>
    words.length < 2
      ? [[...words]]
      : words.flatMap((word, at) => orders(words.toSpliced(at, 1)).map((rest) => [word, ...rest]));

  test('ends the same in every order and however often it comes', async () => {
    const actor = await tenant(world);
    for (const order of orders([
      ['BLOCKED', 1],
      ['THROTTLED', 2],
      ['PUBLISHED', 3],
    ])) {
      const flow = await published(actor);
      for (const [word, seconds] of [...order, ...order]) await apply(actor, said(flow, word, seconds));
      expect([order, await stands(flow)]).toEqual([order, ['active', 'PUBLISHED']]);
    }
  });

  test('that it is deprecated is final, whatever else is told of the same second', async () => {
    const actor = await tenant(world);
    for (const order of orders([
      ['PUBLISHED', 1],
      ['BLOCKED', 1],
      ['DEPRECATED', 1],
    ])) {
      const flow = await published(actor);
      for (const [word, seconds] of order) await apply(actor, said(flow, word, seconds));
      expect([order, await stands(flow)]).toEqual([order, ['deprecated', 'DEPRECATED']]);
    }
  });

  test('of before brings nothing back that is deprecated, nor archived', async () => {
    const actor = await tenant(world);
    const flow = await published(actor);
    allowed(await deprecateFlow(kit.ports, actor, flow.id));
    for (const word of ['THROTTLED', 'PUBLISHED', 'BLOCKED']) await apply(actor, said(flow, word, 1));
    expect(await stands(flow)).toEqual(['deprecated', 'DEPRECATED']);
    allowed(await archiveFlow(kit.ports, actor, flow.id));
    await apply(actor, said(flow, 'PUBLISHED', 2));
    expect(await stands(flow)).toEqual(['archived', 'DEPRECATED']);
  });
});
