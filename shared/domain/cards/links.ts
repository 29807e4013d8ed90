import { type FieldError, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Card, CardLinks, LinkIds } from './card.ts';

/** What a card names, by the names of the contract. */
type Links = Partial<Pick<Card, 'contactId' | 'companyId' | 'responsibleId'>>;

const MESSAGES = {
  contatoId: 'is no contact of the organization',
  empresaId: 'is no company of the organization',
  responsavelId: 'is no active account of the organization',
} as const;
export type LinkField = keyof typeof MESSAGES;

/** 422 for what a card comes to name and may not. */
export const refuseLinks = (fields: readonly LinkField[]): Refusal<'VALIDATION_ERROR'> =>
  refuse('VALIDATION_ERROR', {
    detail: 'The card may not name this.',
    meta: { code: 'VINCULO_INVALIDO', campo: fields[0] ?? '' },
    errors: fields.map((path): FieldError => ({ path, message: MESSAGES[path] })),
  });

const newOf = <T>(before: T | undefined, after: T | undefined): readonly T[] =>
  after === undefined || after === before ? [] : [after];
/** The ids that a card comes to name by a change: what it named before is not looked at again. */
export const newLinks = (before: Links | undefined, after: Links): LinkIds => ({
  contatoId: newOf(before?.contactId, after.contactId),
  empresaId: newOf(before?.companyId, after.companyId),
  responsavelId: newOf(before?.responsibleId, after.responsibleId),
});

/** The fields of these whose ids are not among those that may be named. */
export const unknownLinks = (ids: LinkIds, existing: ReadonlySet<string>): LinkField[] =>
  (Object.keys(MESSAGES) as LinkField[]).filter((field) => ids[field].some((id) => !existing.has(id)));

/** 422 where a card comes to name what does not exist. No read where it names nothing new. */
export const checkLinks = async (
  links: CardLinks,
  organizationId: Id<'organization'>,
  before: Links | undefined,
  after: Links,
): Promise<Refusal<'VALIDATION_ERROR'> | undefined> => {
  const ids = newLinks(before, after);
  if (Object.values(ids).every((each) => each.length === 0)) return undefined;
  const unknown = unknownLinks(ids, await links.existing(organizationId, ids));
  return unknown.length > 0 ? refuseLinks(unknown) : undefined;
};
