import { createHash } from 'node:crypto';
import type { Actor, Environment } from '../actor.ts';
import { randomBase62 } from '../ids.ts';

type SecretKind = Actor['kind'];

/** How each credential begins (decisions, part 1): the prefix alone tells the environment, before anything is read. */
export const SECRET_PREFIXES = {
  key: { live: 'svc_live_', test: 'svc_test_' },
  session: { live: 'svc_session_', test: 'svc_session_test_' },
} as const satisfies Record<SecretKind, Record<Environment, string>>;

/** 40 base62 characters are 238 bits: nothing that can be guessed or that needs a slow hash. */
const SECRET_LENGTH = 40;
const SHAPE = /^svc_(live|test|session|session_test)_[0-9A-Za-z]{32,128}$/;
const MEANINGS = {
  live: { kind: 'key', env: 'live' },
  test: { kind: 'key', env: 'test' },
  session: { kind: 'session', env: 'live' },
  session_test: { kind: 'session', env: 'test' },
} as const satisfies Record<string, { kind: SecretKind; env: Environment }>;

/** What a credential's text tells by itself; undefined when it is none of ours. */
export const readSecret = (text: string): { readonly kind: SecretKind; readonly env: Environment } | undefined => {
  const shape = SHAPE.exec(text)?.[1];
  return shape === undefined ? undefined : MEANINGS[shape as keyof typeof MEANINGS];
};

/** SHA-256 in hex: all that is ever stored of a secret. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** A secret at its birth: the text is shown once and then forgotten; the hash finds the credential. */
export interface NewSecret {
  readonly text: string;
  readonly hash: string;
  /** Its last four characters, so that a person recognises it in a list. */
  readonly last4: string;
}

/** A fresh secret of the kind and environment, from the system's secure source. */
export const newSecret = (kind: SecretKind, env: Environment): NewSecret => {
  const text = SECRET_PREFIXES[kind][env] + randomBase62(SECRET_LENGTH);
  return { text, hash: hashSecret(text), last4: text.slice(-4) };
};
