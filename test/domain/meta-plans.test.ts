import { describe, expect, test } from 'vitest';
import type { MetaPlanPorts } from '../../shared/domain/channels/meta/compose.ts';
import type { PlanPorts } from '../../shared/domain/channels/registry.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { SendRequest } from '../../shared/domain/message/send-request.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { planSend } from '../../shared/domain/sending/plan.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOUR_MS = 3600_000;
const PHONE = '+5511987654321';
const USER = '17841400000000001';

const ports = (over: Partial<MetaPlanPorts> = {}): MetaPlanPorts => ({
  clock: () => NOW,
  senderOf: async (_, { requestedId }) => ({ id: requestedId, lastInboundAt: NOW - HOUR_MS }),
  ...over,
});
const tenant = (env: 'live' | 'test' = 'live') => ({ organizationId: newId('organization'), env });
const plan = async (
  channel: 'whatsapp' | 'instagram',
  request: Partial<SendRequest>,
  over: Partial<MetaPlanPorts> = {},
  env: 'live' | 'test' = 'live',
) => {
  const to = channel === 'whatsapp' ? PHONE : USER;
  const asked: SendRequest = { channel, to, type: 'text', text: 'Oi', ...request };
  const none = { named: async () => [], read: async () => undefined };
  const channels = { ...ports(over), templates: none, numbers: none } as object as PlanPorts;
  return planSend({ prices: async () => DEFAULT_PRICES, channels }, tenant(env), asked);
};
const planned = async (...given: Parameters<typeof plan>) => {
  const outcome = await plan(...given);
  if (isRefusal(outcome)) throw new Error(JSON.stringify(outcome.details));
  return outcome.plan;
};
const wroteAgo = (ms: number | undefined): Partial<MetaPlanPorts> => ({
  senderOf: async () => ({ lastInboundAt: ms === undefined ? undefined : NOW - ms }),
});
const closed = { name: 'CONFLICT', details: { meta: { code: 'window_closed' } } };

describe('the window', () => {
  const DAY = 24 * HOUR_MS;
  test.each([
    ['whatsapp', undefined, false],
    ['whatsapp', DAY, false],
    ['whatsapp', DAY - 1, true],
    ['instagram', undefined, false],
    ['instagram', DAY, false],
    ['instagram', DAY - 1, true],
  ] as const)('of %s for a text, written to %s ms ago, is open: %s', async (channel, ago, open) => {
    const outcome = await plan(channel, {}, wroteAgo(ago));
    if (open) expect(isRefusal(outcome)).toBe(false);
    else expect(outcome).toMatchObject(closed);
  });

  test('does not hold a template back', async () => {
    const request = { type: 'template', template: 'pedido', text: undefined } as const;
    expect(await planned('whatsapp', request, wroteAgo(undefined))).toMatchObject({ route: 'marketing' });
  });

  test.each([
    [7 * DAY - 1, true],
    [7 * DAY, false],
  ])('of Instagram for what a person answers, %i ms after, is open: %s', async (ago, open) => {
    const outcome = await plan('instagram', { payload: { tag: 'HUMAN_AGENT' } }, wroteAgo(ago));
    expect(isRefusal(outcome)).toBe(!open);
  });

  test('of Instagram is always open in the sandbox, which nobody writes to', async () => {
    expect(isRefusal(await plan('instagram', {}, wroteAgo(undefined), 'test'))).toBe(false);
  });
});

