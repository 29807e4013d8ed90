import { type FieldError, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Card, CardLinks, LinkIds } from './card.ts';

/** The links of a card, by the contract's names. */
type Links = Partial<Pick<Card, 'contactId' | 'companyId' | 'responsibleId'>>;

const MESSAGES = {
  contatoId: 'is not a contact of the organization',
  empresaId: 'is not a company of the organization',
  responsavelId: 'is not an active account of the organization',
} as const;
export type LinkField = keyof typeof MESSAGES;

/** 422 for links that are not allowed. */
export const refuseLinks = (fields: readonly LinkField[]): Refusal<'VALIDATION_ERROR'> =>
  refuse('VALIDATION_ERROR', {
    detail: 'The card cannot be linked to this.',
    meta: { code: 'VINCULO_INVALIDO', campo: fields[0] ?? '' },
    errors: fields.map((path): FieldError => ({ path, message: MESSAGES[path] })),
  });

const newOf = <T>(before: T | undefined, after: T | undefined): readonly T[] =>
  after === undefined || after === before ? [] : [after];
/** The ids of new links; unchanged links are not checked again. */
export const newLinks = (before: Links | undefined, after: Links): LinkIds => ({
  contatoId: newOf(before?.contactId, after.contactId),
  empresaId: newOf(before?.companyId, after.companyId),
  responsavelId: newOf(before?.responsibleId, after.responsibleId),
});

/** The fields whose ids are not valid. */
export const unknownLinks = (ids: LinkIds, existing: ReadonlySet<string>): LinkField[] =>
  (Object.keys(MESSAGES) as LinkField[]).filter((field) => ids[field].some((id) => !existing.has(id)));

/** 422 for a new link to a missing object. No read without new links. */
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
