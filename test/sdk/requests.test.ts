import { describe, expect, it, vi } from 'vitest';
import { ConnectionError } from '../../sdk/typescript/src/index.ts';
import { clientOf, failure, json, never } from './kit.ts';

const done = json(200, { items: [], total: 0 });

describe('a request', () => {
  it('has the credential that its function returns at that moment, or none', async () => {
    const tokens = ['svc_session_1', undefined, 'svc_session_2'];
    const { messaging, sent } = clientOf([done], { apiKey: async () => tokens.shift() });
    for (const _ of [1, 2, 3]) await messaging.contacts.list();
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer svc_session_1',
      undefined,
      'Bearer svc_session_2',
    ]);
  });

  it('sends cookies where the client says so, and the headers of client and call', async () => {
    const { messaging, sent } = clientOf([done], {
      apiKey: undefined,
      credentials: 'include',
      headers: { 'x-csrf': '1', 'x-of': 'client' },
    });
    await messaging.contacts.list({}, { headers: { 'x-of': 'call' } });
    expect(sent[0]?.init.credentials).toBe('include');
    expect(sent[0]?.headers).toMatchObject({ 'x-csrf': '1', 'x-of': 'call', accept: 'application/json' });
    expect(sent[0]?.headers).not.toHaveProperty('authorization');
  });

  it('has the idempotency key that its caller chose', async () => {
    const { messaging, sent } = clientOf([json(201, {})]);
    await messaging.sms.send(
      { to: '+5511999990005', body: 'Olá!', route: 'premium' },
      { idempotencyKey: 'order-1842' },
    );
    expect(sent[0]?.headers['idempotency-key']).toBe('order-1842');
  });

  it('has a new key for each call, whatever the headers of the client say', async () => {
    const { messaging, sent } = clientOf([json(201, {})], { headers: { 'idempotency-key': 'one' } });
    for (const _ of [1, 2]) await messaging.sms.send({ to: '+5511999990005', body: 'Olá!', route: 'premium' });
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => bytes);
    await messaging.sms.send({ to: '+5511999990005', body: 'Olá!', route: 'premium' });
    expect(sent.at(-1)?.headers['idempotency-key']).toBe('0'.repeat(32));
  });

  it('goes below the path of the base address, with or without a slash, and to the own origin if that is empty', async () => {
    for (const [baseUrl, url] of [
      ['https://edge.example/messaging/', 'https://edge.example/messaging/v2/wallet'],
      ['https://edge.example', 'https://edge.example/v2/wallet'],
      ['', '/v2/wallet'],
    ] as const) {
      const { messaging, sent } = clientOf([json(200, {})], { baseUrl });
      await messaging.wallet.get();
      expect(sent[0]?.url).toBe(url);
    }
  });

  it('names what its parameters say and nothing else', async () => {
    const { messaging, sent } = clientOf([json(200, {})]);
    await messaging.contacts.get('../v2/wallet?a=b#c');
    expect(sent[0]?.url).toBe('https://messaging.example/contacts/..%2Fv2%2Fwallet%3Fa%3Db%23c');
    for (const id of ['', '.', '..']) {
      expect(() => messaging.contacts.delete(id)).toThrow('An id is missing');
      expect(() => messaging.contacts.get(undefined as never)).toThrow('An id is missing');
    }
    expect(sent).toHaveLength(1);
  });

  it('has the query parameters that have a value', async () => {
    const { messaging, sent } = clientOf([done]);
    await messaging.contacts.list({ tag: 'a&b=ç', skip: 0, q: undefined as never, externalId: null as never });
    expect(sent[0]?.url).toBe('https://messaging.example/contacts?tag=a%26b%3D%C3%A7&skip=0');
  });

  it('follows no redirect: a POST would become a GET', async () => {
    const { messaging, sent } = clientOf([
      new Response(null, { status: 301, headers: { location: 'https://other.example' } }),
    ]);
    expect(await failure(messaging.contacts.list())).toMatchObject({ status: 301, code: 'UNKNOWN' });
    expect(sent[0]?.init.redirect).toBe('manual');
    expect(sent).toHaveLength(1);
  });

  it('reaches a path that this version has no method for', async () => {
    const { messaging, sent } = clientOf([json(201, { id: 'new' })]);
    const made = await messaging.request<{ id: string }>('POST', '/v3/things', { body: { a: 1 }, keyed: true });
    expect(made.id).toBe('new');
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://messaging.example/v3/things', body: '{"a":1}' });
    expect(sent[0]?.headers['idempotency-key']).toBeDefined();
  });
});

it('a path that is open to everybody is called without the credential', async () => {
  const { messaging, sent } = clientOf([json(201, {})]);
  await messaging.request('POST', '/v2/sessions', { open: true });
  expect(sent[0]?.headers).not.toHaveProperty('authorization');
});

it('a client made from another has its options, except for the others given', async () => {
  const { messaging, sent } = clientOf([done]);
  await messaging.with({ apiKey: 'svc_test_other' }).contacts.list();
  expect(sent[0]).toMatchObject({
    url: 'https://messaging.example/contacts',
    headers: { authorization: 'Bearer svc_test_other' },
  });
});

describe('an answer', () => {
  it('that does not say that it is JSON is its text', async () => {
    const { messaging } = clientOf([new Response('12', { headers: { 'content-type': 'text/plain' } })]);
    expect(await messaging.request('GET', '/v2/text')).toBe('12');
  });

  it('without a body is undefined', async () => {
    const { messaging } = clientOf([new Response(null, { status: 204 })]);
    expect(await messaging.contacts.delete('cnt_1')).toBeUndefined();
  });

  it('that does not arrive in time, or not completely, is a ConnectionError that states this', async () => {
    const stalled = () => new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array([123])) }));
    const half: typeof never = (_, signal) => {
      const response = stalled();
      const text = () =>
        new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return Object.assign(response, { text });
    };
    for (const reply of [never, half]) {
      // The time of the call comes before that of the client.
      const { messaging } = clientOf([reply], { timeoutMs: 60_000, maxRetries: 0 });
      const error = await failure(messaging.contacts.get('cnt_1', { timeoutMs: 20 }));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({
        reason: 'timeout',
        message: 'GET https://messaging.example/contacts/cnt_1: no answer within 20 ms.',
      });
    }
  });

  it('of a connection that fails is a ConnectionError with its cause', async () => {
    const cause = new TypeError('fetch failed');
    const { messaging } = clientOf([cause], { maxRetries: 0 });
    expect(await failure(messaging.wallet.get())).toMatchObject({ name: 'ConnectionError', reason: 'network', cause });
  });
});
