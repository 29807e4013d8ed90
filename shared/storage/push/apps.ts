import * as z from 'zod';
import type { AppStore, PushApp } from '../../domain/channels/push/app.ts';
import { type PushCredentials, pushCredentials } from '../../domain/channels/push/credentials.ts';
import { PUSH_PLATFORMS } from '../../domain/channels/push/transport.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { sharedRead } from '../client/shared-read.ts';
import type { Table } from '../client/table.ts';
import { readRow } from '../read-row.ts';

const PURPOSE = 'push-credentials';

interface StoredApp extends PushApp {
  /** Its credentials, sealed. */
  readonly sealed: string;
}
const appRows = defineRow<StoredApp>()({
  attributes: {
    id: id('pushApp'),
    ...tenant,
    name: z.string(),
    platforms: z.array(z.enum(PUSH_PLATFORMS)),
    vapidPublicKey: z.string().optional(),
    sealed: z.string(),
    createdAt: time,
    updatedAt: time,
  },
  key: (app) => KEYS.pushApp(app.organizationId, app.id),
});
const withoutSecret = (row: Row): PushApp => {
  const { sealed: _, ...app } = appRows.read(row);
  return app;
};

/** The push apps of a stage. Credentials are sealed for their app. */
export const pushApps = (table: Table, vault: () => Promise<Vault>): AppStore => {
  const rowsOf = async (organizationId: Id<'organization'>): Promise<readonly Row[]> => {
    const { pk: partition } = KEYS.pushApp(organizationId, '');
    // At most 50 apps: one page.
    const { rows } = await sharedRead(table, partition, () => table.query({ partition, consistent: true }));
    return rows;
  };
  const open = (keys: Vault, { organizationId, id, sealed }: StoredApp): PushCredentials =>
    pushCredentials.parse(JSON.parse(keys.open(PURPOSE, organizationId, sealed, id)));
  return {
    async list(organizationId) {
      const apps = (await rowsOf(organizationId)).map(withoutSecret);
      return apps.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    },
    read: (organizationId, id) => readRow(table, KEYS.pushApp(organizationId, id), withoutSecret),
    async put(app, credentials, entry) {
      const { id, organizationId } = app;
      const sealed = (await vault()).seal(PURPOSE, organizationId, JSON.stringify(credentials), id);
      await table.transact([{ put: appRows.write({ ...app, sealed }) }, ...auditWrites(entry)]);
    },
    async credentials(organizationId) {
      const [keys, rows] = await Promise.all([vault(), rowsOf(organizationId)]);
      return new Map(rows.map(appRows.read).map((app) => [app.id, open(keys, app)]));
    },
    async remove(organizationId, id, entry) {
      const { ok } = await table.transact([
        { delete: KEYS.pushApp(organizationId, id), when: EXISTS },
        ...auditWrites(entry),
      ]);
      return ok;
    },
  };
};
