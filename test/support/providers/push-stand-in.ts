import { createVerify, type KeyObject } from 'node:crypto';
import type { PushCredentials } from '../../../shared/domain/channels/push/credentials.ts';
import type { PushTarget } from '../../../shared/domain/channels/push/transport.ts';
import type { PushOptions } from '../../../shared/providers/push/transport.ts';
import type { Play, StandInAnswer } from './stand-in.ts';

/** The time of the tests of push, until they advance it. */
export const PUSH_NOW = Date.parse('2026-01-02T03:04:06.000Z');

/** A clock that tests advance. */
export const pushClock = (at = PUSH_NOW) => {
  let now = at;
  return {
    now: () => now,
    advance(ms: number) {
      now += ms;
    },
  };
};

/** A notification that a stand-in accepted, translated back from the wire. */
export interface AcceptedPush {
  readonly token: string;
  readonly providerMessageId: string;
  /** The displayed content; absent for a silent notification. */
  readonly shown: { readonly title: string; readonly body: string } | undefined;
  /** The app's other fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly urgent: boolean;
  readonly ttlSeconds: number;
  /** Makes the same dispatch, sent twice, one on the screen. */
  readonly collapse: string | undefined;
}

/** A push service's stand-in: a real server on loopback that speaks the documented wire format and checks the sender's tokens. */
export interface PushStandIn {
  /** Options that lead the transport to it. */
  readonly options: PushOptions;
  /** An app that it knows, and a device of it. */
  readonly app: PushCredentials;
  readonly device: PushTarget;
  /** Well-formed credentials that it does not know. */
  readonly strangers: PushCredentials;
  /** How many sends were received, whatever their outcome. */
  sends(): number;
  readonly pushes: readonly AcceptedPush[];
  /** Answers the next sends so, in their order; after that it accepts. */
  script(...plays: readonly Play[]): void;
  close(): Promise<void>;
}

/** The error page of a gateway between us and a push service. */
export const GATEWAY_PAGE: StandInAnswer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>Bad gateway</html>',
};

interface ReadJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Checks a compact JWS with node:crypto alone; undefined unless the algorithm and the signature are right (RFC 7515, 5.2). */
export const verifyJwt = (token: string, algorithm: 'RS256' | 'ES256', key: KeyObject): ReadJwt | undefined => {
  const [head = '', payload = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || /[^A-Za-z0-9_.-]/.test(token)) return undefined;
  const read = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Record<string, unknown>;
  const header = read(head);
  const verifier = createVerify('sha256').update(`${head}.${payload}`);
  const bytes = Buffer.from(signature, 'base64url');
  const genuine =
    algorithm === 'ES256'
      ? bytes.length === 64 && verifier.verify({ key, dsaEncoding: 'ieee-p1363' }, bytes)
      : verifier.verify(key, bytes);
  return header.alg === algorithm && genuine ? { header, claims: read(payload) } : undefined;
};
