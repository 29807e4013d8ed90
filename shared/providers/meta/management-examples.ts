import * as z from 'zod';
import { detectType, HEAD_BYTES } from '../../domain/channels/whatsapp/media/signatures.ts';
import type { MetaAnswer, MetaApi } from '../../domain/channels/whatsapp/numbers/meta-port.ts';
import type { ProviderIo } from '../../domain/message/provider-port.ts';
import type { WebhookConnections } from '../webhooks/connections.ts';
import type { GraphClient, GraphOptions } from './graph.ts';
import { managementAnswer, pathSegment } from './management-answers.ts';
import { type FileReply, readPublicFile } from './public-file.ts';

/** Meta's size limit of a video, the largest kind of example. */
const MAX_BYTES = 16 * 1024 * 1024;
/** In ms. Together with the three other calls they fit into the operation's timeout. */
const READ_MS = 4_000;
const UPLOAD_MS = 5_000;

/** reference/media/media-api: the URL of an upload; valid for five minutes, and only with the token. */
const media = z.object({ url: z.url(), file_size: z.coerce.number().nonnegative().optional() });
/** docs/graph-api/guides/upload: the id is the path of the next call, with a signature as its query. */
const session = z.object({ id: z.string().regex(/^upload:[\w=+~.:-]{1,2048}(?:\?[\w=&.~%-]{1,2048})?$/) });
const handle = z.object({ h: z.string().min(1).max(16_384) });

const refused = (detail: string): MetaAnswer<never> => ({ kind: 'refused', cause: 'content', detail });

/** The token is sent only to Meta's own hosts, whatever URL a response contains. */
const isMetaHost = (url: URL, baseUrl: string): boolean =>
  url.origin === new URL(baseUrl).origin ||
  (url.protocol === 'https:' && /(?:^|\.)(?:fbsbx|facebook|fbcdn)\.(?:com|net)$/.test(url.hostname));

const bytesOf = async (response: Response): Promise<FileReply> => {
  if (response.status !== 200) return { kind: 'fault', detail: `HTTP ${response.status}` };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) return { kind: 'fault', detail: `longer than ${MAX_BYTES} bytes` };
    chunks.push(chunk);
  }
  return { kind: 'read', bytes: Buffer.concat(chunks) };
};

/** Downloads an upload from Meta. */
const readMedia = async (
  io: ProviderIo,
  graph: GraphClient,
  { accessToken, baseUrl }: GraphOptions,
  mediaId: string,
): Promise<MetaAnswer<FileReply>> => {
  const found = managementAnswer(await graph.request('GET', pathSegment(mediaId), media), (value) => value);
  if (found.kind !== 'done') return found;
  const url = new URL(found.value.url);
  if (!isMetaHost(url, baseUrl)) return { kind: 'uncertain', detail: 'meta: an address that is not its own' };
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
  /** The Meta app that uploads examples; without it none can be uploaded. */
  readonly appId?: string | undefined;
  /** Connections that reach public hosts only. */
  readonly connections: () => WebhookConnections;
}

const upload = async (
  { graph, options, appId = '' }: Examples,
  bytes: Buffer,
  mimeType: string,
): Promise<MetaAnswer<string>> => {
  const query = { file_length: bytes.length, file_type: mimeType };
  const begun = managementAnswer(
    await graph.request('POST', `${pathSegment(appId)}/uploads`, session, { query }),
    ({ id }) => id,
  );
  if (begun.kind !== 'done') return begun;
  const reply = await graph.request('POST', begun.value, handle, {
    stream: { body: ReadableStream.from([bytes]), contentType: mimeType, length: bytes.length },
    // This call takes the token as `OAuth`, and the offset of the first byte.
    headers: { authorization: `OAuth ${options.accessToken}`, file_offset: '0' },
    timeoutMs: UPLOAD_MS,
  });
  return managementAnswer(reply, ({ h }) => h);
};

/**
 * Uploads examples of media headers through the Resumable Upload API (docs/graph-api/guides/upload): opens a session of the app for a size
 * and type, then sends the bytes. Templates refer to the returned handle.
 */
export const exampleCalls = (examples: Examples): Pick<MetaApi, 'uploadExample'> => ({
  uploadExample: async (source, types) => {
    const { io, graph, options, appId, connections } = examples;
    if (appId === undefined)
      return { kind: 'refused', cause: 'unavailable', detail: 'the setting appId of the whatsapp provider is missing' };
    const answer: MetaAnswer<FileReply> =
      'mediaId' in source
        ? await readMedia(io, graph, options, source.mediaId)
        : {
            kind: 'done',
            value: await readPublicFile(source.url, connections(), { maxBytes: MAX_BYTES, timeoutMs: READ_MS }),
          };
    if (answer.kind !== 'done') return answer;
    const file = answer.value;
    if (file.kind === 'fault') return refused(`the example of the header cannot be read: ${file.detail}`);
    const found = detectType(file.bytes.subarray(0, HEAD_BYTES))?.mimeType;
    if (found === undefined || !types.includes(found))
      return refused(`the example of the header is not of ${types.join(', ')}`);
    return upload(examples, file.bytes, found);
  },
});
