import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { makeAuthorizer, methodArn } from '../../infra/local/authorizer.ts';
import { refusalAnswer } from '../../infra/local/problems.ts';
import { authorizer } from '../../shared/runtime/authorizer.ts';

/** Asks the service's own authorizer, where nobody is known, through the local gateway's. */
const ask = (path: string) => {
  const credentials = { find: async () => undefined, account: async () => undefined };
  const known = authorizer({ env: 'test', credentials, clock: () => 0 });
  const invoke = (event: unknown) => known(event as APIGatewayRequestAuthorizerEvent);
  const headers = { Authorization: `Bearer svc_test_${'a'.repeat(43)}` };
  const event = { path, headers };
  return makeAuthorizer({ invoke }).ask(headers.Authorization, () => event, methodArn('test', 'POST', path));
};

describe('an unknown credential', () => {
  test('is refused by the word that the gateway knows, and under /v1 by a denial of every route', async () => {
    expect(await ask('/v2/wallet')).toEqual({ kind: 'unauthorized' });
    const verdict = await ask('/v1/messages');
    expect(verdict).toMatchObject({ kind: 'known' });
    for (const path of ['/v1/messages', '/v2/wallet'])
      expect(verdict.kind === 'known' && verdict.allows(methodArn('test', 'POST', path))).toBe(false);
  });

  test('reads the same under /v1, whether it was denied or refused', () => {
    const at = { instance: '/v1/messages', requestId: 'r-1' };
    expect(refusalAnswer('denied', at)).toEqual(refusalAnswer('unauthorized', at));
    expect(JSON.parse(refusalAnswer('denied', at).body)).toMatchObject({
      status: 401,
      code: 'unauthorized',
      action: expect.any(String),
    });
  });
});
