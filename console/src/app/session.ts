import { useSyncExternalStore } from 'react';
import { isProblem, Messaging, type NewSession } from '../sdk.ts';

/** Who is signed in: docs/console.md#signing-in. The token is in memory alone; a cookie that no script sees renews it. */

export type Environment = 'live' | 'test';
/** The answer of the service when a session is opened. */
export type Session = NewSession;
export type Scope = Session['scopes'][number];

/** Thrown by calls once the session has ended. */
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

/** Operations that sign in: no token, but the cookie, which only `sessions.refresh` reads. */
const signing = new Messaging({ baseUrl: '', credentials: 'same-origin', maxRetries: 0 });
/** With the token of a session that need not be the one of the chosen environment. */
const as = ({ token }: Session) => new Messaging({ baseUrl: '', apiKey: token, credentials: 'omit' });

/** Tabs renew one after another: each then presents the cookie that the one before it was given. */
const oneTabAtATime = <T>(env: Environment, work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request(`session-${env}`, work) : work();

const renewing: Partial<Record<Environment, Promise<Session | undefined>>> = {};

const renew = async (env: Environment): Promise<Session | undefined> => {
  const session = await oneTabAtATime(env, () =>
    signing.sessions.refresh({ env }).catch((error: unknown) => {
      if (isProblem(error, 'UNAUTHORIZED')) return undefined;
      throw error;
    }),
  );
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
export const requestLink = (env: Environment, email: string): Promise<void> =>
  signing.sessions.requestLink({ email }, { env });

/** Signs in with the token of a link. */
export const signIn = async (env: Environment, token: string): Promise<void> => {
  const session = await signing.sessions.create({ token, cookie: true }, { env });
  chooseEnvironment(env);
  enter(env, session);
  notifyOtherTabs(env);
};

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('console-sessions');
const notifyOtherTabs = (env: Environment): void => channel?.postMessage(env);
// A sign-out, or a sign-in as another person, in another tab applies to this tab too.
channel?.addEventListener('message', ({ data }: MessageEvent<Environment>) => {
  if (open[data]) enter(data, undefined);
});

/** One that has ended already is as good. */
const endSession = (session: Session, id: string): Promise<void> =>
  as(session)
    .sessions.delete(id)
    .catch((error: unknown) => {
      if (!isProblem(error, 'NOT_FOUND')) throw error;
    });

/** Signs out: ends the session of the chosen environment; with `everywhere`, every session that its person has there. */
export const signOut = async ({ everywhere = false } = {}): Promise<void> => {
  await currentToken();
  const session = open[environment];
  if (!session) return;
  const { items } = everywhere ? await as(session).sessions.list() : { items: [] };
  for (const { id } of items) if (id !== session.session.id) await endSession(session, id);
  await endSession(session, session.session.id);
  enter(environment, undefined);
  notifyOtherTabs(environment);
};

/** Whether the person who is signed in holds a scope: for what is offered; the service decides by itself. */
export const useMay = (): ((scope: Scope) => boolean) => {
  const { session } = useSession();
  return (scope) => session?.scopes.includes(scope) ?? false;
};
