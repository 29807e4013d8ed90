import type { APIGatewayAuthorizerResult, APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { type CredentialReader, identify } from '../domain/access/credentials.ts';
import type { Actor, Environment } from '../domain/actor.ts';
import type { Clock } from '../domain/time.ts';

type Headers = Pick<APIGatewayRequestAuthorizerEvent | APIGatewayProxyEvent, 'headers' | 'multiValueHeaders'>;

/** The one Authorization header, or undefined when there is none or more than one: what is ambiguous is refused. */
export const authorizationOf = (event: Headers): string | undefined => {
  const many = Object.entries(event.multiValueHeaders ?? {}).filter(([name]) => name.toLowerCase() === 'authorization');
  const values = many.flatMap(([, list]) => list ?? []);
  if (values.length > 0) return values.length === 1 ? values[0] : undefined;
  const single = Object.entries(event.headers ?? {}).filter(([name]) => name.toLowerCase() === 'authorization');
  return single.length === 1 ? single[0]?.[1] : undefined;
};

/** Every route of the stage: the gateway caches the answer per credential, and whichever route asked first must not bar the others. */
const wholeStage = (methodArn: string): string => `${methodArn.split('/').slice(0, 2).join('/')}/*/*`;

const allow = (principalId: string, methodArn: string): APIGatewayAuthorizerResult => ({
  principalId,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: wholeStage(methodArn) }],
  },
});

/** What `operation()` reads back; the gateway carries texts only. */
const contextOf = (actor: Actor) => ({
  organizationId: actor.organizationId,
  env: actor.env,
  credentialId: actor.credentialId,
  kind: actor.kind,
  ...(actor.accountId ? { accountId: actor.accountId } : {}),
  scopes: [...actor.scopes].join(' '),
});

/**
 * Makes the gateway's REQUEST authorizer of a stage. Whoever is not identified is answered 401 by the word `Unauthorized`, whatever the
 * cause; a table that does not answer is a fault and no verdict. Scopes are the operation's to check.
 */
export const authorizer =
  (stage: { readonly env: Environment; readonly credentials: CredentialReader; readonly clock: Clock }) =>
  async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const { env, credentials } = stage;
    const actor = await identify(authorizationOf(event), { env, credentials, now: stage.clock() });
    if (!actor) throw new Error('Unauthorized');
    return { ...allow(actor.credentialId, event.methodArn), context: contextOf(actor) };
  };