describe('the sender', () => {
  test('is asked for together with when the recipient wrote, where that counts', async () => {
    const asked: boolean[] = [];
    const over: Partial<MetaPlanPorts> = {
      senderOf: async (_, { needsWindow }) => {
        asked.push(needsWindow);
        return { lastInboundAt: NOW };
      },
    };
    await planned('whatsapp', {}, over);
    await planned('whatsapp', { type: 'template', template: 'pedido', text: undefined }, over);
    await planned('instagram', {}, over);
    await planned('instagram', {}, over, 'test');
    expect(asked).toEqual([true, false, true, false]);
  });

  test('that is unknown is told before the window that is closed', async () => {
    const outcome = await plan('whatsapp', { labels: { numberId: 'num_1' } }, { senderOf: async () => undefined });
    expect(outcome).toMatchObject({ name: 'VALIDATION_ERROR' });
  });

  test.each(['whatsapp', 'instagram'] as const)('on %s is kept with the content, and as its label', async (channel) => {
    const label = channel === 'whatsapp' ? 'numberId' : 'instagramAccountId';
    const own = await planned(
      channel,
      { labels: { templateId: 'tpl_1' } },
      { senderOf: async () => ({ id: 'own_1', lastInboundAt: NOW }) },
    );
    expect(own).toMatchObject({ content: { from: 'own_1' }, labels: { [label]: 'own_1', templateId: 'tpl_1' } });
    const named = await planned(channel, { labels: { [label]: 'named_1' } });
    expect(named).toMatchObject({ content: { from: 'named_1' }, labels: { [label]: 'named_1' } });
    expect((await planned(channel, {})).content).not.toHaveProperty('from');
  });

  test('that the organization does not have is refused: by its name 422, without one 412', async () => {
    const none: Partial<MetaPlanPorts> = { senderOf: async () => undefined };
    const named = { labels: { numberId: 'num_1' } };
    expect(await plan('whatsapp', named, none)).toMatchObject({
      name: 'VALIDATION_ERROR',
      details: { errors: [{ path: 'numberId' }] },
    });
    expect(await plan('instagram', {}, none)).toMatchObject({ name: 'PRECONDITION_FAILED' });
  });
});

describe('the content', () => {
  test('of a template has its variables by name; that of another type has none', async () => {
    const variables = { nome: 'Ana' };
    const template = await planned('whatsapp', { type: 'template', template: 'a', text: undefined, variables });
    expect(template.content).toEqual({
      payload: { template: { name: 'a', language: 'pt-BR' }, templateVars: variables },
    });
    expect((await planned('whatsapp', { variables })).content).toEqual({ payload: { text: 'Oi' } });
  });

  test('of a text keeps what stands beside it', async () => {
    const request = { text: 'Oi', payload: { tag: 'HUMAN_AGENT' } };
    expect((await planned('instagram', request)).content).toEqual({ payload: { text: 'Oi', tag: 'HUMAN_AGENT' } });
  });

  test.each([
    ['whatsapp', 'text', { text: 'a'.repeat(4_097) }],
    ['whatsapp', 'text', { text: '' }],
    ['whatsapp', 'text', { text: 'a', tag: 'HUMAN_AGENT' }],
    ['whatsapp', 'media', { media: { kind: 'sticker', id: '1', caption: 'a' } }],
    ['whatsapp', 'media', { media: { kind: 'image', id: '1', filename: 'a.jpg' } }],
    ['whatsapp', 'media', { media: { kind: 'video', id: '1', voice: true } }],
    ['whatsapp', 'template', { template: { name: 'a', language: 'pt-BR', components: 'none' } }],
    ['instagram', 'text', { text: 'ç'.repeat(501) }],
    ['instagram', 'media', { media: { kind: 'sticker', id: '1' } }],
    ['instagram', 'media', { media: { kind: 'image', id: '1', url: 'https://a.example/b' } }],
    ['instagram', 'template', { template: { name: 'a', language: 'pt-BR' } }],
    ['instagram', 'interactive', { interactive: { type: 'list' } }],
  ] as const)('that %s does not take as %s is refused with its place: %j', async (channel, type, payload) => {
    const outcome = await plan(channel, { type, payload: { ...payload }, text: undefined });
    expect(outcome).toMatchObject({ name: 'VALIDATION_ERROR' });
    const [error] = (isRefusal(outcome) && outcome.details.errors) || [];
    expect(error?.path).toMatch(/^payload/);
  });
});
