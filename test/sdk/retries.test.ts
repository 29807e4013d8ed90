import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientOf, failure, json, never, problem } from './kit.ts';

const send = { to: '+5511999990005', body: 'Olá!', route: 'premium' } as const;
const busy = (headers: Record<string, string> = {}) => problem(503, 'SERVICE_UNAVAILABLE', {}, headers);
const down = new TypeError('fetch failed');
const done = json(200, { items: [], total: 0 });

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-03-02T14:05:09.120Z') }));
afterEach(() => void vi.useRealTimers());

/** Completes a call, and returns the milliseconds that it waited before each retry. */
const waits = async (call: () => PromiseLike<unknown>): Promise<{ outcome: unknown; waited: number[] }> => {
  const spy = vi.spyOn(globalThis, 'setTimeout').mockClear();
  const outcome = Promise.resolve(call()).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  const waited = spy.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms !== 30_000);
  return { outcome: await outcome, waited };
};

describe('a request is repeated', () => {
  it.each([429, 502, 503, 504])('after %i where its method may be repeated', async (status) => {
    const { messaging, sent } = clientOf([problem(status, 'X'), done]);
    const { outcome } = await waits(() => messaging.contacts.list());
    expect(outcome).toEqual({ items: [], total: 0 });
    expect(sent).toHaveLength(2);
  });

  it('after a connection that failed, and one that did not answer in time', async () => {
    const { messaging, sent } = clientOf([down, never, done]);
    expect((await waits(() => messaging.contacts.list())).outcome).toEqual({ items: [], total: 0 });
    expect(sent).toHaveLength(3);
  });

  it('of GET, PUT and DELETE, and of what has an idempotency key, the same each time', async () => {
    const { messaging, sent } = clientOf([down, busy(), json(201, { id: 'msg_1' })]);
    for (const call of [
      () => messaging.lists.replaceMembers('lst_1', { contactIds: [] }),
      () => messaging.contacts.delete('cnt_1'),
      () => messaging.sms.send(send),
    ]) {
      const before = sent.length;
      await waits(call);
      const [first, ...repeats] = sent.slice(before);
      expect(repeats.map(({ method, url, body, headers }) => ({ method, url, body, headers }))).toEqual(
        repeats.map(() => ({ method: first?.method, url: first?.url, body: first?.body, headers: first?.headers })),
      );
    }
    expect(sent).toHaveLength(3 + 1 + 1);
    expect(sent[4]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('while the first request with its key is still running', async () => {
    const running = problem(409, 'CONFLICT', { meta: { code: 'EM_ANDAMENTO' } }, { 'retry-after': '2' });
    const { messaging, sent } = clientOf([down, running, json(201, { id: 'msg_1' })]);
    const { outcome } = await waits(() => messaging.sms.send(send));
    expect(outcome).toEqual({ id: 'msg_1' });
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});

describe('a deletion whose response was lost', () => {
  it.each([
    ['by a connection that failed', down],
    ['by a time-out', never],
    ['by a gateway', new Response('', { status: 502 })],
    ['by the time-out of a gateway', new Response('', { status: 504 })],
  ])('%s is not an error: the object is gone', async (_, lost) => {
    const { messaging, sent } = clientOf([lost, problem(404, 'NOT_FOUND')]);
    expect((await waits(() => messaging.contacts.delete('cnt_1'))).outcome).toBeUndefined();
    expect(sent).toHaveLength(2);
  });

  it('is 404 if nothing was deleted: on the first attempt, after a refusal, and for other methods', async () => {
    const missing = problem(404, 'NOT_FOUND');
    for (const replies of [[missing], [busy(), missing], [problem(429, 'RATE_LIMITED'), missing]]) {
      const { messaging } = clientOf(replies);
      expect((await waits(() => messaging.contacts.delete('cnt_1'))).outcome).toMatchObject({ code: 'NOT_FOUND' });
    }
    const { messaging } = clientOf([down, missing]);
    expect((await waits(() => messaging.contacts.get('cnt_1'))).outcome).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is not an error either if the service was busy meanwhile', async () => {
    for (const replies of [
      [down, busy()],
      [busy(), down],
    ]) {
      const { messaging, sent } = clientOf([...replies, problem(404, 'NOT_FOUND')]);
      expect((await waits(() => messaging.contacts.delete('cnt_1'))).outcome).toBeUndefined();
      expect(sent).toHaveLength(3);
    }
  });

  it('throws any other refusal', async () => {
    const { messaging } = clientOf([down, problem(403, 'FORBIDDEN')]);
    expect((await waits(() => messaging.contacts.delete('cnt_1'))).outcome).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('a request is not repeated', () => {
  it.each(['POST', 'PATCH'])('that may have two effects: %s without an idempotency key', async (method) => {
    for (const reply of [down, busy()]) {
      const { messaging, sent } = clientOf([reply, done]);
      const call = () =>
        method === 'POST'
          ? messaging.contacts.create({ phone: '+5511999991234' })
          : messaging.contacts.change('cnt_1', {});
      expect((await waits(call)).outcome).toBeInstanceOf(Error);
      expect(sent).toHaveLength(1);
    }
  });

  it.each([400, 401, 402, 403, 404, 409, 412, 422, 500])('after %i: the answer would be the same', async (status) => {
    const { messaging, sent } = clientOf([problem(status, 'X'), done]);
    expect((await waits(() => messaging.sms.send(send))).outcome).toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });

  it('more often than allowed: three times unless the client or the call specifies otherwise', async () => {
    const { messaging, sent } = clientOf([busy()]);
    expect((await waits(() => messaging.contacts.list())).outcome).toMatchObject({ status: 503 });
    expect(sent).toHaveLength(4);
    await waits(() => messaging.contacts.list({}, { maxRetries: 1 }));
    expect(sent).toHaveLength(4 + 2);
    const patient = messaging.with({ maxRetries: 0 });
    await waits(() => patient.contacts.list());
    expect(sent).toHaveLength(4 + 2 + 1);
    await waits(() => patient.contacts.list({}, { maxRetries: 1 }));
    expect(sent).toHaveLength(4 + 2 + 1 + 2);
  });

  it('whose body was a stream: it is gone', async () => {
    const { messaging, sent } = clientOf([busy(), done]);
    const binary = { contentType: 'image/png', data: new Blob(['a']).stream() } as const;
    const call = () => messaging.request('PUT', '/bytes', { binary });
    expect((await waits(call)).outcome).toMatchObject({ status: 503 });
    expect(sent).toMatchObject([{ body: 'a', headers: { 'content-type': 'image/png' } }]);
  });
});

describe('the wait before a repeat', () => {
  it('doubles from half a second to eight seconds, of which half is random', async () => {
    const random = vi.spyOn(Math, 'random');
    const waitsOf = async (value: number) => {
      random.mockReturnValue(value);
      const { messaging } = clientOf([busy()]);
      return (await waits(() => messaging.contacts.list({}, { maxRetries: 6 }))).waited;
    };
    expect(await waitsOf(0)).toEqual([250, 500, 1000, 2000, 4000, 4000]);
    expect(await waitsOf(1)).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  });

  it.each([
    ['in seconds', { 'retry-after': '7' }, 7_250],
    [
      'as a date, by the clock of the answer',
      { 'retry-after': 'Mon, 02 Mar 2026 03:00:07 GMT', date: 'Mon, 02 Mar 2026 03:00:00 GMT' },
      7_250,
    ],
    ['as a date, by the own clock', { 'retry-after': 'Mon, 02 Mar 2026 14:05:16 GMT' }, 6_880 + 250],
    ['as a date that is over', { 'retry-after': 'Mon, 02 Mar 2026 14:05:00 GMT' }, 500],
  ])('is Retry-After plus a random part: %s', async (_, headers, longest) => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { messaging } = clientOf([busy(headers as Record<string, string>), done]);
    expect((await waits(() => messaging.contacts.list())).waited).toEqual([longest]);
  });

  it.each(['soon', '', '-1'])('goes by its own rule where Retry-After is %j', async (value) => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { messaging } = clientOf([busy({ 'retry-after': value }), done]);
    expect((await waits(() => messaging.contacts.list())).waited).toEqual([500]);
  });

  it('never exceeds the bound: a response that demands more is thrown immediately, with the requested time', async () => {
    const { messaging, sent } = clientOf([busy({ 'retry-after': '61' }), done]);
    const { outcome, waited } = await waits(() => messaging.contacts.list());
    expect(outcome).toMatchObject({ status: 503, retryAfterSeconds: 61 });
    expect({ waited, sent: sent.length }).toEqual({ waited: [], sent: 1 });

    const patient = clientOf([busy({ 'retry-after': '61' }), done], { maxWaitMs: 61_000 });
    expect((await waits(() => patient.messaging.contacts.list())).outcome).toEqual({ items: [], total: 0 });
  });

  it('never exceeds the bound by its own rule either, also after a connection that failed', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    for (const failed of [down, busy({ 'retry-after': '0' })]) {
      const { messaging } = clientOf([failed, done], { maxWaitMs: 400 });
      expect((await waits(() => messaging.contacts.list())).waited).toEqual([400]);
    }
  });
});

describe('a signal', () => {
  it('ends a wait, and the call throws its reason', async () => {
    const { messaging, sent } = clientOf([busy({ 'retry-after': '30' }), done]);
    const controller = new AbortController();
    const outcome = failure(messaging.contacts.list({}, { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort(new Error('left the page'));
    expect(await outcome).toEqual(new Error('left the page'));
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends a wait without another attempt if it was aborted just before it', async () => {
    const controller = new AbortController();
    const reply = () => {
      controller.abort(new Error('left the page'));
      return new Response('', { status: 503 });
    };
    const { messaging, sent } = clientOf([reply, done]);
    expect(await failure(messaging.contacts.list({}, { signal: controller.signal }))).toEqual(
      new Error('left the page'),
    );
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps nothing of the calls that are over', async () => {
    const controller = new AbortController();
    const [added, removed] = ['addEventListener', 'removeEventListener'].map((name) =>
      vi.spyOn(controller.signal, name as 'addEventListener'),
    );
    const { messaging } = clientOf([busy(), done]);
    await waits(() => messaging.contacts.list({}, { signal: controller.signal }));
    expect(added?.mock.calls.map(([, listener]) => listener)).toHaveLength(3);
    expect(removed?.mock.calls.map(([, listener]) => listener)).toEqual(
      added?.mock.calls.map(([, listener]) => listener),
    );
  });

  it('ends an attempt, which is not repeated', async () => {
    const { messaging, sent } = clientOf([never, done]);
    const controller = new AbortController();
    const outcome = failure(messaging.contacts.list({}, { signal: controller.signal, maxRetries: 0 }));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort(new Error('left the page'));
    expect(await outcome).toEqual(new Error('left the page'));
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that was aborted before sends nothing', async () => {
    const { messaging, sent } = clientOf([done]);
    expect(await failure(messaging.contacts.list({}, { signal: AbortSignal.abort() }))).toMatchObject({
      name: 'AbortError',
    });
    expect(sent).toEqual([]);
  });
});
