import { beforeEach, describe, expect, test } from 'vitest';
import {
  deleteFlow,
  deprecateFlow,
  publishFlow,
  syncFlow,
} from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { changeProfile, connectNumber, syncNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { deleteTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { aFlow, aTemplate, FLOW_JSON, type MetaAccount, SCREEN, startMetaAccount, TOKEN } from './kit.ts';

const world = await use(startWorld('live'));
let { meta, ports, raised, actor, connection } = {} as MetaAccount;
beforeEach(async () => {
  const options = { timeoutMs: 1_500, others: ['1', '2'] };
  ({ meta, ports, raised, actor, connection } = await startMetaAccount(world, options));
  return () => meta.close();
});

const connect = (fields: object = {}) => connectNumber(ports, actor, { ...connection, ...fields });
const refusal = (outcome: unknown) => {
  if (!isRefusal(outcome)) throw new Error('It was allowed.');
  const { name, details } = outcome;
  return [name, details.errors?.map(({ path }) => path) ?? []];
};

describe('a number at Meta', () => {
  test('is found on any page of its account, subscribed to, and read in our terms', async () => {
    expect(accepted(await connect())).toMatchObject({
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
    ['with an invalid token', { accessToken: 'other' }, ['VALIDATION_ERROR', ['accessToken']]],
    ['of another account', { wabaId: '1' }, ['VALIDATION_ERROR', ['phoneNumberId']]],
    ['that the account does not have', { phoneNumberId: '999' }, ['VALIDATION_ERROR', ['phoneNumberId']]],
  ])('%s is not connected, and nothing is stored', async (_, fields, expected) => {
    expect(refusal(await connect(fields))).toEqual(expected);
    expect((await ports.numbers.page(actor.organizationId, {}, { skip: 0, limit: 1 })).total).toBe(0);
  });

  test.each([
    ['throttling', 'throttle', 'RATE_LIMITED'],
    ['a hanging request', 'hang', 'DEPENDENCY_FAILED'],
    ['a server error', 'server_error', 'DEPENDENCY_FAILED'],
    ['a malformed response', 'malformed', 'DEPENDENCY_FAILED'],
    ['a broken connection', 'reset', 'DEPENDENCY_FAILED'],
  ] as const)('is not connected when Meta answers with %s, and is by the next call', async (_, play, name) => {
    meta.script(play);
    const refused = await connect();
    expect(refusal(refused)).toEqual([name, []]);
    expect(JSON.stringify(refused)).not.toContain('words that repeat');
    expect(isRefusal(await connect())).toBe(false);
  });

  test('is synced: a changed quality raises one event', async () => {
    const { id } = accepted(await connect());
    meta.addNumber(connection.phoneNumberId, {
      quality_rating: 'YELLOW',
      whatsapp_business_manager_messaging_limit: 'TIER_10K',
    });
    world.now += 1_000;
    const synced = accepted(await syncNumber(ports, actor, id));
    expect(synced).toMatchObject({ qualityRating: 'yellow', messagingTier: 'tier_10k', lastPlatformSyncAt: world.now });
    accepted(await syncNumber(ports, actor, id));
    expect(raised).toHaveLength(1);
  });

  test('has its profile written to Meta before it is stored, a cleared field as an empty one', async () => {
    const { id } = accepted(await connect());
    accepted(await changeProfile(ports, actor, id, { about: 'Novo', website: 'https://a.example', email: null }));
    expect(meta.account.profiles.get(connection.phoneNumberId)).toEqual({
      about: 'Novo',
      vertical: 'RETAIL',
      websites: ['https://a.example'],
      email: '',
    });
    meta.script({ refuse: '100' });
    expect(refusal(await changeProfile(ports, actor, id, { about: 'Outro' }))).toEqual([
      'VALIDATION_ERROR',
      ['profile'],
    ]);
    expect((await ports.numbers.read(actor.organizationId, id))?.profile?.about).toBe('Novo');
  });
});

describe('a template at Meta', () => {
  const create = async () => {
    const { id: numberId } = accepted(await connect());
    const components = [{ type: 'body', payload: { text: 'Oi {{1}}!', example: { body_text: [['Ana']] } } }];
    return (await aTemplate(ports, actor, { numberId, name: 'pedido_enviado', components })).id;
  };
  const state = async (id: Id<'template'>) => (await ports.templates.read(actor.organizationId, id))?.status;
  const listed = () => [...meta.account.templates.values()];

  test('is created in its own terms, is pending, and is deleted there, too', async () => {
    const id = await create();
    const submitted = accepted(await submitTemplate(ports, actor, id));
    expect(submitted.status).toBe('pending');
    expect(listed()).toEqual([
      {
        id: submitted.platformTemplateId,
        name: 'pedido_enviado',
        language: 'pt_BR',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: 'Oi {{1}}!', example: { body_text: [['Ana']] } }],
        status: 'PENDING',
      },
    ]);
    expect(await deleteTemplate(ports, actor, id)).toBeUndefined();
    expect(listed()).toEqual([]);
  });

  test.each([false, true])('gets the category that Meta assigns (response lost: %s)', async (lost) => {
    meta.account.givenCategory = 'MARKETING';
    const id = await create();
    if (lost) {
      meta.script('accept_and_reset');
      expect(refusal(await submitTemplate(ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
    }
    expect(accepted(await submitTemplate(ports, actor, id))).toMatchObject({
      category: 'marketing',
      status: 'pending',
    });
  });

  test.each(['accept_and_hang', 'accept_and_reset', 'malformed'] as const)(
    'whose response is lost (%s) stays submitted, and submitting again finds it: one template',
    async (play) => {
      const id = await create();
      meta.script(play);
      expect(refusal(await submitTemplate(ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
      expect(await state(id)).toBe('submitted');
      expect(accepted(await submitTemplate(ports, actor, id)).status).toBe('pending');
      expect(listed()).toHaveLength(1);
    },
  );

  test('that never arrived is created by the next attempt', async () => {
    const id = await create();
    meta.script('hang');
    expect(refusal(await submitTemplate(ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
    accepted(await submitTemplate(ports, actor, id));
    expect(listed()).toHaveLength(1);
  });

  test('that Meta refuses is a draft again, and the refusal names the field', async () => {
    const id = await create();
    meta.script({ refuse: '100' });
    expect(refusal(await submitTemplate(ports, actor, id))).toEqual(['VALIDATION_ERROR', ['components']]);
    expect(await state(id)).toBe('draft');
    meta.script('throttle');
    expect(refusal(await submitTemplate(ports, actor, id))).toEqual(['RATE_LIMITED', []]);
    expect(await state(id)).toBe('draft');
  });

  test('submitted ten times concurrently is one, and pending', async () => {
    const id = await create();
    await Promise.all(Array.from({ length: 10 }, () => submitTemplate(ports, actor, id)));
    expect(listed()).toHaveLength(1);
    const found = await ports.templates.read(actor.organizationId, id);
    expect(found).toMatchObject({ status: 'pending', platformTemplateId: listed()[0]?.id });
  });
});

describe('a flow at Meta', () => {
  const create = async (json: object = {}) => {
    const { id: numberId } = accepted(await connect());
    return (await aFlow(ports, actor, { numberId, flowJson: { ...FLOW_JSON, ...json } })).id;
  };
  const listed = () => [...meta.account.flows.values()];

  test('is created, uploaded without the version of an endpoint it does not have, published and deprecated', async () => {
    const id = await create();
    const published = accepted(await publishFlow(ports, actor, id));
    const json = JSON.stringify({ version: '6.2', screens: [SCREEN] });
    const flow = { id: published.platformFlowId, name: `Atendimento (${id})`, categories: ['OTHER'], json };
    expect(listed()).toEqual([{ ...flow, status: 'PUBLISHED' }]);
    expect(published).toMatchObject({ status: 'active', platformStatus: 'PUBLISHED', publishedAt: world.now });
    meta.script('accept_and_hang');
    expect(refusal(await deprecateFlow(ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
    expect(accepted(await deprecateFlow(ports, actor, id)).status).toBe('deprecated');
    expect(listed()).toEqual([{ ...flow, status: 'DEPRECATED' }]);
  });

  test('with an endpoint keeps its data exchange version', async () => {
    const id = await create({ routing_model: { A: [] } });
    accepted(await publishFlow(ports, actor, id));
    expect(JSON.parse(listed()[0]?.json ?? '')).toEqual({ ...FLOW_JSON, routing_model: { A: [] } });
  });

  test.each([
    ['created', 0],
    ['uploaded', 1],
    ['published', 2],
  ])('whose response is lost when it is %s is published once, by the next attempt', async (_, at) => {
    const id = await create();
    meta.script(...Array<'accept'>(at).fill('accept'), 'accept_and_reset');
    expect(refusal(await publishFlow(ports, actor, id))).toEqual(['DEPENDENCY_FAILED', []]);
    expect(accepted(await publishFlow(ports, actor, id)).status).toBe('active');
    expect(listed().map(({ status }) => status)).toEqual(['PUBLISHED']);
  });

  test('that Meta blocks, throttles or releases has that status after a sync', async () => {
    const id = await create();
    expect(refusal(await syncFlow(ports, actor, id))).toEqual(['CONFLICT', []]);
    accepted(await publishFlow(ports, actor, id));
    const [known] = listed();
    if (!known) throw new Error('Meta has no flow.');
    for (const [platformStatus, status] of [
      ['BLOCKED', 'paused'],
      ['THROTTLED', 'active'],
      ['PUBLISHED', 'active'],
      ['DEPRECATED', 'deprecated'],
    ] as const) {
      known.status = platformStatus;
      expect(accepted(await syncFlow(ports, actor, id))).toMatchObject({ platformStatus, status });
    }
  });

  test('with faults that Meta finds stays a draft, reports them, and is deleted there, too', async () => {
    const id = await create();
    meta.account.flowFaults = [{ error: 'INVALID_PROPERTY_VALUE', line_start: 3 }];
    const refused = await publishFlow(ports, actor, id);
    expect(refusal(refused)).toEqual(['VALIDATION_ERROR', ['flowJson']]);
    expect(JSON.stringify(refused)).toContain('line 3: INVALID_PROPERTY_VALUE');
    expect(listed().map(({ status }) => status)).toEqual(['DRAFT']);
    expect(await deleteFlow(ports, actor, id)).toBeUndefined();
    expect(listed()).toEqual([]);
  });
});
