import type { Environment } from '../actor.ts';
import { ID_PREFIXES, type Id } from '../ids.ts';
import type { Vault } from '../secrets.ts';

/** Whom one click takes out: an address of an organization, by its blind index. */
export interface Unsubscription {
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly emailHash: string;
}

const PURPOSE = 'unsubscribe';
/** The first character: test links begin with `t`, by which the deployment's edge knows their stage. */
const MARKS: Readonly<Record<Environment, string>> = { live: 'l', test: 't' };
const PREFIX = `${ID_PREFIXES.organization}_`;
/** Mark, HMAC-SHA256 in base64url, the organization's 21 characters, the blind index. */
const TOKEN = /^([lt])([A-Za-z0-9_-]{43})([0-9A-Za-z]{21})([A-Za-z0-9_-]{43})$/;

const signed = (mark: string, organization: string, hash: string) => JSON.stringify([mark, organization, hash]);

/** The token of an unsubscribe link: it names nobody in clear, and nobody else can make it. */
export const unsubscribeToken = (
  vault: Pick<Vault, 'sign'>,
  { organizationId, env, emailHash }: Unsubscription,
): string => {
  const mark = MARKS[env];
  const organization = organizationId.slice(PREFIX.length);
  return mark + vault.sign(PURPOSE, signed(mark, organization, emailHash)) + organization + emailHash;
};

/** Where one click takes the recipient out (RFC 8058). `publicUrl` is the deployment's address without a trailing slash. */
export const unsubscribeUrl = (publicUrl: string, token: string): string => `${publicUrl}/u/${token}`;

/** Whom a token names, or undefined when it was altered, or made for the other environment. */
export const readUnsubscribeToken = (
  vault: Pick<Vault, 'verify'>,
  env: Environment,
  token: string,
): Unsubscription | undefined => {
  const [, mark = '', signature = '', organization = '', emailHash = ''] = TOKEN.exec(token) ?? [];
  if (mark !== MARKS[env] || !vault.verify(PURPOSE, signed(mark, organization, emailHash), signature)) return undefined;
  return { organizationId: `${PREFIX}${organization}` as Id<'organization'>, env, emailHash };
};
