import * as z from 'zod';
import type { Watch, WatchStore } from '../../domain/smpp/watch.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';

const rows = defineRow<Watch>()({
  attributes: { accountId: id('smppAccount'), organizationId: id('organization'), dueAt: z.int() },
  key: ({ accountId }) => KEYS.smppWatch(accountId),
  index: ({ accountId, dueAt }) => INDEX_KEYS.due('smpp_watch', accountId, dueAt),
});

/** The watches of a stage's SMPP accounts. */
export const watchStore = (table: Table): WatchStore => ({
  async begin(watch) {
    await table.write({ put: rows.write(watch), when: ABSENT });
  },
  read: (accountId) => readRow(table, KEYS.smppWatch(accountId), rows.read),
  async move({ accountId, dueAt: before }, dueAt) {
    const { ok } = await table.write({
      update: KEYS.smppWatch(accountId),
      set: { dueAt },
      when: { text: '#dueAt = :before', values: { before } },
    });
    return ok;
  },
  async end(accountId) {
    await table.write({ delete: KEYS.smppWatch(accountId) });
  },
});
