import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { isProblem, MessagingError, ProblemError } from '../../sdk/typescript/src/index.ts';
import { SUB_CODES } from '../../sdk/typescript/src/problem-meta.ts';
import { clientOf, failure, problem } from './kit.ts';

const thrown = (...replies: Parameters<typeof clientOf>[0]): Promise<unknown> =>
  failure(clientOf(replies, { maxRetries: 0 }).messaging.contacts.create({ phone: '+5511999991234' }));

describe('a problem', () => {
  it('has all that its document says', async () => {
    const errors = [{ path: 'to', message: 'must be an existing number in E.164' }];
    const error = await thrown(
      problem(422, 'VALIDATION_ERROR', { errors, meta: { motivo: 'opt_out' }, action: 'Stop.' }),
    );
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toBeInstanceOf(MessagingError);
    expect(error).toMatchObject({
      name: 'ProblemError',
      message: 'Title: Detail.',
      code: 'VALIDATION_ERROR',
      status: 422,
      title: 'Title',
      detail: 'Detail.',
      type: '/docs/errors/x',
      requestId: 'req_1',
      errors,
      meta: { motivo: 'opt_out' },
      action: 'Stop.',
    });
  });

  it('without paths and sub-codes has empty ones, so that they can be read without checks', async () => {
    expect(await thrown(problem(404, 'NOT_FOUND'))).toMatchObject({
      errors: [],
      meta: {},
      retryAfterSeconds: undefined,
    });
  });

  it('says how long to wait', async () => {
    const error = await thrown(problem(429, 'RATE_LIMITED', {}, { 'retry-after': '12' }));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 12 });
    const over = await thrown(problem(429, 'RATE_LIMITED', {}, { 'retry-after': new Date(0).toUTCString() }));
    expect(over).toMatchObject({ retryAfterSeconds: 0 });
  });

  it('for a response that is not a problem document is UNKNOWN, with the status and the request', async () => {
    const replies = [
      new Response('<html>', { status: 502, headers: { 'content-type': 'text/html', 'x-request-id': 'req_9' } }),
      new Response('{"message":"Forbidden"}', { status: 403, headers: { 'content-type': 'application/json' } }),
      new Response('{"half":', { status: 500, headers: { 'content-type': 'application/json' } }),
      new Response('null', { status: 500, headers: { 'content-type': 'application/json' } }),
    ];
    for (const reply of replies) {
      const error = await thrown(reply);
      expect(error).toMatchObject({
        code: 'UNKNOWN',
        status: reply.status,
        title: `HTTP ${reply.status}`,
        meta: {},
        errors: [],
      });
      expect((error as ProblemError).requestId).toBe(reply.headers.get('x-request-id') ?? undefined);
    }
  });

  it('has the status of its answer, and the request that its document names', async () => {
    const error = await thrown(problem(409, 'CONFLICT', { status: 200 }, { 'x-request-id': 'req_of_the_proxy' }));
    expect(error).toMatchObject({ code: 'CONFLICT', status: 409, requestId: 'req_1' });
  });

  it('keeps a code that this version does not know', async () => {
    expect(await thrown(problem(418, 'TEAPOT'))).toMatchObject({ code: 'TEAPOT', status: 418 });
  });

  it('is narrowed by its code, to the sub-codes and ids of the code', async () => {
    const error = await thrown(
      problem(409, 'CONFLICT', { meta: { code: 'TELEFONE_JA_CADASTRADO', contactId: 'cnt_1' } }),
    );
    if (!isProblem(error)) throw error;
    if (error.code === 'CONFLICT') {
      expectTypeOf(error.meta.contactId).toEqualTypeOf<string | undefined>();
      expect(error.meta.contactId).toBe('cnt_1');
    }
    expect(isProblem(error, 'CONFLICT')).toBe(true);
    expect(isProblem(error, 'NOT_FOUND')).toBe(false);
    expect(isProblem(new Error('CONFLICT'))).toBe(false);
    if (isProblem(error, 'PRECONDITION_FAILED')) expectTypeOf(error.meta.maxCoins).toEqualTypeOf<number | undefined>();
  });
});

it('the sub-codes of the types are those of the table in the documentation', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/spec/errors.md'), 'utf8');
  const statuses = { FORBIDDEN: 403, CONFLICT: 409, PRECONDITION_FAILED: 412, VALIDATION_ERROR: 422 } as const;
  const documented = [...page.matchAll(/^\| (\d{3}) `meta\.(code|motivo)` \| ([^|]+) \|/gm)].flatMap(
    ([, status, field, values = '']) =>
      [...values.matchAll(/`(\w+)`/g)].map(([, value]) => `${status} ${field} ${value}`),
  );
  const typed = Object.entries(SUB_CODES).flatMap(([code, fields]) =>
    Object.entries(fields).flatMap(([field, values]) =>
      (values as readonly string[]).map((value) => `${statuses[code as keyof typeof statuses]} ${field} ${value}`),
    ),
  );
  expect(documented.length).toBeGreaterThan(20);
  expect(typed.sort()).toEqual(documented.sort());
});
