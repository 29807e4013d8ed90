import { Messaging, type MessagingOptions } from '../../sdk/typescript/src/index.ts';

/** A request as the client sent it. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly init: RequestInit;
}

type Reply = Response | Error | ((sent: Sent, signal: AbortSignal) => Response | Promise<Response>);

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** A problem document as the service answers it. */
export const problem = (status: number, code: string, fields: object = {}, headers: Record<string, string> = {}) =>
  new Response(
    JSON.stringify({
      type: '/docs/errors/x',
      title: 'Title',
      status,
      detail: 'Detail.',
      instance: '/x',
      code,
      requestId: 'req_1',
      ...fields,
    }),
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );

/** An answer that never comes: the connection ends when the client gives up. */
export const never: Reply = (_, signal) =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
  );

/** A client whose requests get these replies in turn, the last of them again and again, and the requests that it sent. */
export const clientOf = (replies: readonly Reply[], options: Partial<MessagingOptions> = {}) => {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    const given = new Request(new URL(String(url), 'http://service'), init);
    const entry = {
      method: given.method,
      url: String(url),
      headers: Object.fromEntries(given.headers),
      body: await given.text(),
      init,
    };
    sent.push(entry);
    const reply = replies[Math.min(sent.length, replies.length) - 1];
    if (reply instanceof Error || !reply) throw reply ?? new Error('No reply was planned.');
    return typeof reply === 'function' ? reply(entry, init.signal as AbortSignal) : reply.clone();
  };
  const messaging = new Messaging({ baseUrl: 'https://messaging.example', apiKey: 'svc_test_key', fetch, ...options });
  return { messaging, sent };
};

/** The rejection of a promise. */
export const failure = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
};
