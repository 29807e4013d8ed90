import type { Environment, Tenant } from '../core/actor.ts';
import { ID_PREFIXES, parseId } from '../core/ids.ts';
import type { Vault } from '../core/secrets.ts';

/** The subject of an unsubscribe link: an e-mail address (blind index) of an organization. */
export interface Unsubscription extends Tenant {
  readonly emailHash: string;
}

const PURPOSE = 'unsubscribe';
/** First character of the token: by it the edge routes a link to its stage. */
const STAGE_LETTERS: Readonly<Record<Environment, string>> = { live: 'l', test: 't' };
const PREFIX = `${ID_PREFIXES.organization}_`;
/** Stage letter, HMAC-SHA256 in base64url, the organization's 21 characters, the blind index. */
const TOKEN = /^([lt])([A-Za-z0-9_-]{43})([0-9A-Za-z]{21})([A-Za-z0-9_-]{43})$/;

const signedText = (stageLetter: string, organization: string, hash: string) =>
  JSON.stringify([stageLetter, organization, hash]);

/** Creates the token of an unsubscribe link: unforgeable, and without personal data in clear. */
export const unsubscribeToken = (
  vault: Pick<Vault, 'sign'>,
  { organizationId, env, emailHash }: Unsubscription,
): string => {
  const stageLetter = STAGE_LETTERS[env];
  const organization = organizationId.slice(PREFIX.length);
  return stageLetter + vault.sign(PURPOSE, signedText(stageLetter, organization, emailHash)) + organization + emailHash;
};

/** The one-click unsubscribe URL (RFC 8058). `publicUrl` has no trailing slash. */
export const unsubscribeUrl = (publicUrl: string, token: string): string => `${publicUrl}/u/${token}`;

/** Verifies a token; undefined if it was altered or issued for the other environment. */
export const parseUnsubscribeToken = (
  vault: Pick<Vault, 'verify'>,
  env: Environment,
  token: string,
): Unsubscription | undefined => {
  const [, stageLetter = '', signature = '', organization = '', emailHash = ''] = TOKEN.exec(token) ?? [];
  if (
    stageLetter !== STAGE_LETTERS[env] ||
    !vault.verify(PURPOSE, signedText(stageLetter, organization, emailHash), signature)
  )
    return undefined;
  return { organizationId: parseId('organization', `${PREFIX}${organization}`), env, emailHash };
};
