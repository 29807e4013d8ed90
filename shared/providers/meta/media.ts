import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { AboutFile, Bytes, MediaPlatform } from '../../domain/media/ports.ts';
import type { ProviderAnswer, ProviderIo, RefusalCause } from '../../domain/messages/provider.ts';
import { refusal } from '../http.ts';
import { type GraphError, type GraphOptions, graphSettings, graphWords, openGraph } from './graph.ts';

/** The least that an upload may take, and the slowest line that is waited for, in ms and bytes a second. */
const LEAST_MS = 25_000;
const SLOWEST = 256 * 1024;

const uploaded = z.object({ id: z.string().min(1).max(128) });

/** A value within a quoted parameter of multipart/form-data (HTML Standard, "multipart/form-data encoding algorithm"). */
const quoted = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** The fields of the upload, the file last, as multipart/form-data (RFC 7578), in pieces; `length` in bytes. */
const multipart = (file: Bytes, { mimeType, filename, size }: AboutFile) => {
  const boundary = `media-${randomBytes(18).toString('hex')}`;
  const field = (name: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = Buffer.from(
    `${field('messaging_product', 'whatsapp')}${field('type', mimeType)}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted(filename)}"\r\ncontent-type: ${mimeType}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    yield* file;
    yield tail;
  };
  return {
    body: ReadableStream.from(pieces()),
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: head.length + size + tail.length,
  };
};

/** What the Graph API's codes say of an upload (Graph API, Error Handling; WhatsApp Cloud API, Error Codes). */
const causeOf = ({ code, httpStatus }: GraphError): RefusalCause | undefined => {
  if ([0, 3, 10, 102, 190].includes(code) || (code >= 200 && code < 300)) return 'credentials';
  if ([4, 17, 32, 80007, 130429].includes(code) || httpStatus === 429) return 'throttled';
  if (code === 33) return 'sender';
  // An error of the platform's own: whether the file was kept is not known.
  if (httpStatus >= 500) return undefined;
  return 'content';
};

const refused = (error: GraphError): ProviderAnswer => {
  const cause = error.isTransient && error.httpStatus >= 500 ? undefined : causeOf(error);
  const words = graphWords(error);
  return cause ? refusal(cause, words, error.retryAfterSeconds) : { kind: 'unknown', detail: words };
};

const address = z.object({ baseUrl: graphSettings.baseUrl, version: graphSettings.version });
/** Where the Graph API is reached: as the operator's settings of a provider of Meta say, or as Meta documents it. */
export const graphAddress = (settings: unknown): z.output<typeof address> => address.parse(settings ?? {});

/**
 * Uploads media for a number: `POST /{phone-number-id}/media` (WhatsApp Cloud API, Media). The file is never held: it leaves in pieces,
 * behind its length.
 */
export const metaMediaPlatform = (
  io: ProviderIo,
  options: Pick<GraphOptions, 'baseUrl' | 'version'>,
): MediaPlatform => ({
  upload: async ({ phoneNumberId, accessToken }, file, about) => {
    const graph = openGraph(io, { ...options, accessToken, timeoutMs: LEAST_MS });
    const stream = multipart(file, about);
    const timeoutMs = Math.max(LEAST_MS, (about.size / SLOWEST) * 1000);
    const reply = await graph.request('POST', `${encodeURIComponent(phoneNumberId)}/media`, uploaded, {
      stream,
      timeoutMs: Math.round(timeoutMs),
    });
    if (reply.kind === 'ok') return { kind: 'accepted', providerMessageId: reply.value.id };
    if (reply.kind === 'error') return refused(reply);
    if (reply.kind === 'not_sent') return refusal('unavailable', `meta cannot be reached: ${reply.detail}`);
    return {
      kind: 'unknown',
      detail: reply.kind === 'lost' ? `meta: ${reply.detail}` : `meta: HTTP ${reply.httpStatus} that could not be read`,
    };
  },
});
