import * as z from 'zod';
import { operatorEntry, STAGE_LOG } from '../../domain/audit/entry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { RootKey, Vault } from '../../domain/core/secrets.ts';
import { systemClock } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { time } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { PARSE_KEY } from '../parse-key.ts';

/** The owner of the routes that apply to organizations without routes of their own. */
const DEFAULT_ROUTES = '*';
const PURPOSE = 'provider-settings';
type RoutesOwner = Id<'organization'> | typeof DEFAULT_ROUTES;

interface SealedSettings {
  readonly sealed: string;
  readonly updatedAt: number;
}
type SettingsKey = (channel: string, name: string) => { readonly pk: string; readonly sk: string };
const settingsRows = defineRow<SealedSettings>()({
  attributes: { sealed: z.string(), updatedAt: time },
  key: (_, keyOf: SettingsKey, channel: string, name: string) => keyOf(channel, name),
});

/** The root keys that seal providers' settings: all of them, and the part that verifies callbacks. */
export type SettingsKeys = Readonly<Record<Extract<RootKey, 'callbacks' | 'providers'>, Vault>>;

interface Routes {
  readonly providers: readonly string[];
}
const routesRows = defineRow<Routes>()({
  attributes: { providers: z.array(z.string()) },
  key: (_, owner: RoutesOwner, channel: string, route: string) => KEYS.providerRoute(channel, route, owner),
});

/** The audit entry of the operator's action on a provider's settings. */
const providerEntry = (action: 'provider.removed' | 'provider.set', channel: string, name: string, at: number) =>
  operatorEntry(STAGE_LOG, { action, object: `provider/${channel}/${name}`, at, details: { channel } });

/** The settings of a provider: all of them, and the part that verifies callbacks. `now` in ms. */
export interface ProviderSettings {
  readonly channel: string;
  readonly name: string;
  readonly settings: unknown;
  readonly callbacks: unknown;
  readonly now: number;
}

/** Stores the operator's settings of a provider; sealed, because they contain its credentials. */
export const putProviderSettings = async (
  table: Table,
  vaults: SettingsKeys,
  { channel, name, settings, callbacks, now }: ProviderSettings,
): Promise<void> => {
  const seal = (vault: Vault, given: unknown) => ({
    sealed: vault.seal(PURPOSE, DEFAULT_ROUTES, JSON.stringify(given), `${channel}/${name}`),
    updatedAt: now,
  });
  await table.transact([
    { put: settingsRows.write(seal(vaults.providers, settings), KEYS.provider, channel, name) },
    { put: settingsRows.write(seal(vaults.callbacks, callbacks), KEYS.providerCallbacks, channel, name) },
    ...auditWrites(providerEntry('provider.set', channel, name, now)),
  ]);
};

/** Deletes the settings of a provider; false if there are none. `now` in ms. */
export const deleteProviderSettings = async (
  table: Table,
  channel: string,
  name: string,
  now = systemClock(),
): Promise<boolean> => {
  if (!(await table.get(KEYS.provider(channel, name), { only: ['pk'] }))) return false;
  // If its condition fails, they are deleted: by this write, repeated because its answer was lost, or by another command meanwhile.
  await table.transact([
    { delete: KEYS.provider(channel, name), when: EXISTS },
    { delete: KEYS.providerCallbacks(channel, name) },
    ...auditWrites(providerEntry('provider.removed', channel, name, now)),
  ]);
  return true;
};

/** A provider that is set up in a stage, without its settings. */
export interface ListedProvider {
  readonly channel: string;
  readonly provider: string;
  /** When its settings were last changed, in ms. */
  readonly updatedAt: number;
}

/** The providers that are set up in a stage, without their sealed settings. One query. */
export const listProviderSettings = async (table: Table): Promise<readonly ListedProvider[]> => {
  const rows = await table.queryAll({ partition: KEYS.provider('', '').pk, consistent: true });
  return rows.map((row) => {
    const { channel, name } = PARSE_KEY.provider(row);
    return { channel, provider: name, updatedAt: settingsRows.read(row).updatedAt };
  });
};

const readSettings = async (
  table: Table,
  vault: Vault,
  keyOf: SettingsKey,
  channel: string,
): Promise<ReadonlyMap<string, unknown>> => {
  const { pk: partition, sk: prefix } = keyOf(channel, '');
  const { rows } = await table.query({
    partition,
    sort: { text: 'begins_with(#sk, :prefix)', values: { prefix } },
    consistent: true,
  });
  return new Map(
    rows.map((row) => {
      const { name } = PARSE_KEY.provider(row);
      const opened = vault.open(PURPOSE, DEFAULT_ROUTES, settingsRows.read(row).sealed, `${channel}/${name}`);
      return [name, JSON.parse(opened) as unknown];
    }),
  );
};

/** The settings of all providers of a channel in this stage, by the provider's name; by the root key `providers`. One query. */
export const readProviderSettings = (table: Table, vault: Vault, channel: string) =>
  readSettings(table, vault, KEYS.provider, channel);

/** The settings that verify the callbacks of a channel's providers, by the provider's name; by the root key `callbacks`. One query. */
export const readCallbackSettings = (table: Table, vault: Vault, channel: string) =>
  readSettings(table, vault, KEYS.providerCallbacks, channel);

/** Sets the providers of a route in their order, for one organization or as the stage's default. `now` in ms. */
export const putRoutes = async (
  table: Table,
  routes: { organizationId?: Id<'organization'>; channel: string; route: string; providers: readonly string[] },
  now = systemClock(),
): Promise<void> => {
  const { organizationId = DEFAULT_ROUTES, channel, route, providers } = routes;
  const entry = operatorEntry(routes.organizationId ?? STAGE_LOG, {
    action: 'routes.set',
    object: `routes/${channel}/${route}`,
    at: now,
    details: { channel, route, providers: [...providers] },
  });
  await table.transact([
    { put: routesRows.write({ providers }, organizationId, channel, route) },
    ...auditWrites(entry),
  ]);
};

/** The providers of a route in their order: the organization's own, else the stage's; undefined when neither is set. One round trip. */
export const readRoutes = async (
  table: Table,
  organizationId: Id<'organization'>,
  channel: string,
  route: string,
): Promise<readonly string[] | undefined> => {
  const [own, common] = await table.getMany([
    KEYS.providerRoute(channel, route, organizationId),
    KEYS.providerRoute(channel, route, DEFAULT_ROUTES),
  ]);
  const row = own ?? common;
  return row && routesRows.read(row).providers;
};
