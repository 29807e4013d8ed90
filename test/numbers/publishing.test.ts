import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  archiveFlow,
  changeFlow,
  createFlow,
  deleteFlow,
  findFlow,
} from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { deleteFlowAtMeta, publishFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { connectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { managementAddress, metaManagement } from '../../shared/providers/meta/management.ts';
import { type MetaManagementStandIn, startMetaManagement } from '../support/providers/meta-management-stand-in.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { allowed, portsOf, tenant } from './kit.ts';

const TOKEN = 'EAAJ-token';
const WABA = '102290129340398';
let meta: MetaManagementStandIn;
let kit: ReturnType<typeof portsOf>;
let actor: Actor;
let numberId: Id<'number'>;
let connected = 0;
/** Done once the platform has a flow's JSON, before it is published there. */
let during: () => Promise<void>;
const world = await use(startWorld('live'));
beforeEach(async () => {
  meta = await startMetaManagement(TOKEN, WABA);
  const address = managementAddress({ baseUrl: meta.baseUrl, timeoutMs: 500 });
  const io = { fetch: globalThis.fetch, now: () => world.now };
  during = async () => undefined;
  kit = portsOf(world, async (_, accessToken) => {
    const metaApi = metaManagement(io, { ...address, accessToken });
    const uploadFlow: typeof metaApi.uploadFlow = async (...given) => {
      const uploaded = await metaApi.uploadFlow(...given);
      await during();
      return uploaded;
    };
    return { ...metaApi, uploadFlow };
  });
  actor = await tenant(world);
  const phoneNumberId = `8${++connected}`;
  meta.addNumber(phoneNumberId);
  const connection = { phoneNumberId, wabaId: WABA, accessToken: TOKEN };
  numberId = allowed(await connectNumber(kit.ports, actor, connection)).id;
});
afterEach(() => meta.close());

const jsonOf = (title: string) => ({
  version: '6.2',
  data_api_version: '3.0',
  screens: [{ id: 'A', title, terminal: true, layout: { type: 'SingleColumnLayout' as const, children: [] } }],
});
const create = async () => {
  const wish = { numberId, name: 'Atendimento', platformCategories: ['OTHER'] as const, flowJson: jsonOf('um') };
  return allowed(await createFlow(kit.ports, actor, wish)).id;
};
const publish = (id: Id<'flow'>) => publishFlow(kit.ports, actor, id);
const named = (outcome: unknown) => (isRefusal(outcome) ? outcome.name : 'done');
/** What the platform shows, beside what the service says that it shows. */
const both = async (id: Id<'flow'>) => {
  const [flow] = meta.account.flows.values();
  const { flowJson, status } = allowed(await findFlow(kit.ports, actor, id));
  const shown = flow?.json === undefined ? undefined : JSON.parse(flow.json).screens[0].title;
  return [status, flowJson.screens[0]?.title, flow?.status, shown];
};

describe('a flow that is published', () => {
  test('is on the platform what it is here, though it is changed at the same moment', async () => {
    const id = await create();
    const outcomes: string[] = [];
    during = async () => {
      outcomes.push(named(await changeFlow(kit.ports, actor, id, { flowJson: jsonOf('dois') })));
    };
    outcomes.push(named(await publish(id)));
    expect(outcomes).toEqual(['CONFLICT', 'done']);
    expect(await both(id)).toEqual(['active', 'um', 'PUBLISHED', 'um']);
  });

  test('with an answer that was lost is not changed nor put away until publishing it again tells how that ended', async () => {
    const id = await create();
    meta.script('accept', 'accept', 'accept_and_reset');
    expect(named(await publish(id))).toBe('DEPENDENCY_FAILED');
    expect(named(await changeFlow(kit.ports, actor, id, { flowJson: jsonOf('dois') }))).toBe('CONFLICT');
    expect(named(await archiveFlow(kit.ports, actor, id))).toBe('CONFLICT');
    expect(named(await publish(id))).toBe('done');
    expect(await both(id)).toEqual(['active', 'um', 'PUBLISHED', 'um']);
  });

  test('and refused is a draft that can be changed, and published as it is then', async () => {
    const id = await create();
    meta.account.flowFaults = [{ error: 'INVALID_PROPERTY_VALUE' }];
    expect(named(await publish(id))).toBe('VALIDATION_ERROR');
    expect((await both(id))[0]).toBe('draft');
    meta.account.flowFaults = [];
    allowed(await changeFlow(kit.ports, actor, id, { flowJson: jsonOf('dois') }));
    expect(named(await publish(id))).toBe('done');
    expect(await both(id)).toEqual(['active', 'dois', 'PUBLISHED', 'dois']);
  });

  test('ten times at once is created and published once, and nobody is told that it failed', async () => {
    const id = await create();
    const outcomes = (await Promise.all(Array.from({ length: 10 }, () => publish(id)))).map(named);
    expect(new Set(outcomes)).toEqual(new Set(['done', 'CONFLICT']));
    expect(outcomes.filter((name) => name === 'done')).toHaveLength(1);
    expect([...meta.account.flows.values()].map(({ status }) => status)).toEqual(['PUBLISHED']);
  });

  test('by a call that died is not deleted while it may be running, and goes on by the next try after it', async () => {
    const id = await create();
    meta.script('accept_and_reset');
    expect(named(await publish(id))).toBe('DEPENDENCY_FAILED');
    const died = allowed(await findFlow(kit.ports, actor, id));
    const running = { ...died, publishing: { until: world.now + 30_000 }, revision: died.revision + 1 };
    expect(await kit.ports.flows.change(died, running)).toEqual({ kind: 'saved' });
    expect(named(await deleteFlow(kit.ports, actor, id, deleteFlowAtMeta(kit.ports, actor)))).toBe('CONFLICT');
    expect(named(await publish(id))).toBe('CONFLICT');
    world.now += 30_001;
    expect(named(await publish(id))).toBe('done');
    expect([...meta.account.flows.values()].map(({ status }) => status)).toEqual(['PUBLISHED']);
  });

  test('stands as the platform has it: what it blocked meanwhile is paused', async () => {
    const id = await create();
    meta.script('accept', 'accept', 'accept_and_reset');
    expect(named(await publish(id))).toBe('DEPENDENCY_FAILED');
    const [flow] = meta.account.flows.values();
    if (flow) flow.status = 'BLOCKED';
    expect(allowed(await publish(id))).toMatchObject({ status: 'paused', platformStatus: 'BLOCKED' });
  });
});
