import type { Environment } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Vault } from '../core/secrets.ts';
import { optOutContact } from './consent.ts';
import type { ContactPorts, EmailConsentStore } from './ports.ts';
import { parseUnsubscribeToken, type Unsubscription } from './unsubscribe-token.ts';

/** Whether a body is a one-click POST of a mailbox provider: a form with this one field, in either encoding (RFC 8058, 3.1). */
const isOneClick = (body: string): boolean =>
  new URLSearchParams(body).get('List-Unsubscribe') === 'One-Click' ||
  /\bname="?List-Unsubscribe"?\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\r?\n/.test(body.slice(0, 4_096));

/** The opt-out reason recorded for the address and its contacts. */
export const UNSUBSCRIBED = 'unsubscribed by e-mail';

export interface UnsubscribePorts extends Pick<ContactPorts, 'clock' | 'store'> {
  readonly env: Environment;
  readonly addresses: EmailConsentStore;
  readonly vault: () => Promise<Pick<Vault, 'verify'>>;
}

/** Verifies a link's token. 404 if it is invalid. */
export const findUnsubscription = async (
  ports: Pick<UnsubscribePorts, 'env' | 'vault'>,
  token: string,
): Promise<Unsubscription | Refusal<'NOT_FOUND'>> =>
  parseUnsubscribeToken(await ports.vault(), ports.env, token) ?? refuse('NOT_FOUND', 'There is no such link.');

/**
 * Unsubscribes an address: from then on it gets only transactional e-mail, and every contact with it is opted out, raising
 * contact.opted_out. Idempotent. 400 if the body is not a one-click POST (docs/spec/email.md#one-click-unsubscribe).
 */
export const unsubscribe = async (
  ports: UnsubscribePorts,
  token: string,
  body: string,
): Promise<Unsubscription | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const found = await findUnsubscription(ports, token);
  if (isRefusal(found)) return found;
  if (!isOneClick(body)) return refuse('BAD_REQUEST', 'The body must be the form `List-Unsubscribe=One-Click`.');
  const { organizationId, emailHash } = found;
  await ports.addresses.unsubscribe(organizationId, emailHash, ports.clock());
  // A contact deleted since the index was read answers 404, which is fine to ignore.
  for (const id of await ports.addresses.contactsOf(organizationId, emailHash))
    await optOutContact(ports, { organizationId }, id, { reason: UNSUBSCRIBED });
  return found;
};
