import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { buildService } from '../../infra/build/service.ts';
import { AWS_DEFAULTS, keyFileOf, stageEnvironment } from '../../infra/local/stages.ts';
import { startMessaging } from '../support/api.ts';
import { tempDir } from '../support/local-stack.ts';
import { listening } from '../support/loopback.ts';
import { connectedNumber, useMetaAt } from '../support/media.ts';
import { portForLater } from '../support/ports.ts';
import { use } from '../support/use.ts';
import { FILES } from './files.ts';

const MB = 1024 * 1024;
/** The largest file that the contract allows: 140,000,000 characters of base64 (docs/spec/media.md#ways-to-upload). */
const SIZE = 105_000_000;
/** The limit of the process's peak memory, in bytes. */
const MAX_RSS = 200 * MB;
/** The limit of its heap: less than half of the file. */
const HEAP_MB = 48;

/** A document of that size, generated in pieces. */
function* file(): Generator<Buffer> {
  const part = Buffer.alloc(192 * 1024, 'Seu pedido saiu para entrega.\n');
  yield FILES.pdf;
  for (let left = SIZE - FILES.pdf.length; left > 0; left -= part.length) yield part.subarray(0, left);
}
const SHA256 = (() => {
  const hash = createHash('sha256');
  for (const part of file()) hash.update(part);
  return hash.digest('hex');
})();

/** The file in base64, in lines of 57 bytes. */
function* json(): Generator<Buffer> {
  yield Buffer.from('{"filename":"catalogo.pdf","mimeType":"application/pdf","dataBase64":"');
  let rest = Buffer.alloc(0);
  for (const part of file()) {
    const all = Buffer.concat([rest, part]);
    const whole = all.length - (all.length % 57);
    rest = all.subarray(whole);
    yield Buffer.from(all.subarray(0, whole).toString('base64').replaceAll(/.{76}/g, '$&\\r\\n'));
  }
  yield Buffer.from(`${rest.toString('base64')}"}`);
}

/** A stand-in of Meta that counts the bytes of the uploads and discards them. */
const uploads: { bytes: number }[] = [];
const meta = await use(
  listening(
    createServer((request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on('end', () => {
        uploads.push({ bytes });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1037543291543636"}');
      });
    }),
  ),
);

/** The peak memory of a process in bytes (proc(5), VmHWM); NaN where the system does not report it. */
const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
};

const messaging = await use(startMessaging());
const owner = await messaging.tenant();
const number = await connectedNumber(messaging, owner, 'live');
const port = await portForLater();
const url = `http://127.0.0.1:${port}`;
await useMetaAt(messaging, meta.url);
const settings = {
  publicUrl: url,
  dynamodbEndpoint: messaging.dynamodbEndpoint,
  sqsEndpoint: messaging.sqsEndpoint,
  s3Endpoint: url,
  keyFile: keyFileOf(messaging.dataDir),
  archiveFolder: messaging.dataDir,
  queueUrls: {},
};
const container = await tempDir();
await buildService({
  container: 'gateway',
  root: join(import.meta.dirname, '../..'),
  dist: join(tmpdir(), 'dist'),
  outDir: container,
});
const env = { ...process.env, ...AWS_DEFAULTS, ...stageEnvironment('live', settings) };
const service = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, join(container, 'main.mjs')], {
  env: { ...env, PORT: String(port), HOST: '127.0.0.1' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (service.stdout)
  for await (const line of createInterface({ input: service.stdout })) if (line.includes('"ready"')) break;
service.stdout?.resume();
afterAll(async () => {
  if (service?.exitCode === null) {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
});

const post = async (path: string, body: Iterable<Buffer>, type: string) => {
  const response = await fetch(`${url}/numbers/${number}/media${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.live.key}`, 'content-type': type },
    body: ReadableStream.from(body),
    duplex: 'half',
  });
  return { status: response.status, body: await response.json() };
};

describe('the gateway service, with 105 MB of media', () => {
  test.each([
    ['bytes', '/binary?filename=catalogo.pdf', () => file(), 'application/pdf'],
    ['base64 in lines of 76 columns', '', () => json(), 'application/json'],
  ] as const)('passes %s on completely, and stays below 200 MB', { timeout: 120_000 }, async (_, path, body, type) => {
    const { status, body: result } = await post(path, body(), type);
    expect({ status, result }).toMatchObject({ status: 201, result: { kind: 'document', size: SIZE, sha256: SHA256 } });
    expect(uploads.at(-1)?.bytes).toBeGreaterThan(SIZE);
    const peak = await peakOf(service.pid ?? 0);
    console.info(`peak memory: ${Math.round(peak / MB)} MB`);
    if (process.platform === 'linux') expect(peak).toBeLessThan(MAX_RSS);
  });

  test('serves only media and its health check', async () => {
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/v2/wallet`)).status).toBe(404);
    expect((await fetch(`${url}/numbers/${number}/media`, { method: 'POST' })).status).toBe(401);
  });
});
