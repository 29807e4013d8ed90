import { describe, expect, test } from 'vitest';
import type { MetaPlanPorts } from '../../shared/domain/channels/meta/compose.ts';
import type { PlanPorts } from '../../shared/domain/channels/registry.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { SendRequest } from '../../shared/domain/message/send-request.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { planSend } from '../../shared/domain/sending/plan.ts';
import { accepted } from '../support/accepted.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOUR_MS = 3600_000;
const PHONE = '+5511987654321';
const USER = '17841400000000001';

const ports = (over: Partial<MetaPlanPorts> = {}): MetaPlanPorts => ({
  clock: () => NOW,
  senderOf: async (_, { requestedId }) => ({ id: requestedId, lastInboundAt: NOW - HOUR_MS }),
  ...over,
});
const open = {
  prices: async () => DEFAULT_PRICES,
  destinations: async () => undefined,
  heldUntil: async () => undefined,
};
const tenant = (env: 'live' | 'test' = 'live') => ({ organizationId: newId('organization'), env });
const plan = async (
  channel: 'whatsapp' | 'instagram',
  request: Partial<SendRequest>,
  over: Partial<MetaPlanPorts> = {},
  env: 'live' | 'test' = 'live',
) => {
  const to = channel === 'whatsapp' ? PHONE : USER;
  const full: SendRequest = { channel, to, type: 'text', text: 'Oi', ...request };
  const none = { named: async () => [], read: async () => undefined };
  const findMedia = async () => undefined;
  const channels = { ...ports(over), templates: none, numbers: none, findMedia } as object as PlanPorts;
  return planSend({ ...open, channels }, tenant(env), full);
};
const planned = async (...given: Parameters<typeof plan>) => accepted(await plan(...given)).plan;
const lastInboundAgo = (ms: number | undefined): Partial<MetaPlanPorts> => ({
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
  ] as const)('of %s for a text %s ms after the last inbound message is open: %s', async (channel, ago, open) => {
    const outcome = await plan(channel, {}, lastInboundAgo(ago));
    if (open) expect(isRefusal(outcome)).toBe(false);
    else expect(outcome).toMatchObject(closed);
  });

  test('does not apply to a template', async () => {
    const request = { type: 'template', template: 'pedido', text: undefined } as const;
    expect(await planned('whatsapp', request, lastInboundAgo(undefined))).toMatchObject({ route: 'marketing' });
  });

  test.each([
    [7 * DAY - 1, true],
    [7 * DAY, false],
  ])('of Instagram for a human agent %i ms after the last inbound message is open: %s', async (ago, open) => {
    const outcome = await plan('instagram', { payload: { tag: 'HUMAN_AGENT' } }, lastInboundAgo(ago));
    expect(isRefusal(outcome)).toBe(!open);
  });

  test('of Instagram is always open in the sandbox, which has no inbound messages', async () => {
    expect(isRefusal(await plan('instagram', {}, lastInboundAgo(undefined), 'test'))).toBe(false);
  });
});

describe('the sender', () => {
  test('is read together with the recipient’s last message, where the window applies', async () => {
    const reads: boolean[] = [];
    const over: Partial<MetaPlanPorts> = {
      senderOf: async (_, { needsWindow }) => {
        reads.push(needsWindow);
        return { lastInboundAt: NOW };
      },
    };
    await planned('whatsapp', {}, over);
    await planned('whatsapp', { type: 'template', template: 'pedido', text: undefined }, over);
    await planned('instagram', {}, over);
    await planned('instagram', {}, over, 'test');
    expect(reads).toEqual([true, false, true, false]);
  });

  test('that is unknown is refused before a closed window', async () => {
    const outcome = await plan('whatsapp', { labels: { numberId: 'num_1' } }, { senderOf: async () => undefined });
    expect(outcome).toMatchObject({ name: 'VALIDATION_ERROR' });
  });

  test.each(['whatsapp', 'instagram'] as const)('on %s is stored with the content, and as a label', async (channel) => {
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

  test('that the organization does not have is refused: 422 where it is named, else 412', async () => {
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
  test('of a template has its variables; that of another type has none', async () => {
    const variables = { nome: 'Ana' };
    const template = await planned('whatsapp', { type: 'template', template: 'a', text: undefined, variables });
    expect(template.content).toEqual({
      payload: { template: { name: 'a', language: 'pt-BR' }, templateVars: variables },
    });
    expect((await planned('whatsapp', { variables })).content).toEqual({ payload: { text: 'Oi' } });
  });

  test('of a text includes the other fields of the payload', async () => {
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
  ] as const)('that %s does not accept as %s is refused with its path: %j', async (channel, type, payload) => {
    const outcome = await plan(channel, { type, payload: { ...payload }, text: undefined });
    expect(outcome).toMatchObject({ name: 'VALIDATION_ERROR' });
    const [error] = (isRefusal(outcome) && outcome.details.errors) || [];
    expect(error?.path).toMatch(/^payload/);
  });
});
