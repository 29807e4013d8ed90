import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Client, Messaging } from '../support/api.ts';

/** The opening balance of a test wallet, in coins. */
export const OPENING = 10_000_000;
export const aPush = { title: 'Seu pedido saiu', body: 'Chega hoje.', platforms: ['ios', 'android', 'web'] } as const;
/** A point on P-256 and a secret as a browser has them (RFC 8291, appendix A). */
export const BROWSER = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** A tenant with an app that registers devices. */
export const shopOf = async (messaging: Messaging) => {
  const tenant = await messaging.tenant({ takesEvents: true });
  const { test: client } = tenant;
  const appId: string = (await client.post('/v2/push/apps', { name: 'Loja Azul' })).body.id;
  const register = (token: string, fields: object = {}) =>
    client.post('/v2/push/tokens', { appId, token, platform: 'ios', ...fields });
  return { tenant, client, appId, register };
};

export const send = (client: Client, fields: object = {}, key: string = randomUUID()) =>
  client.post('/v2/push/messages', { ...aPush, ...fields }, { 'idempotency-key': key });

/** A push message once all of its dispatches are settled; `timeout` (ms) is for slow machines. */
export const ended = (client: Client, id: string, timeout = 60_000) =>
  vi.waitFor(
    async () => {
      const { body } = await client.get(`/v2/push/messages/${id}`);
      expect(['sent', 'failed']).toContain(body.status);
      return body;
    },
    { timeout, interval: 150 },
  );

export const wallet = async (client: Client) => (await client.get('/v2/wallet')).body;
export const dispatchesOf = async (client: Client, id: string) =>
  (await client.get(`/v2/push/messages/${id}/dispatches`, { limit: 200 })).body.items;
