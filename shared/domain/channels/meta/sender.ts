import type { Tenant } from '../../core/actor.ts';
import { asId, type Id } from '../../core/ids.ts';
import type { ProviderAccount } from '../../message/provider-port.ts';
import type { MetaPlanPorts } from './compose.ts';
import type { MetaChannel } from './providers.ts';

/** A message's recipient, by its blind index. */
export interface Recipient {
  readonly organizationId: Id<'organization'>;
  readonly hash: string;
}
/** The number that a message is sent from, by our id; none when the provider uses its own. And when its recipient last wrote there, in ms. */
export interface FoundNumber {
  readonly id?: Id<'number'> | undefined;
  readonly lastInboundAt?: number | undefined;
}

/** Ports of finding the sender of a message. `needsWindow` also reads when the recipient last wrote there (ms). */
export interface MetaSenderPorts {
  readonly recipientHash: (tenant: Tenant, channel: MetaChannel, to: string) => Promise<string>;
  /** The Instagram accounts of all organizations; undefined when no provider is set up. */
  readonly instagramAccounts: () => Promise<readonly ProviderAccount[] | undefined>;
  /** The number for a message that names none. */
  readonly usualNumber: (recipient: Recipient, needsWindow: boolean) => Promise<FoundNumber>;
  /** The organization's number with this id; undefined when it has no such number. */
  readonly namedNumber: (
    recipient: Recipient,
    id: Id<'number'>,
    needsWindow: boolean,
  ) => Promise<FoundNumber | undefined>;
  /** When the recipient last wrote on Instagram, in ms; undefined when never. */
  readonly lastInbound: (recipient: Recipient) => Promise<number | undefined>;
}

/** The organization's Instagram account: the named one, else its first. No id without a provider: the sandbox sends then. */
const instagramAccount = async (
  { instagramAccounts }: MetaSenderPorts,
  organizationId: Id<'organization'>,
  requestedId: string | undefined,
) => {
  const accounts = await instagramAccounts();
  if (!accounts) return requestedId === undefined ? { id: undefined } : undefined;
  const own = accounts.filter((each) => each.organizationId === organizationId);
  return requestedId === undefined ? own[0] : own.find(({ id }) => id === requestedId);
};

/** Finds the number or account to send from (docs/spec/whatsapp.md#which-number). */
export const senderOf =
  (ports: MetaSenderPorts): MetaPlanPorts['senderOf'] =>
  async (tenant, { channel, to, requestedId, needsWindow }) => {
    const { organizationId } = tenant;
    const recipient = { organizationId, hash: await ports.recipientHash(tenant, channel, to) };
    if (channel === 'whatsapp') {
      if (requestedId === undefined) return ports.usualNumber(recipient, needsWindow);
      const id = asId('number', requestedId);
      return id && ports.namedNumber(recipient, id, needsWindow);
    }
    const [account, lastInboundAt] = await Promise.all([
      instagramAccount(ports, organizationId, requestedId),
      needsWindow ? ports.lastInbound(recipient) : undefined,
    ]);
    return account && { id: account.id, lastInboundAt };
  };
