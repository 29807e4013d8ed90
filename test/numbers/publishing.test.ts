import { beforeEach, describe, expect, test } from 'vitest';
import { archiveFlow, changeFlow, findFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { deleteFlow, publishFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { connectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { aFlow, FLOW_JSON, type MetaAccount, SCREEN, startMetaAccount } from './kit.ts';

const world = await use(startWorld('live'));
let { meta, ports, actor, connection } = {} as MetaAccount;
let numberId: Id<'number'>;
/** Runs once Meta has a flow's JSON, before the flow is published there. */
let whilePublishing: () => Promise<void>;
beforeEach(async () => {
  whilePublishing = async () => undefined;
  ({ meta, ports, actor, connection } = await startMetaAccount(world, {
    wrap: (api) => ({
      ...api,
      uploadFlow: async (...given) => {
        const uploaded = await api.uploadFlow(...given);
        await whilePublishing();
        return uploaded;
      },
    }),
  }));
  numberId = accepted(await connectNumber(ports, actor, connection)).id;
  return () => meta.close();
});

const jsonOf = (title: string) => ({ ...FLOW_JSON, screens: [{ ...SCREEN, title }] });
const create = async () => (await aFlow(ports, actor, { numberId, flowJson: jsonOf('um') })).id;
const publish = (id: Id<'flow'>) => publishFlow(ports, actor, id);
const nameOf = (outcome: unknown) => (isRefusal(outcome) ? outcome.name : 'done');
/** Status and title of the flow here, then at Meta. */
const both = async (id: Id<'flow'>) => {
  const [flow] = meta.account.flows.values();
  const { flowJson, status } = accepted(await findFlow(ports, actor, id));
  const shown = flow?.json === undefined ? undefined : JSON.parse(flow.json).screens[0].title;
  return [status, flowJson.screens[0]?.title, flow?.status, shown];
};

describe('publishing a flow', () => {
  test('refuses a concurrent change, so that Meta has the same flow as we do', async () => {
    const id = await create();
    const outcomes: string[] = [];
    whilePublishing = async () => {
      outcomes.push(nameOf(await changeFlow(ports, actor, id, { flowJson: jsonOf('dois') })));
    };
    outcomes.push(nameOf(await publish(id)));
    expect(outcomes).toEqual(['CONFLICT', 'done']);
    expect(await both(id)).toEqual(['active', 'um', 'PUBLISHED', 'um']);
  });

  test('with a lost response blocks changing and archiving until publishing again finds out how it ended', async () => {
    const id = await create();
    meta.script('accept', 'accept', 'accept_and_reset');
    expect(nameOf(await publish(id))).toBe('DEPENDENCY_FAILED');
    expect(nameOf(await changeFlow(ports, actor, id, { flowJson: jsonOf('dois') }))).toBe('CONFLICT');
    expect(nameOf(await archiveFlow(ports, actor, id))).toBe('CONFLICT');
    expect(nameOf(await publish(id))).toBe('done');
    expect(await both(id)).toEqual(['active', 'um', 'PUBLISHED', 'um']);
  });

  test('with a refusal leaves a draft that can be changed and published', async () => {
    const id = await create();
    meta.account.flowFaults = [{ error: 'INVALID_PROPERTY_VALUE' }];
    expect(nameOf(await publish(id))).toBe('VALIDATION_ERROR');
    expect((await both(id))[0]).toBe('draft');
    meta.account.flowFaults = [];
    accepted(await changeFlow(ports, actor, id, { flowJson: jsonOf('dois') }));
    expect(nameOf(await publish(id))).toBe('done');
    expect(await both(id)).toEqual(['active', 'dois', 'PUBLISHED', 'dois']);
  });

  test('ten times concurrently creates and publishes it once; the other calls get 409, not a failure', async () => {
    const id = await create();
    const outcomes = (await Promise.all(Array.from({ length: 10 }, () => publish(id)))).map(nameOf);
    expect(new Set(outcomes)).toEqual(new Set(['done', 'CONFLICT']));
    expect(outcomes.filter((name) => name === 'done')).toHaveLength(1);
    expect([...meta.account.flows.values()].map(({ status }) => status)).toEqual(['PUBLISHED']);
  });

  test('in a call that died blocks deleting while it may still run, and is completed by the next attempt', async () => {
    const id = await create();
    meta.script('accept_and_reset');
    expect(nameOf(await publish(id))).toBe('DEPENDENCY_FAILED');
    const died = accepted(await findFlow(ports, actor, id));
    const running = { ...died, publishing: { until: world.now + 30_000 }, revision: died.revision + 1 };
    expect(await ports.flows.change(died, running)).toEqual({ kind: 'saved' });
    expect(nameOf(await deleteFlow(ports, actor, id))).toBe('CONFLICT');
    expect(nameOf(await publish(id))).toBe('CONFLICT');
    world.now += 30_001;
    expect(nameOf(await publish(id))).toBe('done');
    expect([...meta.account.flows.values()].map(({ status }) => status)).toEqual(['PUBLISHED']);
  });

  test('takes the status from Meta: a flow blocked in the meantime is paused', async () => {
    const id = await create();
    meta.script('accept', 'accept', 'accept_and_reset');
    expect(nameOf(await publish(id))).toBe('DEPENDENCY_FAILED');
    const [flow] = meta.account.flows.values();
    if (flow) flow.status = 'BLOCKED';
    expect(accepted(await publish(id))).toMatchObject({ status: 'paused', platformStatus: 'BLOCKED' });
  });
});
