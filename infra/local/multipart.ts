import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Answers an error as S3 does. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, status: number, code: string) => void;

/** A call of an upload in parts. */
export type MultipartCall =
  | { readonly kind: 'begin' }
  | { readonly kind: 'part'; readonly uploadId: string; readonly part: number }
  | { readonly kind: 'abort' | 'complete'; readonly uploadId: string };

/** The minimum size of all parts but the last (Amazon S3 multipart upload limits). */
const MIN_PART_BYTES = 5 * 1024 * 1024;

/** The call of an upload in parts that a request is; undefined for any other. */
export const multipartCall = (method: string, query: URLSearchParams): MultipartCall | undefined => {
  if (method === 'POST' && query.has('uploads')) return { kind: 'begin' };
  const uploadId = query.get('uploadId');
  if (uploadId === null || !/^[0-9a-f-]{36}$/.test(uploadId)) return undefined;
  if (method === 'PUT') return { kind: 'part', uploadId, part: Number(query.get('partNumber')) };
  if (method === 'POST') return { kind: 'complete', uploadId };
  return method === 'DELETE' ? { kind: 'abort', uploadId } : undefined;
};

/** Where the object's parts are, and how it becomes whole. */
interface Place {
  /** The file of the object: those of its parts begin with its name. */
  readonly base: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Makes a file the object; answers its version. */
  readonly keep: (from: string, contentType: string) => Promise<string>;
  readonly refuse: Refuse;
}

const beginFile = (base: string, uploadId: string): string => `${base}.${uploadId}.upload`;
const partFile = (base: string, uploadId: string, part: number): string => `${base}.${uploadId}.${part}`;

const xml = (response: ServerResponse, name: string, fields: Readonly<Record<string, string>>): void => {
  const inner = Object.entries(fields).map(([key, value]) => `<${key}>${value}</${key}>`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${inner.join('')}</${name}>`;
  response.writeHead(200, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(body) }).end(body);
};

const removeUpload = async (base: string, uploadId: string): Promise<void> => {
  const prefix = `${basename(base)}.${uploadId}.`;
  for (const name of await readdir(dirname(base)))
    if (name.startsWith(prefix)) await rm(join(dirname(base), name), { force: true });
};

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const complete = async (uploadId: string, contentType: string, place: Place): Promise<void> => {
  const { base, request, response, keep, refuse } = place;
  const body = await textOf(request);
  const numbers = [...body.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, part]) => Number(part));
  const parts = numbers.map((part) => partFile(base, uploadId, part));
  const sizes = await Promise.all(
    parts.map((part) =>
      stat(part).then(
        ({ size }) => size,
        () => undefined,
      ),
    ),
  );
  if (sizes.includes(undefined)) return refuse(request, response, 400, 'InvalidPart');
  if (sizes.slice(0, -1).some((size = 0) => size < MIN_PART_BYTES))
    return refuse(request, response, 400, 'EntityTooSmall');
  const whole = `${base}.${uploadId}.whole`;
  await writeFile(whole, '');
  for (const part of parts) await pipeline(createReadStream(part), createWriteStream(whole, { flags: 'a' }));
  const etag = await keep(whole, contentType);
  await removeUpload(base, uploadId);
  xml(response, 'CompleteMultipartUploadResult', { ETag: etag.replaceAll('"', '&quot;') });
};

/** Serves a call of a multipart upload, with files next to the object's. */
export const serveMultipart = async (call: MultipartCall, place: Place): Promise<void> => {
  const { base, request, response, refuse } = place;
  if (call.kind === 'begin') {
    const uploadId = randomUUID();
    await writeFile(beginFile(base, uploadId), request.headers['content-type'] ?? 'binary/octet-stream');
    return xml(response, 'InitiateMultipartUploadResult', { UploadId: uploadId });
  }
  const contentType = await readFile(beginFile(base, call.uploadId), 'utf8').catch(() => undefined);
  if (contentType === undefined) return refuse(request, response, 404, 'NoSuchUpload');
  if (call.kind === 'part') {
    await pipeline(request, createWriteStream(partFile(base, call.uploadId, call.part)));
    response.writeHead(200, { 'content-length': 0, etag: `"${randomUUID()}"` }).end();
    return;
  }
  if (call.kind === 'complete') return complete(call.uploadId, contentType, place);
  await removeUpload(base, call.uploadId);
  response.writeHead(204).end();
};
