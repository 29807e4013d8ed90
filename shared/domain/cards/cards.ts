import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Pipeline, Stage } from '../pipelines/pipeline.ts';
import type { Card, CardCaller, CardPorts } from './card.ts';
import { type CardPatch, type NewCard, withFields } from './input.ts';
import { checkLinks } from './links.ts';
import { answered, END, findCard, findPatched, namedPipeline, type Owner, placeIn, shownCard } from './place.ts';
import { changedFields, changeOf } from './records.ts';
import {
  checkArchived,
  checkReason,
  checkRequired,
  checkUnlost,
  entered,
  firstOf,
  stageOf,
  type Target,
} from './rules.ts';

/** A card of the caller's organization, with its links resolved. */
export const getCard = async (
  ports: Pick<CardPorts, 'links' | 'store'>,
  owner: Owner,
  id: Id<'card'>,
): Promise<Card | Refusal<'NOT_FOUND'>> => {
  const card = await findCard(ports, owner, id);
  return isRefusal(card) ? card : shownCard(ports, card);
};

/** A new card in a stage. */
export const newCard = (
  { organizationId, env }: Tenant,
  id: Id<'card'>,
  { pipelineId: _, estagioId: __, motivoPerda, ...fields }: NewCard,
  target: Target,
  now: number,
): Card => {
  const { pipeline, stage, order } = target;
  const card: Card = {
    id,
    organizationId,
    env,
    pipelineId: pipeline.id,
    stageId: stage.id,
    stageKey: stage.key,
    title: fields.titulo,
    currency: 'BRL',
    status: 'aberto',
    attributes: {},
    order,
    stalled: false,
    stageSince: now,
    createdAt: now,
    updatedAt: now,
    version: 0,
  };
  return entered(withFields(card, fields), target, now, motivoPerda);
};

/** The stage of a new card: the named one, or the first open one. */
export const firstStage = (pipeline: Pipeline, id: Id<'stage'> | undefined): Stage | Refusal<'VALIDATION_ERROR'> =>
  stageOf(pipeline, id ?? pipeline.stages.find(({ type }) => type === 'aberto')?.id ?? '');

/** 409 or 422 if a card must not enter a stage. */
export const checkEntry = (
  card: Card,
  { pipeline, stage }: Target,
): Refusal<'CONFLICT' | 'VALIDATION_ERROR'> | undefined =>
  firstOf<Refusal<'CONFLICT' | 'VALIDATION_ERROR'>>(
    checkArchived(pipeline),
    checkReason(card),
    checkRequired(card, stage),
  );

type Refused = Refusal<'CONFLICT' | 'VALIDATION_ERROR'>;

/** Creates a card at the end of a stage. */
export const createCard = (ports: CardPorts, caller: CardCaller, input: NewCard): Promise<Card | Refused> =>
  createCardOf(ports, caller, newId('card'), input);

/** Creates a card under a given id; an existing one stays unchanged. */
export const createCardOf = (
  ports: CardPorts,
  caller: CardCaller,
  id: Id<'card'>,
  input: NewCard,
): Promise<Card | Refused> =>
  retryOnConflict('The pipeline', async (attempt) => {
    // An earlier attempt may have been committed although its response was lost.
    const stored = attempt === 0 ? undefined : await ports.store.read(caller.organizationId, id);
    if (stored) return stored;
    const pipeline = await namedPipeline(ports, caller, input.pipelineId);
    if (isRefusal(pipeline)) return pipeline;
    const stage = firstStage(pipeline, input.estagioId);
    if (isRefusal(stage)) return stage;
    const order = await placeIn(ports, caller, stage.id, END);
    if (isRefusal(order)) return order;
    const now = ports.clock();
    const target = { pipeline, stage, order };
    const card = newCard(caller, id, input, target, now);
    const refused = checkEntry(card, target) ?? (await checkLinks(ports.links, caller.organizationId, undefined, card));
    if (refused) return refused;
    const change = changeOf(caller, undefined, card, now);
    return answered(await ports.store.save(change), change.after ?? card);
  });

/** Changes a card's fields; its stage, position and status have operations of their own. */
export const changeCard = async (
  ports: CardPorts,
  caller: CardCaller,
  id: Id<'card'>,
  patch: CardPatch,
): Promise<Card | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const outcome = await retryOnConflict('The card', async () => {
    const before = await findPatched(ports, caller, id, patch);
    if (isRefusal(before)) return before;
    const after = withFields(before, patch);
    if (changedFields(before, after).length === 0) return before;
    const refused = checkUnlost(after) ?? (await checkLinks(ports.links, caller.organizationId, before, after));
    if (refused) return refused;
    const change = changeOf(caller, before, after, ports.clock());
    return answered(await ports.store.save(change), change.after ?? after);
  });
  return isRefusal(outcome) ? outcome : shownCard(ports, outcome);
};

/** Deletes a card: reads no longer show it once this returns. Its history, files and activities are deleted in the background. */
export const deleteCard = (
  ports: Pick<CardPorts, 'clock' | 'store'> & { readonly enqueueCleanUp: (card: Card) => void },
  owner: Owner,
  id: Id<'card'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The card',
    () => findCard(ports, owner, id),
    async (before) => {
      const { kind } = await ports.store.save({ before, events: [], deletedAt: ports.clock() });
      if (kind !== 'saved') return false;
      ports.enqueueCleanUp(before);
      return true;
    },
  );
