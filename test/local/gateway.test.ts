import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { startTestStack, tempDir } from '../support/local-stack.ts';
import { use } from '../support/use.ts';
import { fixtureStack } from './fixtures/operations.ts';

const LIMIT = 6_291_456;
const KEY = { authorization: 'Bearer svc_live_1' };
/** The response of the fixture that shows its event. */
interface Shown {
  readonly event: APIGatewayProxyEvent;
  readonly stage: string;
  readonly imported: number;
}

const folder = await tempDir();
afterAll(() => rm(folder, { recursive: true, force: true }));
const localStack = await use(startTestStack({ ...fixtureStack(join(folder, 'dist')), background: false }));
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const call = (path: string, init?: RequestInit) => fetch(`${localStack.url}${path}`, init);
const show = async (path: string, init?: RequestInit) => (await call(path, init)).json() as Promise<Shown>;

/** Sends exact bytes that fetch would normalize; answers with all that came back. */
const raw = async (text: string): Promise<string> => {
  const socket = connect(Number(new URL(localStack.url).port), '127.0.0.1');
  socket.end(text);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await once(socket, 'close');
  return answer;
};

describe('the event', () => {
  it('is that of a REST API proxy integration', async () => {
    const { event } = await show('/echo?a=1&a=2&b=x%20y&c=%2B+&d', { headers: { 'X-Mixed-Case': 'kept' } });
    expect(event).toMatchObject({
      resource: '/echo',
      path: '/echo',
      httpMethod: 'GET',
      queryStringParameters: { a: '2', b: 'x y', c: '+ ', d: '' },
      multiValueQueryStringParameters: { a: ['1', '2'], b: ['x y'] },
      pathParameters: null,
      body: null,
      isBase64Encoded: false,
      requestContext: {
        requestId: expect.stringMatching(/^req_[0-9A-Za-z]{21}$/),
        identity: { sourceIp: '127.0.0.1' },
        stage: 'live',
        resourcePath: '/echo',
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      },
    });
    expect(Object.keys(event.headers)).toContain('X-Mixed-Case');
    expect(event.multiValueHeaders['X-Mixed-Case']).toEqual(['kept']);
  });

  it('names HEAD as its method, with the route of GET', async () => {
    const { headers } = await call('/echo?a=1', { method: 'HEAD' });
    expect(headers.get('x-method')).toBe('HEAD HEAD /echo');
  });

  it('keeps repeated headers apart', async () => {
    const answer = await raw('GET /echo HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nX-A: 2\r\nConnection: close\r\n\r\n');
    const { event } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect([event.headers['X-A'], event.multiValueHeaders['X-A']]).toEqual(['2', ['1', '2']]);
  });

  it('contains decoded path parameters', async () => {
    const { event } = await show('/things/caf%C3%A9/parts/a%2Fb');
    expect(event.pathParameters).toEqual({ thingId: 'café', partId: 'a/b' });
    expect(event.resource).toBe('/things/{thingId}/parts/{partId}');
  });

  it.each([
    ['text/plain', Buffer.from('Olá'), false],
    ['application/json; charset=utf-8', Buffer.from('{"a":1}'), false],
    ['application/vnd.api+json', Buffer.from('{}'), false],
    ['application/x-www-form-urlencoded', Buffer.from('a=b'), false],
    ['application/octet-stream', Buffer.from([0, 255, 1]), true],
    ['multipart/form-data; boundary=x', Buffer.from('--x--'), true],
    ['application/json', Buffer.from([0xc3, 0x28]), true],
  ])('loses no byte of a body of type %s', async (type, body, base64) => {
    const { event } = await show('/private', { method: 'POST', headers: { ...KEY, 'content-type': type }, body });
    expect(event.isBase64Encoded).toBe(base64);
    expect(Buffer.from(event.body ?? '', base64 ? 'base64' : 'utf8')).toEqual(body);
  });
});

