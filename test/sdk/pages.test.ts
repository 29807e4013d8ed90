import { describe, expect, it } from 'vitest';
import { isProblem } from '../../sdk/typescript/src/index.ts';
import { clientOf, failure, json, problem } from './kit.ts';

const things = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `thing_${from + index}` }));
const idsOf = async (items: AsyncIterable<{ id: string }>, most = Number.POSITIVE_INFINITY): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of items) {
    ids.push(id);
    if (ids.length === most) break;
  }
  return ids;
};
const queriesOf = (sent: readonly { url: string }[]) => sent.map(({ url }) => url.split('?')[1] ?? '');
const expected = (from: number, count: number) => things(from, count).map(({ id }) => id);

describe('a list', () => {
  it('requests nothing until it is awaited or read', async () => {
    const { messaging, sent } = clientOf([json(200, { items: [], total: 0 })]);
    const list = messaging.contacts.list();
    await Promise.resolve();
    expect(sent).toEqual([]);
    expect(await idsOf(list)).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  it('is its first page where it is awaited, which is requested once', async () => {
    const { messaging, sent } = clientOf([json(200, { items: things(0, 2), total: 5 })]);
    const list = messaging.contacts.list({ limit: 2 });
    expect(await list).toEqual({ items: things(0, 2), total: 5 });
    expect((await list).total).toBe(5);
    expect(await list.then(({ total }) => total)).toBe(5);
    expect(queriesOf(sent)).toEqual(['limit=2']);
  });

  it('rejects like any other call, and runs what is to run in the end', async () => {
    const { messaging } = clientOf([problem(403, 'FORBIDDEN')]);
    expect(await failure(messaging.contacts.list())).toMatchObject({ code: 'FORBIDDEN' });
    expect(await messaging.contacts.list().catch((error) => isProblem(error) && error.code)).toBe('FORBIDDEN');
    const ran: string[] = [];
    const after = messaging.contacts.list().finally(() => void ran.push('after'));
    expect(await failure(after)).toMatchObject({ code: 'FORBIDDEN' });
    expect(ran).toEqual(['after']);
  });
});

describe('a list that counts', () => {
  const three = [
    json(200, { items: things(0, 2), total: 5 }),
    json(200, { items: things(2, 2), total: 5 }),
    json(200, { items: things(4, 1), total: 5 }),
  ];

  it('gives every item, page by page, with the filters of the first', async () => {
    const { messaging, sent } = clientOf(three);
    expect(await idsOf(messaging.contacts.list({ tag: 'vip', limit: 2 }))).toEqual(expected(0, 5));
    expect(queriesOf(sent)).toEqual(['tag=vip&limit=2', 'tag=vip&limit=2&skip=2', 'tag=vip&limit=2&skip=4']);
  });

  it('requests a page when its first item is read, and none after the reader stopped', async () => {
    const { messaging, sent } = clientOf(three);
    expect(await idsOf(messaging.contacts.list(), 2)).toEqual(expected(0, 2));
    expect(sent).toHaveLength(1);
    expect(await idsOf(messaging.contacts.list(), 3)).toHaveLength(3);
  });

  it('continues from a given position', async () => {
    const { messaging, sent } = clientOf([
      json(200, { items: things(3, 1), total: 5 }),
      json(200, { items: things(4, 1), total: 5 }),
    ]);
    expect(await idsOf(messaging.contacts.list({ skip: 3 }))).toEqual(expected(3, 2));
    expect(queriesOf(sent)).toEqual(['skip=3', 'skip=4']);
  });

  it('gives an item once that moved to the next page, since another was added meanwhile', async () => {
    const moved = [json(200, { items: things(0, 2), total: 3 }), json(200, { items: things(1, 2), total: 4 })];
    expect(await idsOf(clientOf(moved).messaging.contacts.list())).toEqual(expected(0, 3));
  });

  it('ends at an empty page, whatever the total says', async () => {
    const { messaging, sent } = clientOf([
      json(200, { items: things(0, 1), total: 9 }),
      json(200, { items: [], total: 9 }),
    ]);
    expect(await idsOf(messaging.contacts.list())).toEqual(expected(0, 1));
    expect(sent).toHaveLength(2);
  });

  it('yields whole pages on request', async () => {
    const sizes: number[] = [];
    for await (const { items } of clientOf(three).messaging.contacts.list().pages()) sizes.push(items.length);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('throws what a later page is refused with, after the items before it', async () => {
    const { messaging } = clientOf([json(200, { items: things(0, 2), total: 5 }), problem(403, 'FORBIDDEN')]);
    const seen: string[] = [];
    const read = async () => {
      for await (const { id } of messaging.contacts.list()) seen.push(id);
    };
    expect(await failure(read())).toMatchObject({ code: 'FORBIDDEN' });
    expect(seen).toEqual(expected(0, 2));
  });
});

describe('a list with cursors', () => {
  it('follows them to the end, be it an absent one or null', async () => {
    for (const end of [{}, { nextCursor: null }]) {
      const { messaging, sent } = clientOf([
        json(200, { items: things(0, 2), nextCursor: 'a b' }),
        // A page may be empty before the end.
        json(200, { items: [], nextCursor: 'c' }),
        json(200, { items: things(2, 1), ...end }),
      ]);
      expect(await idsOf(messaging.rcs.list({ status: 'sent' }))).toEqual(expected(0, 3));
      expect(queriesOf(sent)).toEqual(['status=sent', 'status=sent&cursor=a+b', 'status=sent&cursor=c']);
    }
  });

  it('follows the pages of a list that is nested in another object', async () => {
    const run = (passos: readonly string[], more: object) =>
      json(200, { id: 'run_1', historico: passos.map((passo) => ({ passo })), ...more });
    const { messaging, sent } = clientOf([run(['a', 'b'], { nextCursor: 'x' }), run(['c'], {})]);
    const steps: string[] = [];
    for await (const { passo } of messaging.journeys.run('jor_1', 'run_1', { limit: 2 })) steps.push(passo);
    expect(steps).toEqual(['a', 'b', 'c']);
    expect(queriesOf(sent)).toEqual(['limit=2', 'limit=2&cursor=x']);
    expect(await clientOf([run([], {})]).messaging.journeys.run('jor_1', 'run_1')).toMatchObject({ id: 'run_1' });
  });

  it('uses the signal of its caller', async () => {
    const { messaging, sent } = clientOf([json(200, { items: things(0, 1), nextCursor: 'a' })]);
    const controller = new AbortController();
    const read = async () => {
      for await (const _ of messaging.rcs.list({}, { signal: controller.signal })) controller.abort();
    };
    expect(await failure(read())).toMatchObject({ name: 'AbortError' });
    expect(sent).toHaveLength(1);
  });
});

it('a feed is read on by its numbers, up to the last that was assigned', async () => {
  const event = (sequence: number) => ({ id: `evt_${sequence}`, sequence });
  const { messaging, sent } = clientOf([
    json(200, { items: [event(8), event(9)], lastSequence: 10 }),
    json(200, { items: [event(10)], lastSequence: 10 }),
  ]);
  const read = await idsOf(messaging.webhooks.listEvents('wbh_1', { after: '7' }));
  expect(read).toEqual(['evt_8', 'evt_9', 'evt_10']);
  expect(queriesOf(sent)).toEqual(['after=7', 'after=9']);
});

it('an export as CSV gives a text for each page, and the cursor of the next', async () => {
  const csv = (text: string, headers: Record<string, string> = {}) =>
    new Response(text, { headers: { 'content-type': 'text/csv; charset=utf-8', ...headers } });
  const { messaging, sent } = clientOf([
    csv('id\nmsg_1\n', { link: '</v2/exports/messages?channel=sms&cursor=a%20b>; rel="next"' }),
    csv('id\nmsg_2\n', { link: '</v2/exports/messages?cursor=first>; rel="prev"' }),
  ]);
  const query = { channel: 'sms', from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' } as const;
  const texts: string[] = [];
  for await (const text of messaging.exports.messagesCsv(query, { headers: { 'x-of': 'call' } })) texts.push(text);
  expect(texts).toEqual(['id\nmsg_1\n', 'id\nmsg_2\n']);
  expect(sent.map(({ headers }) => [headers.accept, headers['x-of']])).toEqual([
    ['text/csv', 'call'],
    ['text/csv', 'call'],
  ]);
  expect(new URL(sent[1]?.url ?? '').searchParams.get('cursor')).toBe('a b');
});
