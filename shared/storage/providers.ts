import * as z from 'zod';
import type { Vault } from '../domain/secrets.ts';
import { KEYS } from './access-patterns.ts';
import type { Table } from './table.ts';

/** Whose routes hold for organizations that have none of their own. */
export const DEFAULT_ROUTES = '*';

const settingsRow = z.object({ sk: z.string(), sealed: z.string(), updatedAt: z.string() });
const routesRow = z.object({ providers: z.array(z.string()) });
const routeKey = (organizationId: string, channel: string, route: string) => ({
  pk: 'SETTINGS',
  sk: `ROUTE#${channel}#${route}#${organizationId}`,
});

/** Keeps the operator's settings of a provider, sealed: they carry its credentials. */
export const putProviderSettings = async (
  table: Table,
  vault: Vault,
  provider: { channel: string; name: string; settings: unknown; now: number },
): Promise<void> => {
  const sealed = vault.seal(
    'provider-settings',
    DEFAULT_ROUTES,
    JSON.stringify(provider.settings),
    `${provider.channel}/${provider.name}`,
  );
  await table.write({
    put: { ...KEYS.provider(provider.channel, provider.name), sealed, updatedAt: new Date(provider.now).toISOString() },
  });
};

export const deleteProviderSettings = async (table: Table, channel: string, name: string): Promise<void> => {
  await table.write({ delete: KEYS.provider(channel, name) });
};

/** The settings of every provider that the stage has for a channel, by the provider's name. One query. */
export const readProviderSettings = async (
  table: Table,
  vault: Vault,
  channel: string,
): Promise<ReadonlyMap<string, unknown>> => {
  const prefix = `PROVIDER#${channel}#`;
  const { rows } = await table.query({
    partition: 'SETTINGS',
    sort: { text: 'begins_with(#sk, :prefix)', values: { prefix } },
    consistent: true,
  });
  return new Map(
    rows.map((row) => {
      const { sk, sealed } = settingsRow.parse(row);
      const name = sk.slice(prefix.length);
      return [
        name,
        JSON.parse(vault.open('provider-settings', DEFAULT_ROUTES, sealed, `${channel}/${name}`)) as unknown,
      ];
    }),
  );
};

/** Sets the providers of a route in their order, for one organization or for all that have none of their own. */
export const putRoutes = async (
  table: Table,
  routes: { organizationId?: string; channel: string; route: string; providers: readonly string[] },
): Promise<void> => {
  await table.write({
    put: {
      ...routeKey(routes.organizationId ?? DEFAULT_ROUTES, routes.channel, routes.route),
      providers: [...routes.providers],
    },
  });
};

/** The providers of a route in their order: the organization's own, else the stage's; undefined when neither is set. One round trip. */
export const readRoutes = async (
  table: Table,
  organizationId: string,
  channel: string,
  route: string,
): Promise<readonly string[] | undefined> => {
  const [own, common] = await table.getMany([
    routeKey(organizationId, channel, route),
    routeKey(DEFAULT_ROUTES, channel, route),
  ]);
  const row = own ?? common;
  return row ? routesRow.parse(row).providers : undefined;
};
