import { createVerify, type KeyObject } from 'node:crypto';
import type { PushCredentials } from '../../../shared/domain/channels/push/credentials.ts';
import type { PushTarget } from '../../../shared/domain/channels/push/transport.ts';
import type { PushOptions } from '../../../shared/providers/push/transport.ts';
import type { Play, StandInAnswer } from './stand-in.ts';

/** The moment at which the tests of push take place, until they move it. */
export const PUSH_NOW = Date.parse('2026-01-02T03:04:06.000Z');

/** A clock that tests move. */
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
  /** What is shown; absent when nothing is. */
  readonly shown: { readonly title: string; readonly body: string } | undefined;
  /** What the app reads beside it. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly urgent: boolean;
  readonly ttlSeconds: number;
  /** What makes the same dispatch, sent twice, one on the screen. */
  readonly collapse: string | undefined;
}

/** A push service's stand-in: a real server on loopback that speaks the documented wire format and checks the sender's tokens. */
export interface PushStandIn {
  /** Options of the transport that lead to it. */
  readonly options: PushOptions;
  /** An app that it knows, and a device of it. */
  readonly app: PushCredentials;
  readonly device: PushTarget;
  /** Well-formed credentials that it does not know. */
  readonly strangers: PushCredentials;
  /** How many sends came in, whatever became of them. */
  sends(): number;
  readonly pushes: readonly AcceptedPush[];
  /** Answers the next sends so, first come first served; after that it accepts. */
  script(...plays: readonly Play[]): void;
  close(): Promise<void>;
}

/** What a stand-in says in each case. */
export interface PushWords {
  accept(): StandInAnswer;
  refuse(code: string): StandInAnswer;
  throttle(): StandInAnswer;
  serverError(): StandInAnswer;
  /** Answers of the status that accepts, which say nothing. */
  malformed(): StandInAnswer;
  wrongContentType(): StandInAnswer;
}

/** What a play makes of a send: an answer, or none. */
export const playAnswer = (play: Play, words: PushWords): StandInAnswer | 'silence' | 'reset' => {
  if (typeof play === 'object') return words.refuse(play.refuse);
  if (play === 'hang') return 'silence';
  if (play === 'reset') return 'reset';
  if (play === 'throttle') return words.throttle();
  if (play === 'server_error') return words.serverError();
  if (play === 'malformed') return words.malformed();
  if (play === 'wrong_content_type') return words.wrongContentType();
  const accepted = words.accept();
  if (play === 'accept_and_hang') return 'silence';
  return play === 'accept_and_reset' ? 'reset' : accepted;
};

/** The page of something between us and a push service. */
export const GATEWAY_PAGE: StandInAnswer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>Bad gateway</html>',
};

export interface ReadJwt {
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
