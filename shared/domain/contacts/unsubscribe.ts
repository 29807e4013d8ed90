import type { Environment } from '../actor.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import type { Vault } from '../secrets.ts';
import { optOutContact } from './consent.ts';
import type { ContactPorts, EmailConsentStore } from './ports.ts';
import { readUnsubscribeToken, type Unsubscription } from './unsubscribe-token.ts';

/** Whether a body is what a mailbox provider posts for one click: a form with this one field, in either encoding (RFC 8058, 3.1). */
export const isOneClick = (body: string): boolean =>
  new URLSearchParams(body).get('List-Unsubscribe') === 'One-Click' ||
  /\bname="?List-Unsubscribe"?\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\r?\n/.test(body.slice(0, 4_096));

/** Why an address, and each contact with it, is out after one click. */
export const UNSUBSCRIBED = 'unsubscribed by e-mail';

export interface UnsubscribePorts extends Pick<ContactPorts, 'clock' | 'store'> {
  readonly env: Environment;
  readonly addresses: EmailConsentStore;
  readonly vault: () => Promise<Pick<Vault, 'verify'>>;
}

/** Whom a link names. 404 for one that was never made. */
export const findUnsubscription = async (
  ports: Pick<UnsubscribePorts, 'env' | 'vault'>,
  token: string,
): Promise<Unsubscription | Refusal<'NOT_FOUND'>> =>
  readUnsubscribeToken(await ports.vault(), ports.env, token) ?? refuse('NOT_FOUND', 'There is no such link.');

/**
 * Takes an address out: it is marked, so that it is sent nothing but what is transactional, and every contact with it opts out, with
 * contact.opted_out. A repeat changes nothing. 400 for a body that is no click.
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
  // A contact that was erased since the index was read has nothing left to withdraw.
  for (const id of await ports.addresses.contactsOf(organizationId, emailHash))
    await optOutContact(ports, { organizationId }, id, { reason: UNSUBSCRIBED });
  return found;
};
