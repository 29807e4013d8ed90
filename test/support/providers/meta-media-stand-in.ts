import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from '../loopback.ts';

/** A file as Meta received it. */
export interface UploadedFile {
  readonly id: string;
  readonly path: string;
  readonly authorization: string | undefined;
  /** The Content-Length of the request. */
  readonly length: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly filename: string;
  readonly mimeType: string;
  readonly size: number;
  readonly sha256: string;
}

/** How the next upload is answered: `error` in the Graph API's own form. */
export type MediaPlay =
  | 'reset'
  | 'malformed'
  | 'hang'
  | { readonly status: number; readonly error: { readonly code: number; readonly is_transient?: boolean } };

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
};

/** Parses the form with Node's parser of multipart/form-data, which is not the code that wrote it. */
const readForm = async (
  request: IncomingMessage,
): Promise<Pick<UploadedFile, 'fields' | 'filename' | 'mimeType' | 'size' | 'sha256'>> => {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(await buffer(request), { headers }).formData();
  const fields: Record<string, string> = {};
  let file: File | undefined;
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value;
    else if (name === 'file' && !file) file = value;
    else throw new Error('more than one file');
  }
  if (!file) throw new Error('no file');
  const bytes = Buffer.from(await file.arrayBuffer());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { fields, filename: file.name, mimeType: file.type, size: bytes.length, sha256 };
};

const OAUTH = { message: 'Invalid OAuth access token.', type: 'OAuthException', code: 190, fbtrace_id: 'AbCdEf123' };
const PARAMETER = { message: '(#100) Invalid parameter', type: 'OAuthException', code: 100, fbtrace_id: 'AbCdEf123' };

/**
 * `POST /{version}/{phone-number-id}/media` of the WhatsApp Cloud API on loopback: takes one file, `messaging_product` and `type`,
 * refuses what lacks them or the token, and answers with an id.
 */
export const startMetaMedia = async ({ accessToken = 'EAA-token' }: { readonly accessToken?: string } = {}) => {
  const files: UploadedFile[] = [];
  const plays: MediaPlay[] = [];

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const { authorization } = request.headers;
    const read = await readForm(request).catch(() => undefined);
    const play = plays.shift();
    if (play === 'hang') return;
    if (play === 'reset') return void request.socket.destroy();
    if (play === 'malformed') return json(response, 200, { uploaded: true });
    if (play)
      return json(response, play.status, { error: { message: 'refused', type: 'OAuthException', ...play.error } });
    if (authorization !== `Bearer ${accessToken}`) return json(response, 401, { error: OAUTH });
    const complete =
      request.method === 'POST' &&
      /^\/v\d+\.\d\/\d+\/media$/.test(path) &&
      read?.fields.messaging_product === 'whatsapp';
    if (!complete || read.fields.type !== read.mimeType) return json(response, 400, { error: PARAMETER });
    const id = String(1_037_543_291_543_636 + files.length);
    files.push({ id, path, authorization, length: request.headers['content-length'], ...read });
    json(response, 200, { id });
  };

  const server = createServer(
    (request, response) => void serve(request, response).catch(() => request.socket.destroy()),
  );
  const { url, close } = await listening(server);
  return {
    baseUrl: url,
    accessToken,
    files: files as readonly UploadedFile[],
    script: (...next: readonly MediaPlay[]) => void plays.push(...next),
    close,
  };
};