describe('the response', () => {
  it('has the status, repeated headers and bytes of the function', async () => {
    const body = Buffer.from([0, 1, 254, 255]);
    const response = await call('/echo', { method: 'POST', body, headers: { 'content-type': 'image/png' } });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-twice')).toBe('one, two');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(body);
  });

  it.each([
    ['/faulty?how=throw', 500, 'INTERNAL_ERROR'],
    ['/faulty?how=nonsense', 500, 'INTERNAL_ERROR'],
    ['/absent', 500, 'INTERNAL_ERROR'],
    ['/faulty?how=slow', 503, 'SERVICE_UNAVAILABLE'],
    ['/nowhere', 404, 'NOT_FOUND'],
    ['/echo?a=%zz', 400, 'BAD_REQUEST'],
    ['/things/%zz/parts/1', 400, 'BAD_REQUEST'],
  ])('is a problem document at %s', async (path, status, code) => {
    const response = await call(path);
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(text)).toMatchObject({
      status,
      code,
      instance: path.split('?')[0],
      requestId: response.headers.get('x-request-id'),
    });
    expect(text).not.toContain('inner secret');
  });

  it('of a failed function has its error in the log only', () => {
    expect(readFileSync(join(localStack.dataDir, 'functions.log'), 'utf8')).toContain('inner secret');
  });

  it.each(['DELETE', 'OPTIONS'])('is 405 with Allow to %s if only other methods exist', async (method) => {
    const response = await call('/echo', { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect(await response.json()).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
  });

  it('HEAD has the status and headers of GET, and no body', async () => {
    const [get, head] = [await call('/echo?a=1'), await call('/echo?a=1', { method: 'HEAD' })];
    expect(head.status).toBe(get.status);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await head.text()).toBe('');
  });

  it('is 404 or 400 for targets that are not paths', async () => {
    expect(await raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain(' 404 ');
    expect(await raw('GET http://x/echo?a=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain(' 200 ');
    expect(await raw('GET http://x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain(' 404 ');
    expect(await raw('nonsense\r\n\r\n')).toContain(' 400 ');
  });
});

describe('a body over 6,291,456 bytes', () => {
  it('is 413, unlike a body of that size', async () => {
    const send = (size: number) =>
      call('/echo', { method: 'POST', body: Buffer.alloc(size, 'a'), headers: { 'content-type': 'text/plain' } });
    expect((await send(LIMIT)).status).toBe(201);
    const response = await send(LIMIT + 1);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      code: 'BAD_REQUEST',
      detail: expect.stringContaining('/media/uploads'),
    });
  });

  it('is 413 while it is streamed without a length', async () => {
    const request = httpRequest(`${localStack.url}/echo`, { method: 'POST' });
    request.on('error', () => undefined);
    const chunk = Buffer.alloc(1_000_000, 'a');
    for (let sent = 0; sent < 8; sent++) request.write(chunk);
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(413);
    request.destroy();
  });

  it('is 413 before it is sent, to a client that expects 100-continue', async () => {
    const headers = { expect: '100-continue', 'content-length': String(LIMIT + 1) };
    const request = httpRequest(`${localStack.url}/echo`, { method: 'POST', headers });
    request.on('error', () => undefined);
    let continued = false;
    request.on('continue', () => {
      continued = true;
    });
    request.flushHeaders();
    const [response] = await once(request, 'response');
    expect([response.statusCode, continued]).toEqual([413, false]);
    request.destroy();
  });
});

describe('the authorizer', () => {
  const post = (authorization?: string) =>
    call('/private', { method: 'POST', ...(authorization ? { headers: { authorization } } : {}) });

  it.each([
    [undefined, 401],
    ['Bearer nonsense', 401],
    ['Bearer svc_live_denied', 401],
    ['Bearer svc_live_broken', 503],
    ['Bearer svc_live_good', 200],
  ])('answers %j with %i', async (authorization, status) => {
    const answer = await post(authorization);
    expect(answer.status).toBe(status);
    // RFC 9110, 15.5.2
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  });

  it('passes its context to the function, and is called once for a repeated credential', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post('Bearer svc_test_again')));
    const events = (await Promise.all(answers.map((answer) => answer.json()))) as Shown[];
    expect(events[0]?.event.requestContext.authorizer).toMatchObject({
      organizationId: 'org_1',
      env: 'test',
      scopes: 'a b',
    });
    expect(new Set(events.map(({ event }) => event.requestContext.authorizer?.calls)).size).toBe(1);
  });
});

it('serves each stage from module instances of its own', async () => {
  const [live, test] = [await show('/r/l1'), await show('/r/t1')];
  expect([live.stage, test.stage]).toEqual(['live', 'test']);
  expect(live.imported).not.toBe(test.imported);
  expect((await show('/r/l2')).imported).toBe(live.imported);
});

describe('a malformed request', () => {
  it.each([
    ['headers beyond their limit', `GET /echo HTTP/1.1\r\nhost: a\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['something other than HTTP', 'HELLO\r\n\r\n'],
    ['a header without a name', 'GET /echo HTTP/1.1\r\nhost: a\r\n: b\r\n\r\n'],
    ['no Host', 'GET /echo HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['a request for a tunnel', 'CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('with %s is answered with a problem document', async (_, text) => {
    const answer = await raw(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('application/problem+json');
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  });

  it('with headers that are too long is answered with the limit', async () => {
    expect(await raw(`GET /echo HTTP/1.1\r\nhost: a\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`)).toContain('16 KB');
  });

  it('is not made by an unknown expectation: the request is served', async () => {
    const answer = await raw('GET /echo HTTP/1.1\r\nhost: a\r\nexpect: 200-ok\r\nconnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});
