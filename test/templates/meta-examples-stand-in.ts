import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from '../support/loopback.ts';

export const APP_ID = '670843887433847';
const SESSION = 'upload:MTphdHRhY2htZW50OjRiOGM5?sig=ARZqkGCA_uQMxC8nHKI';

interface Session {
  readonly length: number;
  readonly type: string;
}

/**
 * The part of the Graph API that reviews templates with examples, on loopback: uploads that it has are read back in two steps
 * (reference/media/media-api), files are uploaded by the Resumable Upload API in two steps (docs/graph-api/guides/upload), and a template
 * with a media header is created only with the handle that the second answered.
 */
export const startMetaExamples = async (token: string) => {
  const media = new Map<string, Buffer>();
  const uploaded = new Map<string, { readonly bytes: Buffer; readonly type: string }>();
  const templates: { readonly components: readonly Record<string, unknown>[] }[] = [];
  const state: { session?: Session; failUploads: boolean; mediaHost?: string; made: number } = {
    failUploads: false,
    made: 0,
  };
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const problem = (response: ServerResponse, status: number, code: number) =>
    json(response, status, { error: { message: '(#100) words', type: 'OAuthException', code } });
  const handlesIn = (value: unknown): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, each]) =>
          name === 'header_handle' ? (each as string[]) : handlesIn(each),
        );

  const takeBytes = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const { authorization, file_offset: offset } = request.headers;
    const { session } = state;
    if (authorization !== `OAuth ${token}` || offset !== '0') return problem(response, 401, 190);
    if (!session || session.length !== body.length) return problem(response, 400, 100);
    const h = `4:${Buffer.from(`file-${++state.made}`).toString('base64')}`;
    uploaded.set(h, { bytes: body, type: session.type });
    return json(response, 200, { h });
  };
  const createTemplate = (response: ServerResponse, body: Buffer) => {
    const template = JSON.parse(body.toString());
    if (!handlesIn(template).every((handle) => uploaded.has(handle))) return problem(response, 400, 100);
    templates.push(template);
    return json(response, 200, { id: String(9_000 + templates.length), status: 'PENDING', category: 'MARKETING' });
  };

  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://graph.example');
      const file = /^\/files\/(\d+)$/.exec(url.pathname)?.[1];
      const bytes = media.get(file ?? '');
      if (file !== undefined)
        return bytes && request.headers.authorization === `Bearer ${token}`
          ? response.writeHead(200).end(bytes)
          : response.writeHead(404).end();
      if (request.method === 'POST' && request.url === `/v24.0/${SESSION}`) return takeBytes(request, response, body);
      if (request.headers.authorization !== `Bearer ${token}`) return problem(response, 401, 190);
      if (url.pathname === `/v24.0/${APP_ID}/uploads`) {
        if (state.failUploads) return problem(response, 500, 2);
        const { file_length: length, file_type: type } = Object.fromEntries(url.searchParams);
        state.session = { length: Number(length), type: type ?? '' };
        return json(response, 200, { id: SESSION });
      }
      if (url.pathname.endsWith('/message_templates')) return createTemplate(response, body);
      const id = url.pathname.split('/').at(-1) ?? '';
      if (!media.has(id)) return problem(response, 400, 100);
      const host = state.mediaHost ?? `http://${request.headers.host}`;
      return json(response, 200, { id, url: `${host}/files/${id}`, file_size: String(media.get(id)?.length) });
    });
  });
  const { url, close } = await listening(server);
  return { baseUrl: url, media, uploaded, templates, state, close };
};
export type MetaExamplesStandIn = Awaited<ReturnType<typeof startMetaExamples>>;
