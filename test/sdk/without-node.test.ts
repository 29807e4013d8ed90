import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { newSecret, sign } from '../../shared/domain/webhooks/signature.ts';
import { startMessaging } from '../support/api.ts';
import { use } from '../support/use.ts';
import { newProject } from './packed.ts';

const messaging = await use(startMessaging());

/** The APIs of every web runtime (WinterTC's minimum common API), as far as the SDK uses them. */
const WEB = {
  AbortController,
  AbortSignal,
  atob,
  Blob,
  clearTimeout,
  crypto,
  fetch,
  Headers,
  ReadableStream,
  Request,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
  Uint8Array,
  ArrayBuffer,
  URL,
  URLSearchParams,
};

const bundled = async (): Promise<string> => {
  const folder = await newProject('neutral');
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export * from 'multichannel-messaging-sdk';", resolveDir: folder },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    platform: 'neutral',
    format: 'iife',
    globalName: 'sdk',
    absWorkingDir: folder,
    logLevel: 'silent',
  });
  const inputs = Object.entries(metafile.inputs).filter(([file]) => file !== '<stdin>');
  for (const [file, { imports }] of inputs) {
    expect(file).toContain(join('node_modules', 'multichannel-messaging-sdk', 'dist'));
    expect(imports.filter(({ external }) => external)).toEqual([]);
  }
  return outputFiles[0]?.text ?? '';
};

describe('without anything of Node', () => {
  it('the SDK sends, reads pages, and verifies webhooks with what every runtime of the web has', async () => {
    const { test } = await messaging.tenant();
    await Promise.all([1, 2, 3].map(() => test.send()));
    const [secret, now] = [newSecret(), Math.floor(Date.now() / 1000)];
    const body = JSON.stringify({ id: 'evt_1', type: 'sms.delivered', data: {} });
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(now),
      'webhook-signature': sign([secret], 'evt_1', now, body),
    };
    const given = { baseUrl: messaging.url, apiKey: test.key, secret, body, headers };

    const context = createContext({ ...WEB, given });
    expect(runInContext('typeof process + typeof Buffer + typeof require', context)).toBe('undefined'.repeat(3));
    runInContext(`${await bundled()};globalThis.sdk = sdk`, context);
    const done = runInContext(
      `(async () => {
        const messaging = new sdk.Messaging(given);
        const sent = await messaging.sms.send({ to: '+5511999990005', body: 'Olá!', route: 'premium' });
        const ids = [];
        for await (const { id } of messaging.sms.list({ limit: 2 })) ids.push(id);
        const refused = await messaging.sms.get('msg_0').catch((error) => error);
        const event = await sdk.verifyWebhook(given);
        return JSON.stringify({ status: sent.status, count: ids.length, refused: sdk.isProblem(refused, 'NOT_FOUND'), type: event.type });
      })()`,
      context,
    ) as Promise<string>;
    expect(JSON.parse(await done)).toEqual({ status: 'sent', count: 4, refused: true, type: 'sms.delivered' });
  }, 180_000);
});
