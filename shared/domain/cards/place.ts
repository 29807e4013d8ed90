import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT } from '../core/retry-on-conflict.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { findPipeline } from '../pipelines/pipelines.ts';
import type { Card, CardOutcome, CardPorts, Place } from './card.ts';
import type { CardPatch } from './input.ts';
import { refuseLinks } from './links.ts';
import { orderBetween } from './order.ts';

export type Owner = Pick<Tenant, 'organizationId'>;
export const END: Place = { at: 'end' };

/** A card of the caller's organization, as stored. */
export const findCard = async (
  { store }: Pick<CardPorts, 'store'>,
  { organizationId }: Owner,
  id: Id<'card'>,
): Promise<Card | Refusal<'NOT_FOUND'>> =>
  (await store.read(organizationId, id)) ?? refuse('NOT_FOUND', 'There is no such card.');

/** A card with its links resolved. */
export const shownCard = async ({ links }: Pick<CardPorts, 'links'>, card: Card): Promise<Card> => {
  const [shown = card] = await links.shown(card.organizationId, [card]);
  return shown;
};

/**
 * The card that a patch applies to: as stored, or with links resolved if the patch sets a link, so that an existing link to a deleted
 * object is checked like a new one.
 */
export const findPatched = async (
  ports: Pick<CardPorts, 'links' | 'store'>,
  owner: Owner,
  id: Id<'card'>,
  { contatoId, empresaId }: CardPatch,
): Promise<Card | Refusal<'NOT_FOUND'>> => {
  const card = await findCard(ports, owner, id);
  return isRefusal(card) || !(contatoId ?? empresaId) ? card : shownCard(ports, card);
};

/** The pipeline named in a body; 422 if it is not the organization's. */
export const namedPipeline = async (
  { pipelines }: Pick<CardPorts, 'pipelines'>,
  owner: Owner,
  id: Id<'pipeline'>,
): Promise<Pipeline | Refusal<'VALIDATION_ERROR'>> => {
  const pipeline = await findPipeline({ store: pipelines }, owner, id);
  return isRefusal(pipeline)
    ? refuseField('There is no such pipeline.', 'pipelineId', 'is not a pipeline of the organization')
    : pipeline;
};

/** The position of a card in a stage. 422 if the card to place it next to is not there, 409 if there is no room between two. */
export const placeIn = async (
  { store }: Pick<CardPorts, 'store'>,
  { organizationId }: Owner,
  stageId: Id<'stage'>,
  place: Place,
  self?: Pick<Card, 'id' | 'order' | 'stageId'>,
): Promise<string | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const found = await store.neighbours(organizationId, stageId, place, self?.id);
  if (!found) {
    const field = place.at === 'before' ? 'antesDe' : 'depoisDe';
    return refuseField('The other card is not in the stage.', field, 'must be another card of the stage');
  }
  const { before, after } = found;
  const isThere =
    self?.stageId === stageId &&
    (before === undefined || before < self.order) &&
    (after === undefined || self.order < after);
  if (self && isThere) return self.order;
  const order = orderBetween(before, after);
  return (
    order ??
    refuse('CONFLICT', 'Too many cards were placed between these two: place it elsewhere, or move one of them.')
  );
};

/** The result of a change: the card, a refusal, or CONFLICT to retry. */
export const answered = <T>(outcome: CardOutcome, saved: T): T | Refusal<'VALIDATION_ERROR'> | typeof CONFLICT => {
  if (outcome.kind === 'unknown') return refuseLinks([outcome.field]);
  return outcome.kind === 'saved' ? saved : CONFLICT;
};
