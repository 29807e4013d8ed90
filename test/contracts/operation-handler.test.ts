import type { APIGatewayProxyEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineOperation } from '../../shared/contracts/define-operation.ts';
import { refuse, Unavailable } from '../../shared/domain/core/errors.ts';

Object.assign(process.env, {
  STAGE: 'test',
  TABLE_NAME: 'none',
  LIVE_TABLE_NAME: 'none',
  PUBLIC_URL: 'http://127.0.0.1:9',
});
const { operation, orNotFound, respond } = await import('../../shared/runtime/operation.ts');
const { logger } = await import('../../shared/wiring/process/observe.ts');
const { addLogFields, finishBeforeAnswer } = await import('../../shared/wiring/process/scope.ts');

const contract = defineOperation({
  id: 'probe.read',
  method: 'GET',
  path: '/probe',
  tag: 'Service',
  summary: 'Probe',
  permission: 'public',
  request: {},
  responses: { 201: z.object({ name: z.string() }) },
  errors: ['NOT_FOUND'],
  uses: { table: 'none' },
});
const event = { path: '/probe', headers: {}, requestContext: { requestId: 'req' } } as unknown as APIGatewayProxyEvent;
const named = (name: string) => ({ name });
const fail = () => Promise.reject(new Error('canary'));

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(logger, level).mockImplementation(
      (message, ...extra: unknown[]) => void lines.push(Object.assign({ message }, ...extra)),
    );
});

describe('a handler', () => {
  it("answers a rule's result, as presented, with the contract's status", async () => {
    const { statusCode, headers, body } = await operation(contract, () => 'x', named)(event);
    expect([statusCode, headers?.['content-type'], body]).toEqual([201, 'application/json', '{"name":"x"}']);
  });

  it('answers with the headers that are presented with the body', async () => {
    const { headers } = await operation(contract, () => respond(201, named('x'), { 'cache-control': 'max-age=1' }))(
      event,
    );
    expect(headers).toMatchObject({ 'cache-control': 'max-age=1', 'x-request-id': 'req' });
  });

  it('answers a refusal without calling the presenter', async () => {
    const present = vi.fn(named);
    const none = async (): Promise<string | undefined> => undefined;
    const absent = await operation(contract, () => none().then(orNotFound('None.')), present)(event);
    const refused = await operation(contract, () => refuse('NOT_FOUND', 'None.'), present)(event);
    expect([absent.statusCode, refused.statusCode]).toEqual([404, 404]);
    expect(absent.body).toBe(refused.body);
    expect(present).not.toHaveBeenCalled();
  });

  it.each([
    ['a rule that fails', operation(contract, fail)],
    ['a view that fails', operation(contract, () => 'x', fail)],
  ])('answers %s with 500 without its cause, and logs the request', async (_, handler) => {
    const { statusCode, headers, body } = await handler(event);
    expect([statusCode, headers?.['content-type']]).toEqual([500, 'application/problem+json']);
    expect(body).not.toContain('canary');
    expect(lines).toMatchObject([
      { message: 'fault', fault: 'Error' },
      { message: 'request', status: 500 },
    ]);
  });

  it('answers an unavailable dependency with 503 and Retry-After', async () => {
    const away = operation(contract, () => Promise.reject(new Unavailable('away', { retryAfterSeconds: 7 })));
    expect(await away(event)).toMatchObject({ statusCode: 503, headers: { 'retry-after': '7' } });
  });

  it('answers and logs only when background work has ended, and keeps invocations apart', async () => {
    const ended: string[] = [];
    const handler = operation(contract, ({ event: { path } }) => {
      finishBeforeAnswer(new Promise((resolve) => setTimeout(resolve, 20)).then(() => void ended.push(path)));
      addLogFields({ path });
      return named(path);
    });
    const paths = ['/a', '/b'];
    await Promise.all(
      paths.map(async (path) => {
        await handler({ ...event, path });
        expect(ended).toContain(path);
      }),
    );
    expect(lines.map(({ path }) => path).sort()).toEqual(paths);
  });
});
