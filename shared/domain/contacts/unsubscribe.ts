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

interface OptOutPorts extends Pick<ContactPorts, 'clock' | 'store'> {
  readonly addresses: EmailConsentStore;
}
export interface UnsubscribePorts extends OptOutPorts {
  readonly env: Environment;
  readonly vault: () => Promise<Pick<Vault, 'verify'>>;
}

/** Verifies a link's token. 404 if it is invalid. */
export const findUnsubscription = async (
  ports: Pick<UnsubscribePorts, 'env' | 'vault'>,
  token: string,
): Promise<Unsubscription | Refusal<'NOT_FOUND'>> =>
  parseUnsubscribeToken(await ports.vault(), ports.env, token) ?? refuse('NOT_FOUND', 'There is no such link.');

type Address = Pick<Unsubscription, 'emailHash' | 'organizationId'>;

/** Opts out the contacts of an address that unsubscribed at `at` (ms). Idempotent: contacts that are opted out stay as they are. */
const optOutContacts = async (ports: OptOutPorts, address: Address, at: number): Promise<void> => {
  const { organizationId, emailHash } = address;
  // A contact deleted since the index was read answers 404, which is fine to ignore.
  for (const id of await ports.addresses.contactsOf(organizationId, emailHash))
    await optOutContact(ports, { organizationId }, id, { reason: UNSUBSCRIBED, at });
  await ports.addresses.finishUnsubscribe(organizationId, emailHash, at);
};

/** Opts out the contacts of an unsubscribed address that its request left. Safe under repeats, and while a request is at it. */
export const continueUnsubscribe = async (ports: OptOutPorts, address: Address): Promise<void> => {
  const at = await ports.addresses.unsubscribedAt(address.organizationId, address.emailHash);
  if (at !== undefined) await optOutContacts(ports, address, at);
};

/**
 * Unsubscribes an address: from then on it gets only transactional e-mail, and every contact with it is opted out, raising
 * contact.opted_out; if that is interrupted, due work opts out the rest. Idempotent. 400 if the body is not a one-click POST
 * (docs/spec/email.md#one-click-unsubscribe).
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
  const at = ports.clock();
  await ports.addresses.unsubscribe(organizationId, emailHash, at);
  await optOutContacts(ports, found, at);
  return found;
};
