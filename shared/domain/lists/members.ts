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

/** Maximum identifiers per call, all kinds together. */
export const MAX_IDENTIFIERS = 50_000;
/** Maximum unmatched identifiers in a response, per kind. */
export const MAX_NOT_FOUND = 100;

/** The members after each kind of edit. */
export const EDITS: Readonly<Record<Edit, (members: NumberSet, contacts: NumberSet) => NumberSet>> = {
  add: (members, contacts) => members.or(contacts),
  remove: (members, contacts) => members.andNot(contacts),
  replace: (_, contacts) => contacts,
};

/** The kind of identifier at which a call exceeds the maximum; undefined if it doesn't. */
export const tooManyOf = (identifiers: Identifiers): IdentifierKind | undefined => {
  let count = 0;
  return IDENTIFIER_KINDS.find((kind) => {
    count += identifiers[kind]?.length ?? 0;
    return count > MAX_IDENTIFIERS;
  });
};

export interface Membership extends EditResult {
  readonly listId: Id<'list'>;
  /** The number of contacts that the identifiers matched. */
  readonly matched: number;
  /** The number of distinct identifiers without a contact. */
  readonly notFoundCount: number;
  /** A sample of those. */
  readonly notFound: Readonly<Record<IdentifierKind, string[]>>;
}

/**
 * Adds contacts to a list, removes them, or replaces all members (docs/spec/lists.md#members). 422, without any change, if the list would
 * be replaced by an empty one.
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
