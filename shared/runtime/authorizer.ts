import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { authenticate, type CredentialReader } from '../domain/access/credentials.ts';
import type { Environment } from '../domain/core/actor.ts';
import type { Clock } from '../domain/core/time.ts';
import { toContext } from './caller.ts';
import { authorizationOf } from './headers.ts';
import { lambda } from './lambda.ts';

/** Every route of the stage: the gateway caches the policy per credential, so a policy for one route would deny the others. */
const wholeStage = (methodArn: string): string => `${methodArn.split('/').slice(0, 2).join('/')}/*/*`;

const allow = (principalId: string, methodArn: string): APIGatewayAuthorizerResult => ({
  principalId,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: wholeStage(methodArn) }],
  },
});

/**
 * Makes the gateway's REQUEST authorizer of a stage. An unidentified caller is answered 401 by the error `Unauthorized`, whatever the cause; a
 * failing table is an error, not a denial. Scopes are checked by the operation.
 */
export const authorizer = ({
  env,
  credentials,
  clock,
}: {
  readonly env: Environment;
  readonly credentials: CredentialReader;
  readonly clock: Clock;
}) =>
  lambda(async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const actor = await authenticate(authorizationOf(event), { env, credentials, now: clock() });
    if (!actor) throw new Error('Unauthorized');
    return { ...allow(actor.credentialId, event.methodArn), context: toContext(actor) };
  });
