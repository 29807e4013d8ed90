import { createHash } from 'node:crypto';
import type { Actor, Environment } from '../core/actor.ts';
import { randomBase62 } from '../core/ids.ts';

type SecretKind = Actor['kind'];

/** Credential prefixes: they identify the environment before anything is read (docs/spec/access.md#credentials). */
const SECRET_PREFIXES = {
  key: { live: 'svc_live_', test: 'svc_test_' },
  session: { live: 'svc_session_', test: 'svc_session_test_' },
} as const satisfies Record<SecretKind, Record<Environment, string>>;

/** 40 base62 characters have 238 bits of entropy, so a fast hash is safe. */
const SECRET_LENGTH = 40;
const SHAPE = /^svc_(live|test|session|session_test)_[0-9A-Za-z]{32,128}$/;
const CREDENTIAL_TYPES = {
  live: { kind: 'key', env: 'live' },
  test: { kind: 'key', env: 'test' },
  session: { kind: 'session', env: 'live' },
  session_test: { kind: 'session', env: 'test' },
} as const satisfies Record<string, { kind: SecretKind; env: Environment }>;

/** Kind and environment of a credential, from its prefix; undefined if malformed. */
export const parseSecret = (text: string): { readonly kind: SecretKind; readonly env: Environment } | undefined => {
  const shape = SHAPE.exec(text)?.[1];
  return shape === undefined ? undefined : CREDENTIAL_TYPES[shape as keyof typeof CREDENTIAL_TYPES];
};

/** SHA-256 in hex: all that is stored of a secret. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** A new secret: the text is shown once and not stored; the hash is the lookup key. */
export interface NewSecret {
  readonly text: string;
  readonly hash: string;
  /** The last four characters, so that a person recognizes it in a list. */
  readonly last4: string;
}

/** Generates a cryptographically random secret. */
export const newSecret = (kind: SecretKind, env: Environment): NewSecret => {
  const text = SECRET_PREFIXES[kind][env] + randomBase62(SECRET_LENGTH);
  return { text, hash: hashSecret(text), last4: text.slice(-4) };
};
