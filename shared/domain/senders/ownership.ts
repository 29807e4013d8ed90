import { randomBase62 } from '../core/ids.ts';
import type { DnsRecord, EmailIdentities, IdentityState, Sender } from './sender.ts';

/** 190 bits, unique to each registration. */
const TOKEN_LENGTH = 32;

type Named = Pick<Sender, 'channel' | 'records' | 'value'>;

const isText = ({ type }: DnsRecord): boolean => type === 'TXT';
/** Domains are verified by DNS records; an address by a mailed link. */
const isDomain = ({ channel, value }: Named): boolean => channel === 'email' && !value.includes('@');

/**
 * The record that proves ownership of a domain for this registration: SES's DKIM records are the same for everyone who registers the
 * domain.
 */
const newRecord = (domain: string): DnsRecord => ({
  type: 'TXT',
  name: `_messaging-verify.${domain}`,
  value: `messaging-verify=${randomBase62(TOKEN_LENGTH)}`,
});

/** The records of a sender with those from the provider, if any; a domain's end with the one of its registration. */
export const withOwnership = (sender: Named, given: readonly DnsRecord[] | undefined): Sender['records'] => {
  if (!isDomain(sender)) return given ?? sender.records;
  const own = sender.records?.find(isText) ?? newRecord(sender.value);
  const others = given ?? sender.records ?? [];
  return [...others.filter((record) => !isText(record)), own];
};

/** The provider's state of a sender; a domain without the record of its registration is not verified, whatever the provider reports. */
export const provedState = async (
  identities: Pick<EmailIdentities, 'hasText'>,
  sender: Named,
  state: IdentityState,
): Promise<IdentityState> => {
  if (state.status !== 'verified' || !isDomain(sender)) return state;
  const own = sender.records?.find(isText);
  return own && (await identities.hasText(own)) ? state : { ...state, status: 'pending' };
};
