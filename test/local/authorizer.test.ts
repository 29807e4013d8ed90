import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { makeAuthorizer, methodArn } from '../../infra/local/authorizer.ts';
import { refusalAnswer } from '../../infra/local/problems.ts';
import { authorizer } from '../../shared/runtime/authorizer.ts';

/** Calls the service's authorizer, without any credentials, through that of the local gateway. */
const authorize = (path: string) => {
  const credentials = { find: async () => undefined, ancestors: async () => [], account: async () => undefined };
  const uses = { note: async () => undefined };
  const known = authorizer({ env: 'test', credentials, uses, clock: () => 0, edge: 'none' });
  const invoke = (event: unknown) => known(event as APIGatewayRequestAuthorizerEvent);
  const headers = { Authorization: `Bearer svc_test_${'a'.repeat(43)}` };
  const event = { path, headers };
  return makeAuthorizer({ invoke }).authorize(headers.Authorization, () => event, methodArn('test', 'POST', path));
};

describe('an unknown credential', () => {
  test.each(['/v2/wallet', '/v1/messages'])('is refused as unauthorized by the gateway at %s', async (path) => {
    expect(await authorize(path)).toEqual({ kind: 'unauthorized' });
  });

  test('is answered with the codes of the contract that was called', () => {
    const answered = (instance: string) =>
      JSON.parse(refusalAnswer('unauthorized', { instance, requestId: 'r-1' }).body);
    expect(answered('/v1/messages')).toMatchObject({ status: 401, code: 'unauthorized', action: expect.any(String) });
    expect(answered('/v2/wallet')).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  });
});
