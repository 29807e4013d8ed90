import { cookieName, setCookie } from '../domain/access/session-cookie.ts';
import type { Entered } from '../domain/access/sessions.ts';
import { type Refusal, refuse } from '../domain/core/errors.ts';
import { settings } from '../wiring/process/aws.ts';
import { header, headerValues, type WithHeaders } from './headers.ts';

/**
 * 403 for a request from a page of another origin, or not from a page: scripts can't set these two headers. Only operations that read or
 * set a cookie need it; all others are authorized by a header that other pages can't add.
 */
export const refuseOtherOrigin = (event: WithHeaders): Refusal<'FORBIDDEN'> | undefined => {
  const [site, origin] = [header(event, 'sec-fetch-site'), header(event, 'origin')];
  const isOwn = site === undefined ? origin === new URL(settings.PUBLIC_URL).origin : site === 'same-origin';
  return isOwn ? undefined : refuse('FORBIDDEN', 'Only pages of this service may do this.');
};

/** The session's cookie; undefined when there is none, or more than one. */
export const sessionCookieOf = (event: WithHeaders): string | undefined => {
  const values = headerValues(event, 'cookie');
  const text = values.length > 0 ? values.join('; ') : (header(event, 'cookie') ?? '');
  const prefix = `${cookieName(settings.STAGE)}=`;
  const found = text.split(/;\s*/).filter((pair) => pair.startsWith(prefix));
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined;
};

/** The Set-Cookie header of a session that was opened in a browser; none for a session without a cookie. */
export const cookieHeaders = ({ cookie, session }: Entered): Record<string, string> =>
  cookie === undefined ? {} : { 'set-cookie': setCookie(settings.STAGE, cookie, session.expiresAt - Date.now()) };
