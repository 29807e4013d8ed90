import type { Id } from '../core/ids.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import type { Patch } from '../core/patch.ts';
import type { Card } from './card.ts';

/** The fields of a card that its callers set, as the contract names them; `valor` has at most two decimals. */
export interface CardFields {
  readonly titulo: string;
  readonly valor?: number | undefined;
  readonly moeda?: string | undefined;
  readonly responsavelId?: Id<'account'> | undefined;
  readonly contatoId?: Id<'contact'> | undefined;
  readonly empresaId?: Id<'company'> | undefined;
  readonly dataPrevista?: string | undefined;
  readonly atributos?: ContactAttributes | undefined;
}
/** The fields of a new card. */
export interface NewCard extends CardFields {
  readonly pipelineId: Id<'pipeline'>;
  readonly estagioId?: Id<'stage'> | undefined;
  readonly motivoPerda?: string | undefined;
}
/** A change (JSON Merge Patch): null clears; attributes are replaced as a whole. */
export type CardPatch = Patch<CardFields, 'valor' | 'responsavelId' | 'contatoId' | 'empresaId' | 'dataPrevista'> & {
  /** Only for a lost card. */
  readonly motivoPerda?: string | undefined;
};

/** An amount in whole cents: the contract guarantees at most two decimals. */
const centsOf = (amount: number): number => Math.round(amount * 100);

/** A stored value after a change: kept, replaced or cleared. */
const kept = <T>(given: T | null | undefined, stored: T | undefined): T | undefined =>
  given === undefined ? stored : (given ?? undefined);

/** The card with the fields of a change. */
export const withFields = (card: Card, patch: CardPatch): Card => ({
  ...card,
  title: patch.titulo ?? card.title,
  cents: patch.valor === undefined ? card.cents : patch.valor === null ? undefined : centsOf(patch.valor),
  currency: patch.moeda ?? card.currency,
  responsibleId: kept(patch.responsavelId, card.responsibleId),
  contactId: kept(patch.contatoId, card.contactId),
  companyId: kept(patch.empresaId, card.companyId),
  expectedOn: kept(patch.dataPrevista, card.expectedOn),
  attributes: patch.atributos ?? card.attributes,
  lossReason: patch.motivoPerda ?? card.lossReason,
});
