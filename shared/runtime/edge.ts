import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { EDGE_HEADERS, EDGE_VARIABLES } from '../contracts/edge.ts';
import { type Refusal, refuse } from '../domain/core/errors.ts';
import { type Config, config } from '../wiring/process/config.ts';
import { header, headerValues, type WithHeaders } from './headers.ts';

/** The common fields of an operation's event and an authorizer's. */
type EdgeEvent = WithHeaders & {
  readonly stageVariables?: APIGatewayProxyEvent['stageVariables'];
  readonly requestContext: { readonly identity: { readonly sourceIp: string } };
};

/** The component in front of the stage; see the configuration. */
export type Edge = Config['EDGE'];

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether the event carries a secret of the edge. Compares digests, in a time that does not depend on the secret. */
const hasSecret = (event: EdgeEvent): boolean => {
  const given = header(event, EDGE_HEADERS.secret);
  if (!given) return false;
  const accepted = Object.values(EDGE_VARIABLES).flatMap((name) => event.stageVariables?.[name] || []);
  return accepted.map((secret) => timingSafeEqual(digest(secret), digest(given))).some(Boolean);
};

/**
 * Whether the request passed the edge, or there is none (`EDGE`). Without the stage's variables all requests are rejected: the stage is
 * only partly set up.
 */
export const cameByEdge = (event: EdgeEvent, edge: Edge = config().EDGE): boolean =>
  edge !== 'secret' || hasSecret(event);

/** 403 for a request that bypassed the edge and its firewall. */
export const refuseDirect = (event: EdgeEvent): Refusal<'FORBIDDEN'> | undefined =>
  cameByEdge(event) ? undefined : refuse('FORBIDDEN', 'Call the service by its public address.');

/**
 * The caller's IP address (v4 or v6, as text). Behind an edge it is `EDGE_HEADERS.viewer`, which the edge always overwrites; without one it
 * is the address of the connection. `X-Forwarded-For` is ignored: callers can set it.
 */
export const callerAddress = (event: EdgeEvent, edge: Edge = config().EDGE): string => {
  const { sourceIp } = event.requestContext.identity;
  if (edge === 'none' || !cameByEdge(event, edge)) return sourceIp;
  const values = headerValues(event, EDGE_HEADERS.viewer);
  const viewer = values.length > 0 ? values : [header(event, EDGE_HEADERS.viewer)];
  return viewer.length === 1 && viewer[0] && isIP(viewer[0]) > 0 ? viewer[0] : sourceIp;
};
