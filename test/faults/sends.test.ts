import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Refusal, Unavailable } from '../../shared/domain/errors.ts';
import { resolveSend } from '../../shared/domain/messages/resolve.ts';
import { type SmsRequest, sendSms } from '../../shared/domain/sms/send.ts';
import { readVolume } from '../../shared/storage/volumes.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { startWorld, type World } from '../support/world.ts';

const request: SmsRequest = { to: '+5511987654321', body: 'Seu pedido saiu para entrega.', route: 'premium' };
const PRICE = 800;

describe('a send', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('live');
  });
  afterAll(() => world.close());
  afterEach(() => {
    world.proxy.plan(undefined);
    world.provider.script = [];
    world.provider.askable = true;
    world.provider.dispatched.length = 0;
    world.smsPerSecond = undefined;
  });

  const outcomeOf = async (work: Promise<unknown>) => {
    const outcome = await work.catch((error: unknown) => error);
    if (outcome instanceof Refusal) return outcome.name;
    return outcome instanceof Error ? outcome.name : 'sent';
  };
  const tally = (outcomes: readonly string[]) =>
    Object.fromEntries(
      [...new Set(outcomes)].sort().map((name) => [name, outcomes.filter((other) => other === name).length]),
    );
  /** Past the deadline, as the dispatcher would. */
  const resolveAll = async (organizationId: string, laterMs = 31_000) => {
    world.now += laterMs;
    const { messages } = await checkMoney(world.table, organizationId, { quiet: false });
    for (const { id } of messages) await resolveSend(world.ports, id);
  };

  test('with one key 200 times at once reaches the provider once; the others replay or are told to wait', async () => {
    const actor = await world.organization(1_000_000);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () => outcomeOf(sendSms(world.ports, actor, 'one-key', request))),
    );
    expect(world.provider.dispatched).toHaveLength(1);
    expect(Object.keys(tally(outcomes)).filter((name) => name !== 'sent' && name !== 'CONFLICT')).toEqual([]);
    const again = await sendSms(world.ports, actor, 'one-key', request);
    expect(again).toMatchObject({ replayed: true, status: 'sent', id: world.provider.dispatched[0]?.messageId });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 1_000_000 - PRICE });
  });

  test('with a key in flight and another body is a conflict', async () => {
    const actor = await world.organization(10_000);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.provider.script = [
      async ({ messageId }) => {
        await held;
        return { kind: 'accepted', providerMessageId: `p-${messageId}` };
      },
    ];
    const first = sendSms(world.ports, actor, 'key', request);
    await expect.poll(() => world.provider.dispatched.length).toBe(1);
    expect(await sendSms(world.ports, actor, 'key', { ...request, body: 'Outro texto' })).toMatchObject({
      name: 'CONFLICT',
      details: {},
    });
    const waiting = await sendSms(world.ports, actor, 'key', request);
    expect(waiting).toMatchObject({
      name: 'CONFLICT',
      details: { meta: { code: 'EM_ANDAMENTO' }, retryAfterSeconds: 30 },
    });
    release();
    expect(await first).toMatchObject({ replayed: false });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - PRICE });
  });

  test('with a key of more than 24 hours ago is a new send, though the old row still stands', async () => {
    const actor = await world.organization(10_000);
    const first = await sendSms(world.ports, actor, 'key', request);
    world.now += 24 * 3600 * 1000 - 1;
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({ replayed: true });
    world.now += 1;
    const second = await sendSms(world.ports, actor, 'key', request);
    expect(second).toMatchObject({ replayed: false });
    expect((second as { id: string }).id).not.toBe((first as { id: string }).id);
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - 2 * PRICE });
  });

  test('200 times at once for the last coins is accepted once and 199 times refused for lack of funds', async () => {
    const actor = await world.organization(PRICE);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, at) => outcomeOf(sendSms(world.ports, actor, `key-${at}`, request))),
    );
    expect(tally(outcomes)).toEqual({ PAYMENT_REQUIRED: 199, sent: 1 });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 0 });
  });

  test('across band edges at once: the prices are those of disjoint positions of the month', async () => {
    world.prices = [
      {
        channel: 'sms',
        route: 'premium',
        unit: 'segment',
        bands: [
          { upTo: 7, coins: 100 },
          { upTo: 16, coins: 90 },
          { upTo: null, coins: 70 },
        ],
      },
    ];
    const actor = await world.organization(100_000);
    const long = 'a'.repeat(400);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        outcomeOf(sendSms(world.ports, actor, `k${at}`, { ...request, body: long })),
      ),
    );
    expect(tally(outcomes)).toEqual({ sent: 12 });
    expect(await readVolume(world.live, actor.organizationId, 'sms', '202603')).toBe(36);
    const books = await checkMoney(world.table, actor.organizationId);
    expect(100_000 - books.balance).toBe(7 * 100 + 9 * 90 + 20 * 70);
  });

  test('that crashed after it was reserved and before the provider was called is abandoned with one refund, and its key is free', async () => {
    world.prices = (await import('../../shared/domain/pricing/default-prices.ts')).DEFAULT_PRICES;
    const actor = await world.organization(10_000);
    world.provider.script = [() => new Promise(() => {})];
    void sendSms(world.ports, actor, 'key', request);
    await expect.poll(() => world.provider.dispatched.length).toBe(1);
    await resolveAll(actor.organizationId, 29_999);
    expect((await checkMoney(world.table, actor.organizationId, { quiet: false })).held).toBe(PRICE);
    await resolveAll(actor.organizationId, 1);
    await resolveAll(actor.organizationId);
    const books = await checkMoney(world.table, actor.organizationId);
    expect(books).toMatchObject({ balance: 10_000, messages: [{ status: 'failed', reason: 'abandoned' }] });
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({ replayed: false, status: 'sent' });
  });

  test('that crashed after the provider accepted is settled by inquiry: one debit, no second send, and its key replays', async () => {
    const actor = await world.organization(10_000);
    world.provider.script = [
      ({ messageId }) => {
        world.provider.accepted.add(messageId);
        return new Promise(() => {});
      },
    ];
    void sendSms(world.ports, actor, 'key', request);
    await expect.poll(() => world.provider.dispatched.length).toBe(1);
    await resolveAll(actor.organizationId);
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({
      balance: 10_000 - PRICE,
      messages: [{ status: 'sent' }],
    });
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({ replayed: true, status: 'sent' });
    expect(world.provider.dispatched).toHaveLength(1);
  });

  test.each([0, 1])('whose commit %i succeeds and whose answer is lost ends as if it had arrived', async (which) => {
    const actor = await world.organization(10_000_000);
    const nth = (world.proxy.calls.get('TransactWriteItems') ?? 0) + which;
    world.proxy.plan((call) =>
      call.action === 'TransactWriteItems' && call.nth === nth ? FAULTS.loseAnswer : undefined,
    );
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({ replayed: false, status: 'sent' });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000_000 - PRICE });
    expect(world.provider.dispatched).toHaveLength(1);
  });

  test.each([
    ['a conflict', FAULTS.conflict(5)],
    ['a throttle', FAULTS.throttle],
    ['a request throttle', FAULTS.throttleRequest],
    ['an internal error', FAULTS.internal],
    ['a dropped connection', FAULTS.drop],
  ])(
    'that meets %s once is carried out; one that always meets it is 503 and leaves no partial state',
    async (_, fault) => {
      const actor = await world.organization(10_000);
      let left = 1;
      world.proxy.plan((call) => (call.action === 'TransactWriteItems' && left-- > 0 ? fault : undefined));
      expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({ status: 'sent' });
      world.proxy.plan((call) => (call.action === 'TransactWriteItems' ? fault : undefined));
      await expect(sendSms(world.ports, actor, 'other', request)).rejects.toThrow(Unavailable);
      world.proxy.plan(undefined);
      expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - PRICE });
      expect(await sendSms(world.ports, actor, 'other', request)).toMatchObject({ replayed: false });
      expect(world.provider.dispatched).toHaveLength(2);
    },
  );

  test('without a certain answer is 502, is never sent again by itself, and a receipt or an inquiry decides', async () => {
    const actor = await world.organization(10_000);
    world.provider.script = [{ kind: 'unknown', detail: 'no answer within 10 s' }];
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({
      name: 'DEPENDENCY_FAILED',
      details: { meta: {} },
    });
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({
      name: 'CONFLICT',
      details: { meta: { code: 'EM_ANDAMENTO' } },
    });
    await resolveAll(actor.organizationId, 5_000);
    expect(world.provider.dispatched).toHaveLength(1);
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({
      balance: 10_000,
      messages: [{ reason: 'abandoned' }],
    });
  });

  test('without a certain answer, and without an inquiry, waits for a receipt, is then indeterminate, refunded once, and says so', async () => {
    const actor = await world.organization(10_000);
    world.provider.askable = false;
    world.provider.script = [{ kind: 'unknown', detail: 'connection lost' }];
    await sendSms(world.ports, actor, 'key', request);
    await resolveAll(actor.organizationId, 5_000);
    expect((await checkMoney(world.table, actor.organizationId, { quiet: false })).held).toBe(PRICE);
    for (let turn = 0; turn < 8; turn++) await resolveAll(actor.organizationId, 15_000);
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({
      balance: 10_000,
      messages: [{ status: 'failed', reason: 'indeterminate' }],
    });
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({
      name: 'DEPENDENCY_FAILED',
      details: { meta: { reason: 'indeterminate' } },
    });
    expect(world.provider.dispatched).toHaveLength(1);
  });

  test.each([
    ['throttled', 'RATE_LIMITED', 7],
    ['credit', 'SERVICE_UNAVAILABLE', 60],
    ['credentials', 'DEPENDENCY_FAILED', undefined],
    ['unavailable', 'DEPENDENCY_FAILED', undefined],
    ['recipient', 'VALIDATION_ERROR', undefined],
    ['content', 'VALIDATION_ERROR', undefined],
    ['blacklisted', 'VALIDATION_ERROR', undefined],
  ] as const)(
    'that the provider refuses (%s) is %s, is readable as failed, costs nothing and frees its key',
    async (cause, name, retryAfterSeconds) => {
      const actor = await world.organization(10_000);
      world.provider.script = [
        { kind: 'refused', cause, detail: 'E1', ...(cause === 'throttled' ? { retryAfterSeconds: 6.2 } : {}) },
      ];
      const refusal = (await sendSms(world.ports, actor, 'key', request)) as Refusal;
      expect(refusal.name).toBe(name);
      expect(refusal.details.retryAfterSeconds).toBe(retryAfterSeconds);
      const books = await checkMoney(world.table, actor.organizationId);
      expect(books).toMatchObject({
        balance: 10_000,
        messages: [{ status: 'failed', id: refusal.details.meta?.messageId }],
      });
      expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({ replayed: false, status: 'sent' });
    },
  );

  test('whose worker pauses past its deadline is resolved once: the sweeper’s fence shuts the worker out', async () => {
    const actor = await world.organization(10_000);
    let wake = () => {};
    world.provider.script = [
      ({ messageId }) =>
        new Promise((resolve) => {
          wake = () => resolve({ kind: 'accepted', providerMessageId: `late-${messageId}` });
        }),
    ];
    const paused = sendSms(world.ports, actor, 'key', request);
    await expect.poll(() => world.provider.dispatched.length).toBe(1);
    await resolveAll(actor.organizationId);
    wake();
    expect(await paused).toMatchObject({ name: 'DEPENDENCY_FAILED' });
    const books = await checkMoney(world.table, actor.organizationId);
    expect(books).toMatchObject({ balance: 10_000, messages: [{ reason: 'abandoned' }] });
    expect(books.entries.filter(({ kind }) => kind === 'release')).toHaveLength(1);
  });

  test('above the account’s contracted rate is 429 before any message is created', async () => {
    world.smsPerSecond = 3;
    const actor = await world.organization(100_000);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) => outcomeOf(sendSms(world.ports, actor, `c${at}`, request))),
    );
    expect(tally(outcomes)).toEqual({ RATE_LIMITED: 7, sent: 3 });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({
      balance: 100_000 - 3 * PRICE,
      messages: { length: 3 },
    });
    world.now += 1_000;
    expect(await sendSms(world.ports, actor, 'next-second', request)).toMatchObject({ status: 'sent' });
  });

  test('refused on one route leaves by the next provider, whose name stands before it is called', async () => {
    const actor = await world.organization(10_000);
    const first = {
      ...world.provider,
      name: 'twilio' as const,
      send: async () => ({ kind: 'refused' as const, cause: 'throttled' as const, detail: '429' }),
      readCallback: world.provider.readCallback,
    };
    const before = world.candidates;
    world.candidates = () => ({ kind: 'ready', providers: [first, world.provider] });
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({ provider: 'infobip', status: 'sent' });
    world.candidates = before;
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - PRICE });
  });

  test('keeps metadata as it came, whatever its keys are called', async () => {
    const actor = await world.organization(10_000);
    const metadata = { constructor: 'x', toString: 'y', valueOf: 1, hasOwnProperty: true };
    expect(await sendSms(world.ports, actor, 'key', { ...request, metadata })).toMatchObject({
      status: 'sent',
      metadata,
    });
    expect((await checkMoney(world.table, actor.organizationId)).messages[0]?.metadata).toEqual(metadata);
  });

  test('with more links than one transaction holds is refused, and with as many as are allowed is sent', async () => {
    const actor = await world.organization(1_000_000);
    const body = (links: number) => Array.from({ length: links }, (_, at) => `https://a.example/${at}`).join(' ');
    expect(await sendSms(world.ports, actor, 'k51', { ...request, body: body(51), trackLinks: true })).toMatchObject({
      name: 'VALIDATION_ERROR',
    });
    expect(await sendSms(world.ports, actor, 'k50', { ...request, body: body(50), trackLinks: true })).toMatchObject({
      status: 'sent',
    });
    expect(
      JSON.stringify(world.provider.dispatched[0]?.content).match(/https:\/\/messaging\.example\/r\/l\w{9}/g),
    ).toHaveLength(50);
    await checkMoney(world.table, actor.organizationId);
  });

  test('with no provider set up is 502 that names what is missing, and costs nothing', async () => {
    const actor = await world.organization(10_000);
    const before = world.candidates;
    world.candidates = () => ({ kind: 'none', missing: 'no SMS provider is set up' });
    const refusal = (await sendSms(world.ports, actor, 'key', request)) as Refusal;
    world.candidates = before;
    expect(refusal.name).toBe('DEPENDENCY_FAILED');
    expect(refusal.details.detail).toContain('no SMS provider is set up');
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 });
  });
});
