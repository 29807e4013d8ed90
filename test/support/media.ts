import type { Environment } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { putProviderSettings } from '../../shared/storage/access/providers.ts';
import { numberStore } from '../../shared/storage/whatsapp/numbers.ts';
import type { Client, Messaging, Tenant } from './api.ts';

/** Keeps a connected number of the tenant as connecting it does; answers with its id. */
export const connectedNumber = async (
  messaging: Messaging,
  { id }: Tenant,
  env: Environment,
  accessToken = 'EAA-token',
): Promise<string> => {
  const vault = await messaging.vault(env);
  const sealer = {
    seal: async (organizationId: string, place: string, text: string) =>
      vault.seal('number-token', organizationId, text, place),
    open: async (organizationId: string, place: string, sealed: string) =>
      vault.open('number-token', organizationId, sealed, place),
  };
  const now = Date.now();
  const phoneNumberId = String(Math.floor(1e14 + Math.random() * 9e14));
  const number = {
    id: newId('number'),
    organizationId: id,
    phoneNumberId,
    wabaId: '102290129340398',
    displayPhone: '+5511999990000',
    status: 'connected',
    qualityRating: 'green',
    messagingTier: 'tier_1k',
    throughput: 'standard',
    heard: {},
    version: 1,
    createdAt: now,
    updatedAt: now,
  } as const;
  const outcome = await numberStore(messaging.tables[env], sealer, () => undefined).create(number, accessToken);
  if (outcome.kind !== 'saved') throw new Error(`The number was not kept: ${outcome.kind}.`);
  return number.id;
};

/** Lets the live stage reach a stand-in of the platform. */
export const useMetaAt = async (messaging: Messaging, baseUrl: string): Promise<void> => {
  const settings = { baseUrl, version: 'v24.0' };
  const provider = { channel: 'whatsapp', name: 'whatsapp_cloud_api', settings, now: Date.now() };
  await putProviderSettings(messaging.tables.live, await messaging.vault('live'), provider);
};

/** A file in the JSON form. */
export const upload = (client: Client, numberId: string, bytes: Buffer, fields: object = {}) =>
  client.post(`/numbers/${numberId}/media`, {
    filename: 'arquivo',
    mimeType: 'application/octet-stream',
    dataBase64: bytes.toString('base64'),
    ...fields,
  });

/** A file in the raw form. */
export const uploadRaw = async (
  messaging: Messaging,
  client: Client,
  numberId: string,
  bytes: Buffer,
  { query = '?filename=arquivo', headers = {} }: { query?: string; headers?: Readonly<Record<string, string>> } = {},
) => {
  const response = await fetch(`${messaging.url}/numbers/${numberId}/media/binary${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/octet-stream', ...headers },
    body: new Uint8Array(bytes),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
};
