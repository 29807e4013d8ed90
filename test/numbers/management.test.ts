import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFlow, deleteFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import {
  deleteFlowAtMeta,
  deprecateFlow,
  publishFlow,
  syncFlow,
} from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { changeProfile, connectNumber, syncNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { createTemplate, deleteTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
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
let phoneNumberId: string;
let connected = 0;
const world = await use(startWorld('live'));
beforeEach(async () => {
  meta = await startMetaManagement(TOKEN, WABA);
  const address = managementAddress({ baseUrl: meta.baseUrl, timeoutMs: 500 });
  const io = { fetch: globalThis.fetch, now: () => world.now };
  kit = portsOf(world, async (_, accessToken) => metaManagement(io, { ...address, accessToken }));
  actor = await tenant(world);
  meta.addNumber('1', { status: 'PENDING' });
  meta.addNumber('2');
  phoneNumberId = `4${++connected}`;
  meta.addNumber(phoneNumberId);
});
afterEach(() => meta.close());

const connect = (fields: object = {}) =>
  connectNumber(kit.ports, actor, { phoneNumberId, wabaId: WABA, accessToken: TOKEN, ...fields });
const refusal = (outcome: unknown) => {
  if (!isRefusal(outcome)) throw new Error('It was allowed.');
  const { name, details } = outcome;
  return [name, details.errors?.map(({ path }) => path) ?? []];
};

describe('a number on the platform', () => {
  test('is found through its account, on whichever page, subscribed to and read in our words', async () => {
    expect(allowed(await connect())).toMatchObject({
      displayPhone: '+5511999990000',
      status: 'connected',
      qualityRating: 'green',
      messagingTier: 'tier_2k',
      throughput: 'standard',
      verifiedName: 'Loja Azul',
      nameStatus: 'approved',
      profile: { about: 'Moda azul', vertical: 'RETAIL', website: 'https://loja.example', email: undefined },
    });
    expect(meta.account.subscribed).toBe(true);
    expect(meta.requests.every(({ path }) => !path.includes(TOKEN))).toBe(true);
  });

  test.each([
    ['whose token is not taken', { accessToken: 'other' }, ['VALIDATION_ERROR', ['accessToken']]],
    ['of another account', { wabaId: '1' }, ['VALIDATION_ERROR', ['phoneNumberId']]],
    ['that the account does not have', { phoneNumberId: '999' }, ['VALIDATION_ERROR', ['phoneNumberId']]],
  ])('%s is not connected, and nothing is kept', async (_, fields, expected) => {
    expect(refusal(await connect(fields))).toEqual(expected);
    expect((await kit.ports.numbers.page(actor.organizationId, {}, { skip: 0, limit: 1 })).total).toBe(0);
  });

  test.each([
    ['throttled', 'throttle', 'RATE_LIMITED'],
    ['silent', 'hang', 'DEPENDENCY_FAILED'],
    ['broken', 'server_error', 'DEPENDENCY_FAILED'],
    ['unreadable', 'malformed', 'DEPENDENCY_FAILED'],
    ['gone in the middle', 'reset', 'DEPENDENCY_FAILED'],
  ] as const)('of a platform that is %s is not connected, and is once it answers', async (_, play, name) => {
    meta.script(play);
    const refused = await connect();
    expect(refusal(refused)).toEqual([name, []]);
    expect(JSON.stringify(refused)).not.toContain('words that repeat');
    expect(isRefusal(await connect())).toBe(false);
  });

  test('is synced: a quality that moved is an event', async () => {
    const { id } = allowed(await connect());
    meta.addNumber(phoneNumberId, { quality_rating: 'YELLOW', whatsapp_business_manager_messaging_limit: 'TIER_10K' });
    world.now += 1_000;
    const synced = allowed(await syncNumber(kit.ports, actor, id));
    expect(synced).toMatchObject({ qualityRating: 'yellow', messagingTier: 'tier_10k', lastPlatformSyncAt: world.now });
    allowed(await syncNumber(kit.ports, actor, id));
    expect(kit.raised).toHaveLength(1);
  });

  test('has its profile written there first, a cleared field as an empty one', async () => {
    const { id } = allowed(await connect());
    allowed(await changeProfile(kit.ports, actor, id, { about: 'Novo', website: 'https://a.example', email: null }));
    expect(meta.account.profiles.get(phoneNumberId)).toEqual({
      about: 'Novo',
      vertical: 'RETAIL',
      websites: ['https://a.example'],
      email: '',
    });
    meta.script({ refuse: '100' });
    expect(refusal(await changeProfile(kit.ports, actor, id, { about: 'Outro' }))).toEqual([
      'VALIDATION_ERROR',
      ['profile'],
    ]);
    expect((await kit.ports.numbers.read(actor.organizationId, id))?.profile?.about).toBe('Novo');
  });
});

describe('a template on the platform', () => {
  const create = async () => {
    const { id: numberId } = allowed(await connect());
    const components = [{ type: 'body', payload: { text: 'Oi {{1}}!', example: { body_text: [['Ana']] } } }];
    const words = { numberId, name: 'pedido_enviado', language: 'pt-BR', category: 'utility' } as const;
    return allowed(await createTemplate(kit.ports, actor, { ...words, components })).id;
  };
  const state = async (id: Id<'template'>) => (await kit.ports.templates.read(actor.organizationId, id))?.status;
  const kept = () => [...meta.account.templates.values()];

  test('is created in its words and pending; deleted there, too', async () => {
    const id = await create();
    const submitted = allowed(await submitTemplate(kit.ports, actor, id));
    expect(submitted.status).toBe('pending');
    expect(kept()).toEqual([
      {
        id: submitted.platformTemplateId,
        name: 'pedido_enviado',
        language: 'pt_BR',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: 'Oi {{1}}!', example: { body_text: [['Ana']] } }],
        status: 'PENDING',
      },
    ]);
    expect(await deleteTemplate(kit.ports, actor, id)).toBeUndefined();
    expect(kept()).toEqual([]);
  });

  test.each([false, true])('has the category that the platform gives it (answer lost: %s)', async (lost) => {
    meta.account.givenCategory = 'MARKETING';
    const id = await create();
    if (lost) {
      meta.script('accept_and_reset');
      expect(refusal(await submitTemplate(kit.ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
    }
    expect(allowed(await submitTemplate(kit.ports, actor, id))).toMatchObject({
      category: 'marketing',
      status: 'pending',
    });
  });

  test.each(['accept_and_hang', 'accept_and_reset', 'malformed'] as const)(
    'whose answer is lost (%s) stays submitted, and submitting again finds it: one template',
    async (play) => {
      const id = await create();
      meta.script(play);
      expect(refusal(await submitTemplate(kit.ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
      expect(await state(id)).toBe('submitted');
      expect(allowed(await submitTemplate(kit.ports, actor, id)).status).toBe('pending');
      expect(kept()).toHaveLength(1);
    },
  );

  test('that never arrived is created by the next try', async () => {
    const id = await create();
    meta.script('hang');
    expect(refusal(await submitTemplate(kit.ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
    allowed(await submitTemplate(kit.ports, actor, id));
    expect(kept()).toHaveLength(1);
  });

  test('that the platform refuses is a draft again, and says where', async () => {
    const id = await create();
    meta.script({ refuse: '100' });
    expect(refusal(await submitTemplate(kit.ports, actor, id))).toEqual(['VALIDATION_ERROR', ['components']]);
    expect(await state(id)).toBe('draft');
    meta.script('throttle');
    expect(refusal(await submitTemplate(kit.ports, actor, id))).toEqual(['RATE_LIMITED', []]);
    expect(await state(id)).toBe('draft');
  });

  test('submitted ten times at once is one, and pending', async () => {
    const id = await create();
    await Promise.all(Array.from({ length: 10 }, () => submitTemplate(kit.ports, actor, id)));
    expect(kept()).toHaveLength(1);
    const found = await kit.ports.templates.read(actor.organizationId, id);
    expect(found).toMatchObject({ status: 'pending', platformTemplateId: kept()[0]?.id });
  });
});

describe('a flow on the platform', () => {
  const SCREEN = { id: 'A', terminal: true, layout: { type: 'SingleColumnLayout' as const, children: [] } };
  const flowJson = { version: '6.2', data_api_version: '3.0', screens: [SCREEN] };
  const create = async (json: object = {}) => {
    const { id: numberId } = allowed(await connect());
    const wish = {
      numberId,
      name: 'Atendimento',
      platformCategories: ['OTHER'] as const,
      flowJson: { ...flowJson, ...json },
    };
    return allowed(await createFlow(kit.ports, actor, wish)).id;
  };
  const kept = () => [...meta.account.flows.values()];

  test('is created, given its JSON without the versions of an endpoint that it has not, published and deprecated', async () => {
    const id = await create();
    const published = allowed(await publishFlow(kit.ports, actor, id));
    const json = JSON.stringify({ version: '6.2', screens: [SCREEN] });
    const flow = { id: published.platformFlowId, name: `Atendimento (${id})`, categories: ['OTHER'], json };
    expect(kept()).toEqual([{ ...flow, status: 'PUBLISHED' }]);
    expect(published).toMatchObject({ status: 'active', platformStatus: 'PUBLISHED', publishedAt: world.now });
    meta.script('accept_and_hang');
    expect(refusal(await deprecateFlow(kit.ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
    expect(allowed(await deprecateFlow(kit.ports, actor, id)).status).toBe('deprecated');
    expect(kept()).toEqual([{ ...flow, status: 'DEPRECATED' }]);
  });

  test('that asks an endpoint keeps its version of the data exchange', async () => {
    const id = await create({ routing_model: { A: [] } });
    allowed(await publishFlow(kit.ports, actor, id));
    expect(JSON.parse(kept()[0]?.json ?? '')).toEqual({ ...flowJson, routing_model: { A: [] } });
  });

  test.each([
    ['created', 0],
    ['uploaded', 1],
    ['published', 2],
  ])('whose answer is lost when it is %s is published by the next try, once', async (_, at) => {
    const id = await create();
    meta.script(...Array<'accept'>(at).fill('accept'), 'accept_and_reset');
    expect(refusal(await publishFlow(kit.ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
    expect(allowed(await publishFlow(kit.ports, actor, id)).status).toBe('active');
    expect(kept().map(({ status }) => status)).toEqual(['PUBLISHED']);
  });

  test('that the platform blocks, throttles or releases stands so after a sync', async () => {
    const id = await create();
    expect(refusal(await syncFlow(kit.ports, actor, id))).toEqual(['CONFLICT', []]);
    allowed(await publishFlow(kit.ports, actor, id));
    const [known] = kept();
    if (!known) throw new Error('The platform has no flow.');
    for (const [platformStatus, status] of [
      ['BLOCKED', 'paused'],
      ['THROTTLED', 'active'],
      ['PUBLISHED', 'active'],
      ['DEPRECATED', 'deprecated'],
    ] as const) {
      known.status = platformStatus;
      expect(allowed(await syncFlow(kit.ports, actor, id))).toMatchObject({ platformStatus, status });
    }
  });

  test('with faults that the platform finds stays a draft, is told them, and is deleted there, too', async () => {
    const id = await create();
    meta.account.flowFaults = [{ error: 'INVALID_PROPERTY_VALUE', line_start: 3 }];
    const refused = await publishFlow(kit.ports, actor, id);
    expect(refusal(refused)).toEqual(['VALIDATION_ERROR', ['flowJson']]);
    expect(JSON.stringify(refused)).toContain('line 3: INVALID_PROPERTY_VALUE');
    expect(kept().map(({ status }) => status)).toEqual(['DRAFT']);
    expect(await deleteFlow(kit.ports, actor, id, deleteFlowAtMeta(kit.ports, actor))).toBeUndefined();
    expect(kept()).toEqual([]);
  });
});
