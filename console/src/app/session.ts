import { useSyncExternalStore } from 'react';
import { Problem } from './problem.ts';

/** Who is signed in: docs/console.md#signing-in. The token is in memory alone; a cookie that no script sees renews it. */

export type Environment = 'live' | 'test';
export type Role = 'viewer' | 'support' | 'developer' | 'admin' | 'owner';

/** What the service answers to whom enters a session. */
export interface Session {
  readonly token: string;
  readonly expiresAt: string;
  readonly session: { readonly id: string; readonly expiresAt: string };
  readonly person: { readonly accountId: string; readonly name: string; readonly email: string; readonly role: Role };
  readonly organization: { readonly id: string; readonly name: string; readonly env: Environment };
  readonly scopes: readonly string[];
}

/** Thrown by calls once nobody is signed in any more. */
export class SessionEnded extends Error {
  constructor() {
    super('The session has ended.');
    this.name = 'SessionEnded';
  }
}

/** A token is renewed this long before it ends, in ms. */
const AHEAD_MS = 60_000;
const ENVIRONMENT_KEY = 'console-environment';

const storedEnvironment = (): Environment => (localStorage.getItem(ENVIRONMENT_KEY) === 'test' ? 'test' : 'live');

const open: Partial<Record<Environment, Session>> = {};
let environment = storedEnvironment();
let snapshot: { readonly environment: Environment; readonly session: Session | undefined } = {
  environment,
  session: undefined,
};
const listeners = new Set<() => void>();
const changed = (): void => {
  snapshot = { environment, session: open[environment] };
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The chosen environment and the session that is open in it. */
export const useSession = () => useSyncExternalStore(subscribe, () => snapshot);
/** The same, outside of components. */
export const sessionNow = () => snapshot;

/** Chooses the environment. Whoever is not signed in there is asked to. */
export const chooseEnvironment = (chosen: Environment): void => {
  environment = chosen;
  localStorage.setItem(ENVIRONMENT_KEY, chosen);
  changed();
};

const enter = (env: Environment, session: Session | undefined): void => {
  if (session) open[env] = session;
  else delete open[env];
  changed();
};

const post = async (path: string, env: Environment, body?: unknown): Promise<Response> =>
  fetch(`${path}?env=${env}`, {
    method: 'POST',
    credentials: 'same-origin',
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });

const problemOf = async (response: Response): Promise<Problem> =>
  new Problem(response.status, await response.json().catch(() => ({})));

/** Tabs renew one after another: each then presents the cookie that the one before it was given. */
const oneTabAtATime = <T>(env: Environment, work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request(`session-${env}`, work) : work();

const renewing: Partial<Record<Environment, Promise<Session | undefined>>> = {};

const renew = async (env: Environment): Promise<Session | undefined> => {
  const response = await oneTabAtATime(env, () => post('/sessions/refresh', env));
  if (response.status === 401) {
    enter(env, undefined);
    return undefined;
  }
  if (!response.ok) throw await problemOf(response);
  const session = (await response.json()) as Session;
  enter(env, session);
  return session;
};

/** Renews the session of an environment by its cookie; undefined where none is open. One call at a time. */
export const restoreSession = (env: Environment): Promise<Session | undefined> => {
  renewing[env] ??= renew(env).finally(() => {
    delete renewing[env];
  });
  return renewing[env];
};

const tokenOf = (session: Session | undefined): string => {
  if (!session) throw new SessionEnded();
  return session.token;
};

/** The token to call with, renewed when it is about to end. Throws SessionEnded. */
export const currentToken = async (): Promise<string> => {
  const session = open[environment];
  const isFresh = session && Date.parse(session.expiresAt) - Date.now() > AHEAD_MS;
  return tokenOf(isFresh ? session : await restoreSession(environment));
};

/** Another token in place of one that was refused. Throws SessionEnded. */
export const renewNow = async (refused: string): Promise<string> => {
  const session = open[environment];
  return tokenOf(session && session.token !== refused ? session : await restoreSession(environment));
};

/** Asks for a link to sign in. */
export const requestLink = async (env: Environment, email: string): Promise<void> => {
  const response = await post('/sessions/links', env, { email });
  if (!response.ok) throw await problemOf(response);
};

/** Signs in with the token of a link. */
export const signIn = async (env: Environment, token: string): Promise<void> => {
  const response = await post('/sessions', env, { token, cookie: true });
  if (!response.ok) throw await problemOf(response);
  chooseEnvironment(env);
  enter(env, (await response.json()) as Session);
  tellOthers(env);
};

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('console-sessions');
const tellOthers = (env: Environment): void => channel?.postMessage(env);
// What another tab signed out of, or signed in to as somebody else, holds for this one.
channel?.addEventListener('message', ({ data }: MessageEvent<Environment>) => {
  if (open[data]) enter(data, undefined);
});

const endSession = async ({ token }: Session, id: string): Promise<void> => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`/v2/sessions/${id}`, { method: 'DELETE', credentials: 'omit', headers });
  if (!response.ok && response.status !== 404 && response.status !== 401) throw await problemOf(response);
};

/** Signs out: ends the session of the chosen environment; with `everywhere`, every session that its person has there. */
export const signOut = async ({ everywhere = false } = {}): Promise<void> => {
  await currentToken();
  const session = open[environment];
  if (!session) return;
  if (everywhere) {
    const headers = { authorization: `Bearer ${session.token}` };
    const response = await fetch('/v2/sessions', { credentials: 'omit', headers });
    if (!response.ok) throw await problemOf(response);
    const { items } = (await response.json()) as { items: readonly { id: string }[] };
    for (const { id } of items) if (id !== session.session.id) await endSession(session, id);
  }
  await endSession(session, session.session.id);
  enter(environment, undefined);
  tellOthers(environment);
};
