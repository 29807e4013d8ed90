import type { Clock } from '../../domain/core/time.ts';
import type { MemberStore, PhoneIndex } from '../../domain/lists/ports.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { type Editing, editList, memberEdit } from './edit-list.ts';
import { findContacts } from './find-contacts.ts';
import { listRows } from './list-rows.ts';
import { dropUnlisted, unlistedCount } from './unlisted-contacts.ts';

/**
 * Members of lists in the table of one stage. `patience`: whether a throttled or conflicting call may be retried, determined at its start.
 * `onWorkItems`: as in `Editing`.
 */
export const memberStore = (
  table: Table,
  clock: Clock,
  phoneIndex: PhoneIndex,
  patience: () => () => boolean,
  onWorkItems?: Editing['onWorkItems'],
): MemberStore => ({
  async open(organizationId, id) {
    const mayRetry = patience();
    // Read before any contact is looked up: a contact deleted later is found by a greater count.
    const keys = [KEYS.list(organizationId, id), KEYS.unlistedContacts(organizationId)];
    const [row, count] = await table.getMany(keys, { consistent: true });
    if (!row) return undefined;
    const list = listRows.read(row);
    const since = unlistedCount(count);
    return {
      find: (identifiers) => findContacts(table, organizationId, identifiers, phoneIndex, mayRetry),
      async commit(edit, contacts) {
        const editing = { table, clock, mayRetry, onWorkItems };
        const made = memberEdit(edit, contacts);
        if (edit === 'remove') return editList(editing, list, made);
        const result = await editList(editing, list, made, since);
        if (!result) return undefined;
        const total = await dropUnlisted(editing, list, since);
        return total === undefined ? result : { ...result, total };
      },
    };
  },
});
