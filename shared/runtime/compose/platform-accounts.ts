import type { CallbackPorts } from '../../domain/messages/callbacks.ts';
import type { Tenant } from '../../domain/messages/plan.ts';
import type { ProviderAccount } from '../../domain/messages/provider.ts';
import type { PlatformPorts } from '../../domain/platforms/plan.ts';
import { PLATFORM_PROVIDERS } from '../../domain/platforms/providers.ts';
import { readLastWrittenTo } from '../../storage/inbound.ts';
import { readNumberSender, readSomeNumberIds } from '../../storage/number-senders.ts';
import { numberOfPhoneId, organizationsOfAccount } from '../../storage/numbers.ts';
import { settings, table } from './platform.ts';
import { routing, sendPorts } from './send.ts';

const asTenant = (organizationId: string): Tenant => ({
  organizationId: organizationId as Tenant['organizationId'],
  env: settings.STAGE,
});

/** The accounts of Instagram that the operator set up; undefined where the stage reaches nobody. */
export const instagramAccounts = async (): Promise<readonly ProviderAccount[] | undefined> =>
  (await routing.provider('instagram', PLATFORM_PROVIDERS.instagram))?.accounts;

/** The organizations that a number, a business account or an Instagram account is of, by the platform's own id of it. */
export const ownersOf: CallbackPorts['ownersOf'] = async (channel, account) => {
  if (channel === 'instagram')
    return ((await instagramAccounts()) ?? [])
      .filter((each) => each.account === account)
      .map(({ organizationId }) => asTenant(organizationId));
  if (channel !== 'whatsapp') return [];
  const number = await numberOfPhoneId(table, account);
  const organizations = number ? [number.organizationId] : await organizationsOfAccount(table, account);
  return organizations.map(asTenant);
};

const instagramSender = async ({ organizationId }: Tenant, named: string | undefined) => {
  const accounts = await instagramAccounts();
  if (!accounts) return 'default';
  const own = accounts.filter((each) => each.organizationId === organizationId);
  const found = named === undefined ? own[0] : own.find(({ id }) => id === named);
  return found ? { id: found.id } : 'unknown';
};

const ownNumber = async ({ organizationId }: Tenant, id: string) => {
  const number = await readNumberSender(table, id);
  return number?.organizationId === organizationId ? number : undefined;
};

/** Of several numbers the one that the recipient last wrote to, as long as it is connected: an answer comes from where it was asked. */
const numberFor = async (tenant: Tenant, to: string) => {
  const { organizationId } = tenant;
  const [only, ...others] = await readSomeNumberIds(table, organizationId);
  if (only === undefined || others.length === 0) return only;
  const hash = await sendPorts.hashTo(organizationId, 'phone', to);
  const asked = await readLastWrittenTo(table, organizationId, { channel: 'whatsapp', hash });
  const number = asked === undefined ? undefined : await ownNumber(tenant, asked);
  return number?.status === 'disconnected' ? undefined : number?.id;
};

/** What a message of an organization leaves from. */
export const senderOf: PlatformPorts['senderOf'] = async (tenant, channel, to, named) => {
  if (channel === 'instagram') return instagramSender(tenant, named);
  if (named === undefined) {
    const id = await numberFor(tenant, to);
    return id === undefined ? 'default' : { id };
  }
  const number = await ownNumber(tenant, named);
  return number ? { id: number.id } : 'unknown';
};
