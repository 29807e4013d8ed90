import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Pipeline, Stage } from '../pipelines/pipeline.ts';
import type { Card, CardCaller, CardPorts, Place } from './card.ts';
import { checkEntry } from './cards.ts';
import { answered, END, findCard, namedPipeline, placeIn, shownCard } from './place.ts';
import { changeOf } from './records.ts';
import { checkArchived, entered, refuseStatus, stageOf, type Target, withCheck, withStatus } from './rules.ts';

type Refused = Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>;
/** The target of a card's move, and its new status. Without a stage it stays in place and only changes its status. */
export interface Step {
  readonly stage?: Stage | undefined;
  readonly status: Card['status'];
  readonly place: Place;
  /** The position as text, if already known. */
  readonly order?: string | undefined;
  readonly lossReason?: string | undefined;
}
type Plan = (card: Card, pipeline: Pipeline) => Step | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>;

/** 409 or 422 if a card must not enter a stage. Required links are checked as resolved: a link to a deleted object doesn't count. */
const checkShown = async (
  ports: Pick<CardPorts, 'links'>,
  card: Card,
  target: Target,
): Promise<Refusal<'CONFLICT' | 'VALIDATION_ERROR'> | undefined> => {
  const asksForLinks = target.stage.requiredFields.some((field) => field === 'contatoId' || field === 'empresaId');
  return checkEntry(asksForLinks ? await shownCard(ports, card) : card, target);
};

/** The card after a move; 409 or 422 if the stage doesn't accept it. */
export const stepped = async (
  ports: CardPorts,
  card: Card,
  pipeline: Pipeline,
  { stage, status, place, order: found, lossReason }: Step,
  now: number,
): Promise<Card | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const stays = stage === undefined || stage.id === card.stageId;
  if (stays && status !== card.status) {
    const own = pipeline.stages.find(({ id }) => id === card.stageId);
    const after = {
      ...withStatus(card, status, now, lossReason),
      stageSince: status === 'aberto' ? now : card.stageSince,
    };
    const target = own && { pipeline, stage: own, order: card.order };
    const refused = target && status === 'aberto' ? await checkShown(ports, after, target) : checkArchived(pipeline);
    return refused ?? (own ? withCheck(after, own) : after);
  }
  if (stage === undefined) return card;
  const order = found ?? (await placeIn(ports, card, stage.id, place, card));
  if (isRefusal(order)) return order;
  if (stays) return checkArchived(pipeline) ?? (order === card.order ? card : { ...card, order });
  const target = { pipeline, stage, order };
  const after = entered(card, target, now, lossReason);
  return (await checkShown(ports, after, target)) ?? after;
};

/** Moves a card in one transaction; retries if the card or its pipeline changed meanwhile. */
const step = async (
  ports: CardPorts,
  caller: CardCaller,
  id: Id<'card'>,
  pipelineId: Id<'pipeline'> | undefined,
  plan: Plan,
): Promise<Card | Refused> => {
  const outcome = await retryOnConflict('The card', async () => {
    const before = await findCard(ports, caller, id);
    if (isRefusal(before)) return before;
    const pipeline = await namedPipeline(ports, caller, pipelineId ?? before.pipelineId);
    if (isRefusal(pipeline)) return pipeline;
    const planned = plan(before, pipeline);
    if (isRefusal(planned)) return planned;
    const now = ports.clock();
    const after = await stepped(ports, before, pipeline, planned, now);
    if (isRefusal(after) || after === before) return after;
    const change = changeOf(caller, before, after, now);
    return answered(await ports.store.save(change), change.after ?? after);
  });
  return isRefusal(outcome) ? outcome : shownCard(ports, outcome);
};

/** A move, with the contract's names. */
export interface Move {
  readonly estagioId: Id<'stage'>;
  /** Only if the stage is in another pipeline than the card. */
  readonly pipelineId?: Id<'pipeline'> | undefined;
  readonly antesDe?: Id<'card'> | undefined;
  readonly depoisDe?: Id<'card'> | undefined;
  readonly motivoPerda?: string | undefined;
}

const placeOf = ({ antesDe, depoisDe }: Move): Place | Refusal<'VALIDATION_ERROR'> => {
  if (antesDe !== undefined && depoisDe !== undefined)
    return refuseField('A card is placed beside one other card.', 'depoisDe', 'must be absent if antesDe is given');
  if (antesDe !== undefined) return { at: 'before', cardId: antesDe };
  return depoisDe === undefined ? END : { at: 'after', cardId: depoisDe };
};

/** The card in a stage: its status follows the stage's type; within its own stage it keeps its status. */
export const planMove =
  (move: Move, place: Place): Plan =>
  (card, pipeline) => {
    const stage = stageOf(pipeline, move.estagioId);
    if (isRefusal(stage)) return stage;
    const isOwn = stage.id === card.stageId;
    const isDecidedAgain = stage.type !== 'aberto' && card.status !== 'aberto' && stage.type !== card.status;
    if (!isOwn && isDecidedAgain) return refuseStatus(card.status);
    return { stage, status: isOwn ? card.status : stage.type, place, lossReason: move.motivoPerda };
  };

/** Moves a card to a stage and a position there. A stage of type ganho or perdido makes it won or lost, an open one open. */
export const moveCard = async (
  ports: CardPorts,
  caller: CardCaller,
  id: Id<'card'>,
  move: Move,
): Promise<Card | Refused> => {
  const place = placeOf(move);
  return isRefusal(place) ? place : step(ports, caller, id, move.pipelineId, planMove(move, place));
};

/** Marks an open card as won or lost; 409 if it already is. It moves to the first stage of that type, if there is one. */
export const closeCard = (
  ports: CardPorts,
  caller: CardCaller,
  id: Id<'card'>,
  status: 'ganho' | 'perdido',
  lossReason?: string,
): Promise<Card | Refused> =>
  step(ports, caller, id, undefined, (card, pipeline) =>
    card.status === 'aberto'
      ? { stage: pipeline.stages.find(({ type }) => type === status), status, place: END, lossReason }
      : refuseStatus(card.status),
  );

/** The stage in which a card is reopened: the requested one, the open one that it came from, or the first open one. */
const reopenedIn = (card: Card, pipeline: Pipeline, named: Id<'stage'> | undefined) => {
  const stage = named === undefined ? undefined : stageOf(pipeline, named);
  if (isRefusal(stage)) return stage;
  const open = pipeline.stages.filter(({ type }) => type === 'aberto');
  if (stage && stage.type !== 'aberto')
    return refuseField('A card can only be reopened in an open stage.', 'estagioId', 'must be a stage of tipo aberto');
  return stage ?? open.find(({ id }) => id === card.openStageId) ?? open[0];
};

/** Reopens a won or lost card; 409 for an open one. */
export const reopenCard = (
  ports: CardPorts,
  caller: CardCaller,
  id: Id<'card'>,
  stageId: Id<'stage'> | undefined,
): Promise<Card | Refused> =>
  step(ports, caller, id, undefined, (card, pipeline) => {
    if (card.status === 'aberto') return refuseStatus(card.status);
    const stage = reopenedIn(card, pipeline, stageId);
    return isRefusal(stage) ? stage : { stage, status: 'aberto', place: END };
  });
