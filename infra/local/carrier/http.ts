import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as z from 'zod';
import { orUndefined } from '../../../shared/domain/core/or-undefined.ts';
import {
  CARRIER_PATHS,
  type CarrierPurpose,
  type CarrierResult,
  carrierStatus,
  carrierSubmit,
  isCarrierBody,
} from '../../../shared/domain/smpp/carrier.ts';
import type { CarrierService } from './service.ts';

/** Longest body: a text of 10,000 characters, escaped. */
const MAX_BYTES = 128 * 1024;
const REQUEST_MS = 15_000;

type Purpose = Exclude<CarrierPurpose, 'callback'>;
const PURPOSES = new Map<string | undefined, Purpose>(
  Object.entries(CARRIER_PATHS).map(([purpose, path]) => [path, purpose as Purpose]),
);

const parsed = <T>(schema: z.ZodType<T>, text: string): T | undefined =>
  orUndefined(() => schema.safeParse(JSON.parse(text)).data);

const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const serve = async (
  service: CarrierService,
  { method, url, headers }: IncomingMessage,
  body: string | undefined,
): Promise<number | CarrierResult> => {
  const purpose = PURPOSES.get(url);
  if (method === 'GET' && url === '/health') return 204;
  if (method !== 'POST' || !purpose) return 404;
  if (body === undefined) return 413;
  const { key } = service;
  if (key === undefined) return 503;
  if (!isCarrierBody(key, purpose, { headers: headers as Record<string, string>, body }, service.clock())) return 401;
  const forwarded = headers['x-smpp-forwarded'] !== undefined;
  if (purpose === 'submit') {
    const message = parsed(carrierSubmit, body);
    return message ? service.submit(message, forwarded) : 400;
  }
  const query = parsed(carrierStatus, body);
  return query ? service.status(query.messageId, forwarded) : 400;
};

const answer = async (service: CarrierService, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await bodyOf(request);
  const found = await serve(service, request, body);
  if (typeof found === 'number') response.writeHead(found, body === undefined ? { connection: 'close' } : {}).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
};

/** Where the adapter of the carrier's provider, and other processes, hand messages to the service. Rejects where the port cannot be had. */
export const startCarrierHttp = async (
  service: CarrierService,
  { port, host, onFault }: { readonly port: number; readonly host: string; readonly onFault: (error: unknown) => void },
) => {
  const server = createServer({ requestTimeout: REQUEST_MS, keepAliveTimeout: 10_000 }, (request, response) => {
    answer(service, request, response).catch((error: unknown) => {
      onFault(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    },
  };
};
