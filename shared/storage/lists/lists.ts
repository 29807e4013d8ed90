import type { Id } from '../../domain/core/ids.ts';
import { randomBase62 } from '../../domain/core/ids.ts';
import type { Clock } from '../../domain/core/time.ts';
import { comparedName, MAX_LISTS, type StaticList } from '../../domain/lists/list.ts';
import type { ListOutcome, ListStore } from '../../domain/lists/ports.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { organizationExists } from '../access/organizations.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { CLEAN_UP_MS, editRows } from './edit-rows.ts';
import { asList, listRows, versionsOf } from './list-rows.ts';
import { readList, storedLists } from './stored-lists.ts';

const nameKey = ({ organizationId, name }: StaticList) => KEYS.listName(organizationId, comparedName(name));
const nameWrite = (list: StaticList): WriteOp => ({
  put: { ...nameKey(list), org: list.organizationId, listId: list.id },
  when: ABSENT,
});
const freeName = (list: StaticList): WriteOp => ({
  delete: nameKey(list),
  when: { text: '#listId = :id', values: { id: list.id } },
});
const holderOf = (row: CancelReason['row']): Id<'list'> => id('list').parse(row?.listId);

/** `also` of a creation: the name, then the count. */
const createdAs = (outcome: CommitOutcome): ListOutcome => {
  if (outcome.kind !== 'refused') return outcome;
  return outcome.at === 0 ? { kind: 'taken', listId: holderOf(outcome.row) } : { kind: 'limit_reached' };
};

const changeWrites = (before: StaticList, after: StaticList): WriteOp[] => {
  const { id: listId, organizationId, name, description, updatedAt } = after;
  const { name: was } = before;
  return [
    {
      update: KEYS.list(organizationId, listId),
      set: listRows.set({ name, description, updatedAt }),
      ...(description === undefined ? { remove: ['description'] } : {}),
      when: { text: '#name = :was', values: { was } },
    },
    ...(nameKey(before).pk === nameKey(after).pk ? [] : [nameWrite(after), freeName(before)]),
  ];
};

/** Lists in the table of one stage: a row each, and one that makes the name unique. */
export const listStore = (table: Table, clock: Clock): ListStore => ({
  async create(list) {
    const { organizationId } = list;
    if (!(await organizationExists(table, organizationId))) return { kind: 'unknown_organization' };
    const row = listRows.write({ ...list, chunks: {}, version: 1, recent: [] });
    const limit = { organizationId, counted: 'lists', max: MAX_LISTS } as const;
    const create = async (count: WriteOp) => createdAs(await commit(table, { row, also: [nameWrite(list), count] }));
    return createWithin(table, limit, list.id, create, ({ kind }) => kind === 'limit_reached');
  },

  all: async (organizationId) => (await storedLists(table, organizationId)).map(asList),

  async read(organizationId, listId) {
    const list = await readList(table, organizationId, listId);
    return list && asList(list);
  },

  async change(before, after) {
    const outcome = await table.transact(changeWrites(before, after));
    if (outcome.ok) return { kind: 'saved' };
    const [own, name] = outcome.reasons;
    // After a change whose response was lost the name is already its own: a retry reads it again, and has nothing left to rename.
    if (own?.conditionFailed || !name?.conditionFailed) return { kind: 'conflict' };
    return { kind: 'taken', listId: holderOf(name.row) };
  },

  async remove({ organizationId, id: listId }) {
    const list = await readList(table, organizationId, listId);
    if (!list) return false;
    const { version: over } = list;
    const edit = { organizationId, listId, id: randomBase62(12), over, chunks: versionsOf(list) };
    const outcome = await table.transact([
      {
        delete: KEYS.list(organizationId, listId),
        when: { text: '#version = :over AND #name = :name', values: { over, name: list.name } },
      },
      freeName(list),
      countDown(organizationId, 'lists', listId),
      { put: editRows.write({ ...edit, cleanUpAt: clock() + CLEAN_UP_MS }) },
    ]);
    return outcome.ok;
  },
});
