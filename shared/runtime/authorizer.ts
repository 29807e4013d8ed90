import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { authenticate, type CredentialReader } from '../domain/access/credentials.ts';
import type { KeyUses } from '../domain/access/key-uses.ts';
import type { Environment } from '../domain/core/actor.ts';
import type { Clock } from '../domain/core/time.ts';
import { toContext } from './caller.ts';
import { callerAddress, cameByEdge, type Edge } from './edge.ts';
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
  uses,
  edge,
}: {
  readonly env: Environment;
  readonly credentials: CredentialReader;
  readonly clock: Clock;
  readonly uses: KeyUses;
  /** The component in front of the stage. */
  readonly edge: Edge;
}) =>
  lambda(async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    // Checked before the table is read. The gateway's cache key includes the edge's secret, so an answer for the edge is valid only there.
    if (!cameByEdge(event, edge)) throw new Error('Unauthorized');
    const now = clock();
    const actor = await authenticate(authorizationOf(event), { env, credentials, now });
    if (!actor) throw new Error('Unauthorized');
    await uses.note(actor, { at: now, ip: callerAddress(event, edge) });
    return { ...allow(actor.credentialId, event.methodArn), context: toContext(actor) };
  });
