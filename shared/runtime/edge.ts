import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { EDGE_HEADERS, EDGE_VARIABLES } from '../contracts/edge.ts';
import { type Refusal, refuse } from '../domain/core/errors.ts';
import { type Config, config } from '../wiring/process/config.ts';
import { header, headerValues, type WithHeaders } from './headers.ts';

/** What an operation's event and an authorizer's have in common. */
type EdgeEvent = WithHeaders & {
  readonly stageVariables?: APIGatewayProxyEvent['stageVariables'];
  readonly requestContext: { readonly identity: { readonly sourceIp: string } };
};

/** What stands before the stage; see the configuration. */
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
 * Whether the request came by the edge, or there is none (`EDGE`). Without the stage's variables nothing came by it: a stage that was set up
 * by halves refuses everything.
 */
export const cameByEdge = (event: EdgeEvent, edge: Edge = config().EDGE): boolean =>
  edge !== 'secret' || hasSecret(event);

/** 403 for a request that went around the edge, and with it around the firewall. */
export const refuseDirect = (event: EdgeEvent): Refusal<'FORBIDDEN'> | undefined =>
  cameByEdge(event) ? undefined : refuse('FORBIDDEN', 'Call the service by its public address.');

/**
 * The caller's IP address (v4 or v6, as text). Behind an edge it is what the edge wrote into `EDGE_HEADERS.viewer`, which it writes over
 * anything that the caller sent; without one it is the address of the connection. `X-Forwarded-For` is never believed: callers may send it.
 */
export const callerAddress = (event: EdgeEvent, edge: Edge = config().EDGE): string => {
  const { sourceIp } = event.requestContext.identity;
  if (edge === 'none' || !cameByEdge(event, edge)) return sourceIp;
  const values = headerValues(event, EDGE_HEADERS.viewer);
  const viewer = values.length > 0 ? values : [header(event, EDGE_HEADERS.viewer)];
  return viewer.length === 1 && viewer[0] && isIP(viewer[0]) > 0 ? viewer[0] : sourceIp;
};
