import type { NumberSet } from '../audience/number-set.ts';
import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { noSuchList } from './lists.ts';
import {
  type Edit,
  type EditResult,
  IDENTIFIER_KINDS,
  type IdentifierKind,
  type Identifiers,
  type MemberPorts,
} from './ports.ts';

/** Identifiers of one call, of all kinds together. */
export const MAX_IDENTIFIERS = 50_000;
/** Identifiers without a contact that the answer names, of each kind. */
export const MAX_NOT_FOUND = 100;

/** What an edit makes of the members that a list has. */
export const EDITS: Readonly<Record<Edit, (members: NumberSet, contacts: NumberSet) => NumberSet>> = {
  add: (members, contacts) => members.or(contacts),
  remove: (members, contacts) => members.andNot(contacts),
  replace: (_, contacts) => contacts,
};

/** The kind whose identifiers are the first beyond the most that a call may have; undefined where there are not so many. */
export const tooManyOf = (identifiers: Identifiers): IdentifierKind | undefined => {
  let count = 0;
  return IDENTIFIER_KINDS.find((kind) => {
    count += identifiers[kind]?.length ?? 0;
    return count > MAX_IDENTIFIERS;
  });
};

export interface Membership extends EditResult {
  readonly listId: Id<'list'>;
  /** How many contacts the identifiers name. */
  readonly matched: number;
  /** How many of the identifiers name none, each counted once. */
  readonly notFoundCount: number;
  /** A sample of these. */
  readonly notFound: Readonly<Record<IdentifierKind, string[]>>;
}

/**
 * Adds the contacts that are named to a list, takes them out of it, or makes it of exactly these (docs/spec/lists.md#members). 422, and the list stays
 * as it is, where it is to be made of none.
 */
export const editMembers = async (
  { members }: MemberPorts,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  listId: Id<'list'>,
  edit: Edit,
  identifiers: Identifiers,
): Promise<Membership | Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const open = await members.open(organizationId, listId);
  if (!open) return noSuchList();
  const { numbers, notFound } = await open.find(identifiers);
  const given = IDENTIFIER_KINDS.filter((kind) => identifiers[kind] !== undefined);
  if (edit === 'replace' && numbers.size === 0)
    return refuse('VALIDATION_ERROR', {
      detail: 'None of the identifiers names a contact: to empty a list, remove its members.',
      errors: (given.length > 0 ? given : IDENTIFIER_KINDS).map((path) => ({
        path,
        message: 'names no contact of the organization',
      })),
    });
  const result = await open.commit(edit, numbers);
  if (!result) return noSuchList();
  const sampleOf = (kind: IdentifierKind) => notFound[kind].slice(0, MAX_NOT_FOUND);
  return {
    listId,
    matched: numbers.size,
    ...result,
    notFoundCount: IDENTIFIER_KINDS.reduce((sum, kind) => sum + notFound[kind].length, 0),
    notFound: {
      externalIds: sampleOf('externalIds'),
      contactIds: sampleOf('contactIds'),
      phones: sampleOf('phones'),
    },
  };
};
