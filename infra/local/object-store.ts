import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { linger } from './body.ts';
import { answerCors } from './bucket-cors.ts';
import type { Engine } from './engines.ts';
import { multipartCall, type Refuse, serveMultipart } from './multipart.ts';
import { isSigned } from './signed-request.ts';

/** The secret access key of the only accepted credential, as `shared/storage/client/bucket-client.ts` signs locally. */
const SECRET = 'local';

const object = z.object({ contentType: z.string(), size: z.int(), etag: z.string() });

const errorXml = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`;

const refuse: Refuse = (request, response, status, code) => {
  const body = errorXml(code);
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': length, connection: 'close' });
  response.write(body);
  linger(request, response);
};

/** Objects that do not expire: files of cards. */
const KEPT = /^\/[^/]+\/cards\//;
const KEPT_NAME = 'kept-';

/** The files of an object. Object keys are caller-chosen text, so file names are their hashes. */
const filesOf = (folder: string, path: string) => {
  const name = (KEPT.test(path) ? KEPT_NAME : '') + createHash('sha256').update(path).digest('hex');
  return { bytes: join(folder, name), metadata: join(folder, `${name}.json`), tombstone: join(folder, `${name}.gone`) };
};
type Files = ReturnType<typeof filesOf>;

/** Whether the object was deleted. Its presigned URL must not recreate it, because nothing would delete it again. */
const wasDeleted = ({ tombstone }: Files): Promise<boolean> =>
  access(tombstone).then(
    () => true,
    () => false,
  );

/** Makes a file the object's content; returns its new version, which, as in an encrypted bucket, does not depend on the bytes. */
const keepObject = async (files: Files, from: string, contentType: string): Promise<string> => {
  const { size } = await stat(from);
  const etag = `"${randomUUID()}"`;
  await rename(from, files.bytes);
  await writeFile(files.metadata, JSON.stringify({ contentType, size, etag }));
  return etag;
};

const put = async (folder: string, files: Files, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (await wasDeleted(files)) return refuse(request, response, 403, 'AccessDenied');
  const part = join(folder, `${randomUUID()}.part`);
  let etag = '';
  try {
    await pipeline(request, createWriteStream(part));
    const contentType = request.headers['content-type'] ?? 'binary/octet-stream';
    etag = await keepObject(files, part, contentType);
  } finally {
    await rm(part, { force: true });
  }
  // Deleted while the bytes arrived: whichever of the two came last, nothing remains.
  if (await wasDeleted(files)) {
    await deleteFiles(files);
    return refuse(request, response, 403, 'AccessDenied');
  }
  response.writeHead(200, { 'content-length': 0, etag }).end();
};

/** The bytes of a range; all of them without one. Undefined if it contains none. */
const rangeOf = (range: string | undefined, size: number): { start: number; end: number } | undefined => {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? 'bytes=0-') ?? [];
  const start = Number(from);
  return start < size || size === 0 ? { start, end: Math.min(to ? Number(to) : size - 1, size - 1) } : undefined;
};

const get = async (
  { bytes, metadata }: Files,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const text = await readFile(metadata, 'utf8').catch(() => undefined);
  if (text === undefined) return refuse(request, response, 404, 'NoSuchKey');
  const { contentType, size, etag } = object.parse(JSON.parse(text));
  const disposition = query.get('response-content-disposition');
  const { range, 'if-match': wanted } = request.headers;
  if (wanted !== undefined && wanted !== etag) return refuse(request, response, 412, 'PreconditionFailed');
  const part = rangeOf(range, size);
  if (!part) return refuse(request, response, 416, 'InvalidRange');
  const { start, end } = part;
  response.writeHead(range ? 206 : 200, {
    'content-type': query.get('response-content-type') ?? contentType,
    ...(disposition === null ? {} : { 'content-disposition': disposition }),
    'content-length': end - start + 1,
    etag,
    ...(range ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}),
  });
  if (request.method === 'HEAD' || size === 0) response.end();
  else await pipeline(createReadStream(bytes, { start, end }), response);
};

const deleteFiles = async ({ bytes, metadata }: Files): Promise<void> => {
  await rm(metadata, { force: true });
  await rm(bytes, { force: true });
};

const remove = async (files: Files, response: ServerResponse): Promise<void> => {
  await writeFile(files.tombstone, '');
  await deleteFiles(files);
  response.writeHead(204).end();
};

/** Other objects expire after a day, like by the lifecycle rule of the deployed bucket; in ms. */
const KEEP_MS = 24 * 3_600_000;
const SWEEP_MS = 3_600_000;
const sweep = async (folder: string): Promise<void> => {
  const oldest = Date.now() - KEEP_MS;
  for (const name of await readdir(folder)) {
    if (name.startsWith(KEPT_NAME)) continue;
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: oldest }));
    if (mtimeMs < oldest) await rm(file, { force: true });
  }
};

const serve = async (folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = 'GET', url: target = '/', headers } = request;
  if (!isSigned({ method, target, headers }, SECRET, Date.now()))
    return refuse(request, response, 403, 'SignatureDoesNotMatch');
  const [path = '', query = ''] = target.split('?');
  const files = filesOf(folder, decodeURIComponent(path));
  const parameters = new URLSearchParams(query);
  const multipart = multipartCall(method, parameters);
  if (multipart) {
    const keep = (from: string, contentType: string) => keepObject(files, from, contentType);
    return serveMultipart(multipart, { base: files.bytes, request, response, keep, refuse });
  }
  if (method === 'PUT') return put(folder, files, request, response);
  if (method === 'GET' || method === 'HEAD') return get(files, parameters, request, response);
  if (method === 'DELETE') return remove(files, response);
  return refuse(request, response, 405, 'MethodNotAllowed');
};

/**
 * A local S3 with the operations that uploads and jobs use (PUT, GET and HEAD with ranges and versions, DELETE, uploads in parts), on files in `folder`. Unlike fauxqs's S3 it streams objects of any
 * size to disk and verifies signatures as S3 does, so that a presigned URL that the deployment would refuse is refused here. A deleted
 * object cannot be put again, and objects other than files of cards expire after a day. `origins`: of pages that may put files.
 */
export const startObjectStore = async (folder: string, origins: readonly string[] = []): Promise<Engine> => {
  await mkdir(folder, { recursive: true });
  await sweep(folder);
  // Failures are retried at the next sweep.
  const sweeping = setInterval(() => void sweep(folder).catch(() => undefined), SWEEP_MS).unref();
  const server = createServer({ requestTimeout: 600_000 }, (request, response) => {
    if (answerCors(request, response, origins)) return;
    serve(folder, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(request, response, 500, 'InternalError');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      clearInterval(sweeping);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
