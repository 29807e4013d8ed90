import type { WhatsappNumber } from '../../../shared/domain/channels/whatsapp/numbers/number.ts';
import { newId } from '../../../shared/domain/core/ids.ts';
import { numberStore } from '../../../shared/storage/whatsapp/numbers.ts';
import type { Messaging, Tenant } from '../api.ts';

type Reached = Pick<WhatsappNumber, 'phoneNumberId' | 'wabaId'> & { readonly accessToken: string };

/** Gives an organization a live number that the platform was not asked about. */
export const connectNumber = async (
  messaging: Messaging,
  { id }: Tenant,
  { phoneNumberId, wabaId, accessToken }: Reached,
): Promise<WhatsappNumber> => {
  const vault = await messaging.vault('live');
  const sealer = {
    seal: async (org: string, of: string, text: string) => vault.seal('number-token', org, text, of),
    open: async (org: string, of: string, sealed: string) => vault.open('number-token', org, sealed, of),
  };
  const number: WhatsappNumber = {
    id: newId('number'),
    organizationId: id as WhatsappNumber['organizationId'],
    phoneNumberId,
    wabaId,
    displayPhone: '+15550783881',
    status: 'connected',
    qualityRating: 'green',
    messagingTier: 'unlimited',
    throughput: 'standard',
    heard: {},
    version: 1,
    createdAt: Date.now(),
    updatedAt: Date.now(),
  };
  const outcome = await numberStore(messaging.tables.live, sealer, () => {}).create(number, accessToken);
  if (outcome.kind !== 'saved') throw new Error(`The number was not kept: ${outcome.kind}`);
  return number;
};
