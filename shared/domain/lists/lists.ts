import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { definedFields, type Patch } from '../core/patch.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import { MAX_LISTS, type StaticList } from './list.ts';
import type { ListOutcome, ListPorts } from './ports.ts';

/** The parsed body of a new list. */
export type NewList = Pick<StaticList, 'name' | 'description'>;
/** The parsed body of a change; null clears the description. */
export type ListChange = Patch<NewList, 'description'>;

type Owner = Pick<Tenant, 'organizationId'>;

export const noSuchList = () => refuse('NOT_FOUND', 'There is no such list.');

const refusalOf = (outcome: Extract<ListOutcome, { kind: 'limit_reached' | 'taken' }>): Refusal<'CONFLICT'> =>
  outcome.kind === 'taken'
    ? refuse('CONFLICT', {
        detail: 'Another list has this name.',
        meta: { field: 'name', listId: outcome.listId },
      })
    : refuse('CONFLICT', `The organization has ${MAX_LISTS} lists, which is the maximum.`);

/** Creates an empty list. 409 if another list of the organization has the name (docs/spec/lists.md#names). */
export const createList = async (
  { clock, store }: ListPorts,
  { organizationId }: Owner,
  { name, description }: NewList,
): Promise<StaticList | Refusal<'CONFLICT' | 'NOT_FOUND'>> => {
  const now = clock();
  const list: StaticList = {
    id: newId('list'),
    organizationId,
    name,
    description,
    size: 0,
    createdAt: now,
    updatedAt: now,
  };
  const outcome = await store.create(list);
  if (outcome.kind === 'saved') return list;
  if (outcome.kind === 'conflict') throw new Unavailable('The list could not be stored.');
  return outcome.kind === 'unknown_organization'
    ? refuse('NOT_FOUND', 'There is no such organization.')
    : refusalOf(outcome);
};

/** All lists of the caller's organization, the newest first. */
export const allLists = async ({ store }: ListPorts, { organizationId }: Owner): Promise<readonly StaticList[]> =>
  (await store.all(organizationId)).toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));

/** Reads a list of the caller's organization; another organization's answers 404 as if it didn't exist. */
export const findList = async (
  { store }: Pick<ListPorts, 'store'>,
  { organizationId }: Owner,
  id: Id<'list'>,
): Promise<StaticList | Refusal<'NOT_FOUND'>> => (await store.read(organizationId, id)) ?? noSuchList();

/** Updates the given fields (JSON Merge Patch); members may change meanwhile. 409 if another list has the new name. */
export const changeList = async (
  ports: ListPorts,
  owner: Owner,
  id: Id<'list'>,
  { description, ...change }: ListChange,
): Promise<StaticList | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  retryOnConflict('The list', async () => {
    const before = await findList(ports, owner, id);
    if (isRefusal(before)) return before;
    const changed: StaticList = {
      ...before,
      ...definedFields(change),
      description: description === undefined ? before.description : (description ?? undefined),
    };
    if (changed.name === before.name && changed.description === before.description) return before;
    const after = { ...changed, updatedAt: Math.max(ports.clock(), before.updatedAt) };
    const outcome = await ports.store.change(before, after);
    if (outcome.kind === 'saved') return after;
    return outcome.kind === 'conflict' ? CONFLICT : refusalOf(outcome);
  });

/** Deletes a list and frees its name. Its contacts stay. */
export const deleteList = async (
  ports: Pick<ListPorts, 'store'>,
  owner: Owner,
  id: Id<'list'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The list',
    () => findList(ports, owner, id),
    (list) => ports.store.remove(list),
  );
