import { saveProvider } from '../../infra/operator/provider-settings.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { Client, Messaging, Tenant } from './api.ts';
import { connectNumber } from './providers/whatsapp-number.ts';

/** Stores a connected number of the tenant; its id. */
export const connectedNumber = async (
  messaging: Messaging,
  tenant: Tenant,
  env: Environment,
  accessToken = 'EAA-token',
): Promise<string> => {
  const phoneNumberId = String(Math.floor(1e14 + Math.random() * 9e14));
  const fields = { phoneNumberId, wabaId: '102290129340398', accessToken };
  return (await connectNumber(messaging, tenant, fields, env)).id;
};

/** Leads the live stage to a stand-in of Meta. */
export const useMetaAt = async (messaging: Messaging, baseUrl: string): Promise<void> => {
  const settings = { baseUrl, version: 'v24.0', appSecret: 'app-secret', verifyToken: 'verify-token' };
  await saveProvider(messaging, 'live', { channel: 'whatsapp', name: 'whatsapp_cloud_api', settings });
};

/** Uploads a file as JSON. */
export const upload = (client: Client, numberId: string, bytes: Buffer, fields: object = {}) =>
  client.post(`/numbers/${numberId}/media`, {
    filename: 'arquivo',
    mimeType: 'application/octet-stream',
    dataBase64: bytes.toString('base64'),
    ...fields,
  });

/** Uploads a file as raw bytes. */
export const uploadRaw = (
  client: Client,
  numberId: string,
  bytes: Buffer,
  { query = '?filename=arquivo', headers = {} }: { query?: string; headers?: Readonly<Record<string, string>> } = {},
) =>
  client.call('POST', `/numbers/${numberId}/media/binary${query}`, {
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: new Uint8Array(bytes),
  });
