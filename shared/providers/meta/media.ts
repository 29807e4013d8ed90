import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { ByteStream, FileInfo, MetaMediaApi } from '../../domain/channels/whatsapp/media/ports.ts';
import type { ProviderAnswer, ProviderIo, RefusalCause } from '../../domain/message/provider-port.ts';
import { refusal } from '../http.ts';
import { describeGraphError, type GraphError, type GraphOptions, graphSettings, openGraph } from './graph.ts';

/** Timeout of an upload: at least this, in ms, and longer at this rate, in bytes per second. */
const MIN_TIMEOUT_MS = 25_000;
const MIN_BYTES_PER_SECOND = 256 * 1024;

const uploaded = z.object({ id: z.string().min(1).max(128) });

/** Escapes a quoted parameter of multipart/form-data (HTML Standard, "multipart/form-data encoding algorithm"). */
const quoted = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** Streams the upload as multipart/form-data (RFC 7578), the file last; `length` in bytes. */
const multipart = (file: ByteStream, { mimeType, filename, size }: FileInfo) => {
  const boundary = `media-${randomBytes(18).toString('hex')}`;
  const field = (name: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = Buffer.from(
    `${field('messaging_product', 'whatsapp')}${field('type', mimeType)}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted(filename)}"\r\ncontent-type: ${mimeType}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    yield* file;
    yield tail;
  };
  return {
    body: ReadableStream.from(chunks()),
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: head.length + size + tail.length,
  };
};

/** Cause of a failed upload by the error's code (Graph API, Error Handling; WhatsApp Cloud API, Error Codes). */
const causeOf = ({ code, httpStatus }: GraphError): RefusalCause | undefined => {
  if ([0, 3, 10, 102, 190].includes(code) || (code >= 200 && code < 300)) return 'credentials';
  if ([4, 17, 32, 80007, 130429].includes(code) || httpStatus === 429) return 'throttled';
  if (code === 33) return 'sender';
  // A server error: the file may have been stored.
  if (httpStatus >= 500) return undefined;
  return 'content';
};

const refused = (error: GraphError): ProviderAnswer => {
  const cause = error.isTransient && error.httpStatus >= 500 ? undefined : causeOf(error);
  const summary = describeGraphError(error);
  return cause ? refusal(cause, summary, error.retryAfterSeconds) : { kind: 'unknown', detail: summary };
};

const address = z.object({ baseUrl: graphSettings.baseUrl, version: graphSettings.version });
/** Where the Graph API is reached: from the operator's settings of a Meta provider, or Meta's documented address. */
export const graphAddress = (settings: unknown): z.output<typeof address> => address.parse(settings ?? {});

/**
 * Uploads media for a number: `POST /{phone-number-id}/media` (WhatsApp Cloud API, Media). The file is streamed, never buffered as a whole.
 */
export const metaMediaApi = (io: ProviderIo, options: Pick<GraphOptions, 'baseUrl' | 'version'>): MetaMediaApi => ({
  upload: async ({ phoneNumberId, accessToken }, file, about) => {
    const graph = openGraph(io, { ...options, accessToken, timeoutMs: MIN_TIMEOUT_MS });
    const stream = multipart(file, about);
    const timeoutMs = Math.max(MIN_TIMEOUT_MS, (about.size / MIN_BYTES_PER_SECOND) * 1000);
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
