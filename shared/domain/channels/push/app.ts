import { type AuditEntry, auditEntry, type Caller, fieldNames } from '../../audit/entry.ts';
import type { Tenant } from '../../core/actor.ts';
import { type Refusal, refuse } from '../../core/errors.ts';
import { type Id, newId } from '../../core/ids.ts';
import { removeOnce } from '../../core/retry-on-conflict.ts';
import { isoTime } from '../../core/time.ts';
import type { PushCredentials } from './credentials.ts';
import { CREDENTIALS_OF, PUSH_PLATFORMS, type PushPlatform } from './transport.ts';

/** A stored app, without its credentials. Times in ms. */
export interface PushApp extends Tenant {
  readonly id: Id<'pushApp'>;
  readonly name: string;
  /** The platforms that it has credentials for. */
  readonly platforms: readonly PushPlatform[];
  /** The public VAPID key that browsers subscribe with (applicationServerKey). */
  readonly vapidPublicKey?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Max. apps per organization: an audience lists all of them. */
const MAX_APPS = 50;

export interface AppStore {
  /** All apps of an organization, oldest first. */
  list(organizationId: Id<'organization'>): Promise<readonly PushApp[]>;
  read(organizationId: Id<'organization'>, id: Id<'pushApp'>): Promise<PushApp | undefined>;
  /** Stores an app, with its credentials sealed, and the audit entry. */
  put(app: PushApp, credentials: PushCredentials, entry: AuditEntry): Promise<void>;
  /** The credentials of an organization's apps, by app id. */
  credentials(organizationId: Id<'organization'>): Promise<ReadonlyMap<Id<'pushApp'>, PushCredentials>>;
  /** Deletes an app, with the audit entry. False if there is no such app. */
  remove(organizationId: Id<'organization'>, id: Id<'pushApp'>, entry: AuditEntry): Promise<boolean>;
}

export interface AppPorts {
  readonly clock: () => number;
  readonly apps: AppStore;
}

const platformsOf = (credentials: PushCredentials): PushPlatform[] =>
  PUSH_PLATFORMS.filter((platform) => credentials[CREDENTIALS_OF[platform]] !== undefined);

const noApp = () => refuse('NOT_FOUND', 'There is no such app.');

/** The audit entry of a caller's action on an app: which fields, never a credential. */
const entryOf = (
  caller: Caller,
  id: Id<'pushApp'>,
  act: { readonly verb: 'changed' | 'created' | 'deleted'; readonly at: number; readonly fields?: object },
) =>
  auditEntry(caller, {
    action: `push_app.${act.verb}`,
    object: id,
    at: act.at,
    details: act.fields ? { fields: fieldNames(act.fields) } : {},
  });

/** Registers an app. 422 if the organization has the maximum number of apps. */
export const createApp = async (
  { clock, apps }: AppPorts,
  caller: Caller,
  { name, ...credentials }: { readonly name: string } & PushCredentials,
): Promise<PushApp | Refusal<'VALIDATION_ERROR'>> => {
  const { organizationId, env } = caller;
  if ((await apps.list(organizationId)).length >= MAX_APPS)
    return refuse('VALIDATION_ERROR', `An organization has at most ${MAX_APPS} apps.`);
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
  await apps.put(app, credentials, entryOf(caller, app.id, { verb: 'created', at, fields: { name, ...credentials } }));
  return app;
};

/** A change of an app: absent fields stay, null removes a platform's credentials. */
export type AppChange = { readonly name?: string | undefined } & {
  readonly [K in keyof PushCredentials]?: PushCredentials[K] | null;
};

const CREDENTIAL_NAMES = ['fcm', 'apns', 'vapid'] as const satisfies readonly (keyof PushCredentials)[];

const mergeCredentials = (before: PushCredentials, change: AppChange): PushCredentials =>
  Object.fromEntries(
    CREDENTIAL_NAMES.map((name) => [name, change[name] === undefined ? before[name] : change[name]]).filter(
      ([, stored]) => stored,
    ),
  );

/** Changes an app's name or credentials. 404 if there is no such app. */
export const changeApp = async (
  { clock, apps }: AppPorts,
  caller: Caller,
  id: Id<'pushApp'>,
  change: AppChange,
): Promise<PushApp | Refusal<'NOT_FOUND'>> => {
  const { organizationId } = caller;
  const [app, stored] = await Promise.all([apps.read(organizationId, id), apps.credentials(organizationId)]);
  if (!app) return noApp();
  const credentials = mergeCredentials(stored.get(id) ?? {}, change);
  const after: PushApp = {
    ...app,
    name: change.name ?? app.name,
    platforms: platformsOf(credentials),
    vapidPublicKey: credentials.vapid?.publicKey,
    updatedAt: clock(),
  };
  const act = { verb: 'changed', at: after.updatedAt, fields: change } as const;
  await apps.put(after, credentials, entryOf(caller, id, act));
  return after;
};

/** Deletes an app. 404 if there is no such app. */
export const deleteApp = (
  { clock, apps }: AppPorts,
  caller: Caller,
  id: Id<'pushApp'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The app',
    async () => (await apps.read(caller.organizationId, id)) ?? noApp(),
    () => apps.remove(caller.organizationId, id, entryOf(caller, id, { verb: 'deleted', at: clock() })),
  );

/** An app as the API returns it: its platforms, never its credentials (docs/spec/push.md#apps). */
export const appView = ({ id, env, name, platforms, vapidPublicKey, createdAt, updatedAt }: PushApp) => ({
  id,
  env,
  name,
  platforms: [...platforms],
  ...(vapidPublicKey === undefined ? {} : { vapidPublicKey }),
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
});
