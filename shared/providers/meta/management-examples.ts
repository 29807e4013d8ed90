import * as z from 'zod';
import { findType, HEAD_BYTES } from '../../domain/media/signatures.ts';
import type { ProviderIo } from '../../domain/messages/provider.ts';
import type { NumberPlatform, PlatformAnswer } from '../../domain/numbers/platform.ts';
import type { WebhookConnections } from '../webhooks/connections.ts';
import type { GraphClient, GraphOptions } from './graph.ts';
import { managed, segment } from './management-answers.ts';
import { type FileReply, readPublicFile } from './public-file.ts';

/** An example that a reviewer looks at; the platform's own limit of a film. */
const MOST_BYTES = 16 * 1024 * 1024;
/** In ms: with the three calls beside them they fit into the operation's time. */
const READ_MS = 4_000;
const UPLOAD_MS = 5_000;

/** reference/media/media-api: the address of an upload, good for five minutes and with the token alone. */
const media = z.object({ url: z.url(), file_size: z.coerce.number().nonnegative().optional() });
/** docs/graph-api/guides/upload: the session is a part of the next address, with a signature as its query. */
const session = z.object({ id: z.string().regex(/^upload:[\w=+~.:-]{1,2048}(?:\?[\w=&.~%-]{1,2048})?$/) });
const handle = z.object({ h: z.string().min(1).max(16_384) });

const refused = (detail: string): PlatformAnswer<never> => ({ kind: 'refused', cause: 'content', detail });

/** The token goes to the platform's own hosts alone, wherever an answer points to. */
const isPlatforms = (url: URL, baseUrl: string): boolean =>
  url.origin === new URL(baseUrl).origin ||
  (url.protocol === 'https:' && /(?:^|\.)(?:fbsbx|facebook|fbcdn)\.(?:com|net)$/.test(url.hostname));

const bytesOf = async (response: Response): Promise<FileReply> => {
  if (response.status !== 200) return { kind: 'fault', detail: `HTTP ${response.status}` };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) return { kind: 'fault', detail: `longer than ${MOST_BYTES} bytes` };
    chunks.push(chunk);
  }
  return { kind: 'read', bytes: Buffer.concat(chunks) };
};

/** Reads an upload back from the platform. */
const readMedia = async (
  io: ProviderIo,
  graph: GraphClient,
  { accessToken, baseUrl }: GraphOptions,
  mediaId: string,
): Promise<PlatformAnswer<FileReply>> => {
  const found = managed(await graph.request('GET', segment(mediaId), media), (value) => value);
  if (found.kind !== 'done') return found;
  const url = new URL(found.value.url);
  if (!isPlatforms(url, baseUrl)) return { kind: 'uncertain', detail: 'meta: an address that is not its own' };
  try {
    const headers = { authorization: `Bearer ${accessToken}` };
    const response = await io.fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(READ_MS) });
    return { kind: 'done', value: await bytesOf(response) };
  } catch {
    return { kind: 'uncertain', detail: 'meta: the upload could not be read back' };
  }
};

interface Examples {
  readonly io: ProviderIo;
  readonly graph: GraphClient;
  readonly options: GraphOptions;
  /** The app that uploads; without it there are no examples. */
  readonly appId?: string | undefined;
  /** Connections to public hosts. */
  readonly connections: () => WebhookConnections;
}

const upload = async (
  { graph, options, appId = '' }: Examples,
  bytes: Buffer,
  mimeType: string,
): Promise<PlatformAnswer<string>> => {
  const query = { file_length: bytes.length, file_type: mimeType };
  const begun = managed(await graph.request('POST', `${segment(appId)}/uploads`, session, { query }), ({ id }) => id);
  if (begun.kind !== 'done') return begun;
  const reply = await graph.request('POST', begun.value, handle, {
    stream: { body: ReadableStream.from([bytes]), contentType: mimeType, length: bytes.length },
    // The upload itself takes the token under another name, and says where it begins.
    headers: { authorization: `OAuth ${options.accessToken}`, file_offset: '0' },
    timeoutMs: UPLOAD_MS,
  });
  return managed(reply, ({ h }) => h);
};

/**
 * Examples of media headers, by the Resumable Upload API (docs/graph-api/guides/upload): a session of the app for so many bytes of a
 * type, then the bytes; the answer's handle is what a template names.
 */
export const exampleCalls = (examples: Examples): Pick<NumberPlatform, 'uploadExample'> => ({
  uploadExample: async (source, types) => {
    const { io, graph, options, appId, connections } = examples;
    if (appId === undefined)
      return { kind: 'refused', cause: 'unavailable', detail: 'the setting appId of the whatsapp provider is missing' };
    const answer: PlatformAnswer<FileReply> =
      'mediaId' in source
        ? await readMedia(io, graph, options, source.mediaId)
        : {
            kind: 'done',
            value: await readPublicFile(source.url, connections(), { mostBytes: MOST_BYTES, timeoutMs: READ_MS }),
          };
    if (answer.kind !== 'done') return answer;
    const file = answer.value;
    if (file.kind === 'fault') return refused(`the example of the header cannot be read: ${file.detail}`);
    const found = findType(file.bytes.subarray(0, HEAD_BYTES))?.mimeType;
    if (found === undefined || !types.includes(found))
      return refused(`the example of the header is not of ${types.join(', ')}`);
    return upload(examples, file.bytes, found);
  },
});
