import { currentToken, renewNow } from './app/session.ts';
import { Messaging } from './sdk.ts';

/** The service as the console uses it: every call of an area goes through here. */

const bearerOf = (init: RequestInit | undefined): string =>
  new Headers(init?.headers).get('authorization')?.replace(/^Bearer /, '') ?? '';

/** As `fetch`; a token that is refused is renewed, and the request repeated with the new one. Throws SessionEnded. */
const renewingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status !== 401) return response;
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${await renewNow(bearerOf(init))}`);
  return fetch(input, { ...init, headers });
};

/** The client of the person who is signed in, in the chosen environment. No call carries the cookie. */
export const api = new Messaging({
  baseUrl: '',
  apiKey: currentToken,
  credentials: 'omit',
  // Queries repeat by themselves, and say so to the person.
  maxRetries: 1,
  fetch: renewingFetch,
});
