import type { Environment } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { InboundEvent, ProviderAccount } from '../message/provider-port.ts';
import type { SenderChannel } from '../senders/sender.ts';
import type { OwnerPorts } from './callback-ports.ts';
import type { InboundPorts } from './receive.ts';

/** Lookups of the organizations' numbers, accounts and senders. */
export interface AccountPorts {
  /** The environment of the stage, which applies to all of them. */
  readonly env: Environment;
  /** The Instagram accounts of all organizations; undefined when no provider is set up. */
  readonly instagramAccounts: () => Promise<readonly ProviderAccount[] | undefined>;
  /** The WhatsApp number with Meta's id; undefined when no organization has it. */
  readonly numberOfPhoneId: (
    phoneNumberId: string,
  ) => Promise<{ readonly id: Id<'number'>; readonly organizationId: Id<'organization'> } | undefined>;
  /** The organizations with a number of a business account at Meta. */
  readonly organizationsOfAccount: (wabaId: string) => Promise<readonly Id<'organization'>[]>;
  /** The organizations that may send as a value. */
  readonly organizationsWithSender: (channel: SenderChannel, value: string) => Promise<readonly Id<'organization'>[]>;
}

const ownerIds = async (
  ports: AccountPorts,
  ...[channel, account]: Parameters<OwnerPorts['ownersOf']>
): Promise<readonly Id<'organization'>[]> => {
  switch (channel) {
    case 'instagram':
      return ((await ports.instagramAccounts()) ?? [])
        .filter((each) => each.account === account)
        .map(({ organizationId }) => organizationId);
    case 'sms':
    case 'rcs':
      return ports.organizationsWithSender(channel, account);
    case 'whatsapp': {
      const number = await ports.numberOfPhoneId(account);
      return number ? [number.organizationId] : ports.organizationsOfAccount(account);
    }
    default:
      return [];
  }
};

/** Finds the owners of an account: a number, a business account or an Instagram account by Meta's id, an SMS sender or an RCS agent. */
export const ownersOf =
  (ports: AccountPorts): OwnerPorts['ownersOf'] =>
  async (channel, account) =>
    (await ownerIds(ports, channel, account)).map((organizationId) => ({ organizationId, env: ports.env }));

/** Finds the organization's number or account that received an inbound message, as its message shows it. */
export const accountOf =
  (ports: Pick<AccountPorts, 'instagramAccounts' | 'numberOfPhoneId'>) =>
  async (
    organizationId: Id<'organization'>,
    { channel, to }: Pick<InboundEvent, 'channel' | 'to'>,
  ): ReturnType<InboundPorts['accountOf']> => {
    if (channel === 'instagram') {
      const account = (await ports.instagramAccounts())?.find((each) => each.account === to);
      return account?.organizationId === organizationId ? { instagramAccountId: account.id } : {};
    }
    const number = channel === 'whatsapp' && to !== undefined ? await ports.numberOfPhoneId(to) : undefined;
    return number?.organizationId === organizationId ? { numberId: number.id } : {};
  };
