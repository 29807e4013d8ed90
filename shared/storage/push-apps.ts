import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { Id } from '../domain/ids.ts';
import type { AppStore, PushApp } from '../domain/push/app.ts';
import { type PushCredentials, pushCredentials } from '../domain/push/credentials.ts';
import { PUSH_PLATFORMS } from '../domain/push/transport.ts';
import type { Vault } from '../domain/secrets.ts';
import { isoTime } from '../domain/time.ts';
import { KEYS } from './access-patterns.ts';
import type { Row, Table } from './table.ts';

const PURPOSE = 'push-credentials';
const moment = z.iso.datetime().transform((text) => Date.parse(text));

const appRow = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  name: z.string(),
  platforms: z.array(z.enum(PUSH_PLATFORMS)),
  vapidPublicKey: z.string().optional(),
  sealed: z.string(),
  createdAt: moment,
  updatedAt: moment,
});

const parse = (row: Row): PushApp & { readonly sealed: string } => {
  const { id, org, ...fields } = appRow.parse(row);
  return { ...fields, id: id as Id<'pushApp'>, organizationId: org as Id<'organization'> };
};
const withoutSecret = (row: Row): PushApp => {
  const { sealed: _, ...app } = parse(row);
  return app;
};

/** The apps of a stage; their credentials are sealed for their place. */
export const pushApps = (table: Table, vault: () => Promise<Vault>): AppStore => {
  const rowsOf = async (organizationId: string): Promise<readonly Row[]> => {
    const { pk: partition } = KEYS.pushApp(organizationId, '');
    // 50 apps at most: one page.
    const { rows } = await table.query({ partition, consistent: true });
    return rows;
  };
  const open = (keys: Vault, { organizationId, id, sealed }: ReturnType<typeof parse>): PushCredentials =>
    pushCredentials.parse(JSON.parse(keys.open(PURPOSE, organizationId, sealed, id)));
  return {
    async list(organizationId) {
      const apps = (await rowsOf(organizationId)).map(withoutSecret);
      return apps.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    },
    async read(organizationId, id) {
      const row = await table.get(KEYS.pushApp(organizationId, id));
      return row && withoutSecret(row);
    },
    async put({ organizationId, createdAt, updatedAt, ...app }, credentials) {
      const sealed = (await vault()).seal(PURPOSE, organizationId, JSON.stringify(credentials), app.id);
      await table.write({
        put: {
          ...KEYS.pushApp(organizationId, app.id),
          ...app,
          platforms: [...app.platforms],
          org: organizationId,
          sealed,
          createdAt: isoTime(createdAt),
          updatedAt: isoTime(updatedAt),
        },
      });
    },
    async credentials(organizationId) {
      const [keys, rows] = await Promise.all([vault(), rowsOf(organizationId)]);
      return new Map(rows.map(parse).map((app) => [app.id, open(keys, app)]));
    },
    async remove(organizationId, id) {
      const { ok } = await table.write({
        delete: KEYS.pushApp(organizationId, id),
        when: { text: 'attribute_exists(#pk)' },
      });
      return ok;
    },
  };
};
