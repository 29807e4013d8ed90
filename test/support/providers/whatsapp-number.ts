import type { WhatsappNumber } from '../../../shared/domain/channels/whatsapp/numbers/number.ts';
import type { Environment } from '../../../shared/domain/core/actor.ts';
import { newId } from '../../../shared/domain/core/ids.ts';
import { numberStore } from '../../../shared/storage/whatsapp/numbers.ts';
import type { Messaging, Tenant } from '../api.ts';
import { operatorAct } from '../audit.ts';

type NumberFields = Pick<WhatsappNumber, 'phoneNumberId' | 'wabaId'> & { readonly accessToken: string };

/** Stores a connected number of an organization, without a call of Meta. */
export const connectNumber = async (
  messaging: Messaging,
  { id }: Tenant,
  { phoneNumberId, wabaId, accessToken }: NumberFields,
  env: Environment = 'live',
): Promise<WhatsappNumber> => {
  const vault = await messaging.vault(env, 'numbers');
  const sealer = {
    seal: async (org: string, of: string, text: string) => vault.seal('number-token', org, text, of),
    open: async (org: string, of: string, sealed: string) => vault.open('number-token', org, sealed, of),
  };
  const number: WhatsappNumber = {
    id: newId('number'),
    organizationId: id,
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
  const store = numberStore(messaging.tables[env], sealer, () => {});
  const outcome = await store.create(number, accessToken, operatorAct(number.organizationId));
  if (outcome.kind !== 'saved') throw new Error(`The number was not stored: ${outcome.kind}`);
  return number;
};
