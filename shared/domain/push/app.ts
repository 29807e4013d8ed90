import type { Environment } from '../actor.ts';
import { type Refusal, refuse } from '../errors.ts';
import { type Id, newId } from '../ids.ts';
import { isoTime } from '../time.ts';
import type { PushCredentials } from './credentials.ts';
import { CREDENTIALS_OF, PUSH_PLATFORMS, type PushPlatform } from './transport.ts';

/** An app as it is stored, without its credentials. Times are ms. */
export interface PushApp {
  readonly id: Id<'pushApp'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly name: string;
  /** The platforms that it holds credentials for. */
  readonly platforms: readonly PushPlatform[];
  /** The public half of its VAPID keys: what browsers subscribe with (applicationServerKey). */
  readonly vapidPublicKey?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Apps of an organization at most: an audience names each of them. */
export const MOST_APPS = 50;

export interface AppStore {
  /** All apps of an organization, oldest first. */
  list(organizationId: string): Promise<readonly PushApp[]>;
  read(organizationId: string, id: string): Promise<PushApp | undefined>;
  /** Keeps an app with its credentials, which are sealed. */
  put(app: PushApp, credentials: PushCredentials): Promise<void>;
  /** The credentials of an organization's apps by the apps' ids. */
  credentials(organizationId: string): Promise<ReadonlyMap<string, PushCredentials>>;
  /** False when there is no such app. */
  remove(organizationId: string, id: string): Promise<boolean>;
}

export interface AppPorts {
  readonly clock: () => number;
  readonly apps: AppStore;
}

type Tenant = Pick<PushApp, 'organizationId' | 'env'>;

const platformsOf = (credentials: PushCredentials): PushPlatform[] =>
  PUSH_PLATFORMS.filter((platform) => credentials[CREDENTIALS_OF[platform]] !== undefined);

/** Registers an app. 422 when the organization has as many as it may. */
export const createApp = async (
  { clock, apps }: AppPorts,
  { organizationId, env }: Tenant,
  { name, ...credentials }: { readonly name: string } & PushCredentials,
): Promise<PushApp | Refusal<'VALIDATION_ERROR'>> => {
  if ((await apps.list(organizationId)).length >= MOST_APPS)
    return refuse('VALIDATION_ERROR', `An organization has at most ${MOST_APPS} apps.`);
  const at = clock();
  const app: PushApp = {
    id: newId('pushApp'),
    organizationId,
    env,
    name,
    platforms: platformsOf(credentials),
    vapidPublicKey: credentials.vapid?.publicKey,
    createdAt: at,
    updatedAt: at,
  };
  await apps.put(app, credentials);
  return app;
};

/** What of an app is to change: what is absent stays, null takes a platform's credentials away. */
export type AppChange = { readonly name?: string | undefined } & {
  readonly [K in keyof PushCredentials]?: PushCredentials[K] | null;
};

const NAMES = ['fcm', 'apns', 'vapid'] as const satisfies readonly (keyof PushCredentials)[];

/** The credentials after a change. */
const merged = (before: PushCredentials, change: AppChange): PushCredentials =>
  Object.fromEntries(
    NAMES.map((name) => [name, change[name] === undefined ? before[name] : change[name]]).filter(([, held]) => held),
  );

/** Changes an app's name or credentials. 404 when there is no such app. */
export const changeApp = async (
  { clock, apps }: AppPorts,
  { organizationId }: Tenant,
  id: string,
  change: AppChange,
): Promise<PushApp | Refusal<'NOT_FOUND'>> => {
  const [app, held] = await Promise.all([apps.read(organizationId, id), apps.credentials(organizationId)]);
  if (!app) return refuse('NOT_FOUND', 'There is no such app.');
  const credentials = merged(held.get(id) ?? {}, change);
  const after: PushApp = {
    ...app,
    name: change.name ?? app.name,
    platforms: platformsOf(credentials),
    vapidPublicKey: credentials.vapid?.publicKey,
    updatedAt: clock(),
  };
  await apps.put(after, credentials);
  return after;
};

/** An app as the interface shows it: which platforms it reaches, never its credentials. */
export const appView = ({ id, env, name, platforms, vapidPublicKey, createdAt, updatedAt }: PushApp) => ({
  id,
  env,
  name,
  platforms: [...platforms],
  ...(vapidPublicKey === undefined ? {} : { vapidPublicKey }),
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
});
