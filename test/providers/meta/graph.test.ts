import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { describeGraphError, openGraph } from '../../../shared/providers/meta/graph.ts';
import { listening } from '../../support/loopback.ts';
import { io, NOW } from '../../support/providers/kit.ts';
import { use } from '../../support/use.ts';

/** A server that answers by a script and records its requests. */
const answers: { status: number; headers?: Record<string, string>; body: string }[] = [];
const requests: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
const handle = (request: IncomingMessage, response: ServerResponse) =>
  void text(request).then((body) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    const { status, headers = {}, body: answer } = answers.shift() ?? { status: 200, body: '{}' };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(answer);
  });
const server = await use(listening(createServer(handle)));
const TOKEN = 'EAAG-secret';
const graph = () =>
  openGraph(io, {
    accessToken: TOKEN,
    baseUrl: `${server.url}/`,
    version: 'v24.0',
    timeoutMs: 10_000,
  });
const anything = z.object({ id: z.string() });
const error = (fields: object) => JSON.stringify({ error: { message: 'about +5511900000000', ...fields } });

it('sends to the path of the version, with the token in a header alone', async () => {
  answers.push({ status: 200, body: '{"id":"1","more":true}' });
  expect(
    await graph().request('GET', '/123/things', anything, { query: { fields: 'a,b', limit: 5, none: undefined } }),
  ).toEqual({ kind: 'ok', value: { id: '1' } });
  const request = requests.at(-1);
  expect(request).toMatchObject({ method: 'GET', url: '/v24.0/123/things?fields=a%2Cb&limit=5' });
  expect(request?.headers.authorization).toBe(`Bearer ${TOKEN}`);
});

it('sends JSON, forms, streams and deletions', async () => {
  const stream = ReadableStream.from([Buffer.from('half '), Buffer.from('and half')]);
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  await graph().request('POST', '1', anything, { json: { a: 'ç' } });
  expect(requests.at(-1)).toMatchObject({ body: '{"a":"ç"}', headers: { 'content-type': 'application/json' } });
  await graph().request('POST', '1', anything, { stream: { body: stream, contentType: 'image/png', length: 13 } });
  expect(requests.at(-1)).toMatchObject({
    body: 'half and half',
    headers: { 'content-type': 'image/png', 'content-length': '13' },
  });
  await graph().request('POST', '1', anything, { form });
  expect(String(requests.at(-1)?.headers['content-type'])).toMatch(/^multipart\/form-data; boundary=/);
  await graph().request('DELETE', '1', anything);
  expect(requests.at(-1)?.method).toBe('DELETE');
});

it.each([200, 400, 403, 500])('reads an error of the Graph API, whatever its status: %i', async (status) => {
  const fields = { type: 'OAuthException', code: 190, error_subcode: 463, is_transient: true, fbtrace_id: 'AbC-_1' };
  answers.push({ status, body: error({ ...fields, error_data: { details: 'why' } }) });
  expect(await graph().request('GET', '1', anything)).toEqual({
    kind: 'error',
    httpStatus: status,
    code: 190,
    subcode: 463,
    message: 'about +5511900000000',
    details: 'why',
    isTransient: true,
    fbtraceId: 'AbC-_1',
  });
});

it('says how long to wait, by Retry-After or by the usage header of the business account', async () => {
  const usage = (minutes: readonly number[]) =>
    JSON.stringify({
      102290129340398: minutes.map((each) => ({ type: 'whatsapp', estimated_time_to_regain_access: each })),
    });
  const waits = [
    [{ 'retry-after': '9' }, 9],
    [{ 'retry-after': new Date(NOW + 4_000).toUTCString() }, 4],
    [{ 'x-business-use-case-usage': usage([0, 3]) }, 180],
    [{ 'x-business-use-case-usage': usage([0]) }, undefined],
    [{ 'x-business-use-case-usage': 'no JSON' }, undefined],
    [{ 'x-business-use-case-usage': '{"1":[{"estimated_time_to_regain_access":-1}]}' }, undefined],
    [{}, undefined],
  ] as const;
  for (const [headers, seconds] of waits) {
    answers.push({ status: 400, headers, body: error({ code: 80007 }) });
    const reply = await graph().request('GET', '1', anything);
    expect(reply.kind === 'error' && reply.retryAfterSeconds).toBe(seconds);
  }
});

it.each([
  [200, '{"id":1}'],
  [200, '{"half": '],
  [500, '<html>'],
  [404, '{}'],
  [200, '{"error":"no object"}'],
])('calls an answer of another form unreadable: %i %s', async (status, body) => {
  answers.push({ status, body });
  expect(await graph().request('GET', '1', anything)).toEqual({ kind: 'unreadable', httpStatus: status });
});

it('describes an error by what may be logged alone', () => {
  const summary = describeGraphError({
    kind: 'error',
    httpStatus: 400,
    code: 100,
    subcode: 33,
    message: 'about +5511900000000',
    isTransient: false,
    fbtraceId: 'AbC',
  });
  expect(summary).toBe('meta: HTTP 400 code 100/33 (trace AbC)');
});
