import { describe, expect, test } from 'vitest';
import { isRefusal, Unavailable } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import type { ShortLink } from '../../shared/domain/links/short-link.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { followLink, type LinkPorts, redirectTarget } from '../../shared/domain/tracking/follow-link.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const organizationId = newId('organization');
const message = {
  id: newId('message'),
  organizationId,
  env: 'test',
  channel: 'sms',
  to: '+5511999990005',
  status: 'delivered',
  route: 'premium',
  campaignId: 'promo',
  metadata: { orderId: 'A-1' },
} as unknown as MessageRecord;

/** One link in memory. `rivals`: how many reads are followed by another's click before their count. */
const world = (fields: Partial<ShortLink> = {}) => {
  let link: ShortLink = {
    code: 't4hJ9sKq2L',
    url: 'https://loja.example/p?id=1',
    organizationId,
    env: 'test',
    messageId: message.id,
    clicks: 0,
    ...fields,
  };
  const events = new Map<string, DomainEvent>();
  const state = { rivals: 0, answersLost: 0 };
  const ports: LinkPorts = {
    clock: () => NOW,
    readLink: async (code) => (code === link.code ? link : undefined),
    readMessage: async (owner, id) => (owner === organizationId && id === message.id ? message : undefined),
    interacted: async () => undefined,
    async countClick(seen, _, event) {
      if (state.rivals-- > 0) link = { ...link, clicks: link.clicks + 1 };
      if (events.has(event.id)) return true;
      if (seen.clicks !== link.clicks) return false;
      link = { ...link, clicks: link.clicks + 1 };
      events.set(event.id, event);
      return state.answersLost-- <= 0;
    },
  };
  const follow = (isClick?: boolean) => followLink(ports, link.code, isClick);
  return { ports, state, follow, clicks: () => link.clicks, events: () => [...events.values()] };
};

describe('a click', () => {
  test("is counted, raises an event with the message's data, and redirects", async () => {
    const at = world();
    for (const click of [1, 2]) {
      expect(await at.follow()).toBe('https://loja.example/p?id=1');
      expect(at.clicks()).toBe(click);
    }
    const event = { type: 'sms.clicked', organizationId, env: 'test', createdAt: NOW };
    const { id, campaignId, metadata } = message;
    const data = { id, campaignId, metadata, url: 'https://loja.example/p?id=1' };
    expect(at.events()).toMatchObject([1, 2].map((click) => ({ ...event, data: { ...data, click } })));
    expect(JSON.stringify(at.events())).not.toContain(message.to);
  });

  test('has a number of its own among concurrent clicks', async () => {
    const at = world();
    at.state.rivals = 3;
    await at.follow();
    expect(at.events().map(({ data }) => data.click)).toEqual([at.clicks()]);
  });

  test('is counted once when the answer to its write is lost', async () => {
    const at = world();
    at.state.answersLost = 1;
    expect(await at.follow()).toBe('https://loja.example/p?id=1');
    expect([at.clicks(), at.events().length]).toEqual([1, 1]);
  });

  test('on a link with endless concurrent clicks fails as unavailable, without an event', async () => {
    const at = world();
    at.state.rivals = Number.POSITIVE_INFINITY;
    await expect(at.follow()).rejects.toThrow(Unavailable);
    expect(at.events()).toEqual([]);
  });

  test('is not a check of the link: that gets the redirect, and counts nothing', async () => {
    const at = world();
    expect(await at.follow(false)).toBe('https://loja.example/p?id=1');
    expect([at.clicks(), at.events()]).toEqual([0, []]);
  });

  test('on the link of an erased message still redirects, without an event', async () => {
    const at = world({ messageId: newId('message') });
    expect(await at.follow()).toBe('https://loja.example/p?id=1');
    expect(at.events()).toEqual([]);
  });
});

describe('a redirect', () => {
  test.each(['tUnknown00', '', 't', 'a'.repeat(200), '../../x', 't4hJ9sKq2L\n'])(
    'of the unknown code %j is 404 and counts nothing',
    async (code) => {
      const at = world();
      const answer = await followLink(at.ports, code);
      expect(isRefusal(answer) && answer.name).toBe('NOT_FOUND');
      expect(at.clicks()).toBe(0);
    },
  );

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://loja.example/',
    'file:///etc/passwd',
    '//loja.example',
    'no address',
  ])('to %s is refused', async (url) => {
    const at = world({ url });
    expect(isRefusal(await at.follow())).toBe(true);
    expect(at.clicks()).toBe(0);
  });

  test('is one line of ASCII, whatever the characters of the URL', () => {
    for (const url of [
      'https://açaí.example/ã?ç=é#ü',
      'HTTPS://loja.example/a b',
      'https://loja.example/\r\nset-cookie: a=1',
    ])
      expect(redirectTarget(url)).toMatch(/^https:\/\/[\x21-\x7e]+$/);
    expect(redirectTarget('https://loja.example/p?id=1&x=%20#y')).toBe('https://loja.example/p?id=1&x=%20#y');
  });
});
