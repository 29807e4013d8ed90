import type { Card } from '../cards/card.ts';
import { checkEntry, newCard } from '../cards/cards.ts';
import { planMove } from '../cards/moves.ts';
import { END } from '../cards/place.ts';
import { checkArchived, entered } from '../cards/rules.ts';
import type { Contact } from '../contacts/contact.ts';
import { isRefusal } from '../core/errors.ts';
import { derivedId, type Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import type { Pipeline, PipelineStore } from '../pipelines/pipeline.ts';
import type { CardMove, Graph } from './graph.ts';
import type { PerformPorts } from './perform.ts';
import { refusedBy } from './send-results.ts';
import type { EffectResult } from './turn.ts';

/** The pipelines of a journey, and the contact's open card in each. */
export interface Board {
  readonly pipelines: ReadonlyMap<Id<'pipeline'>, Pipeline>;
  readonly open: ReadonlyMap<Id<'pipeline'>, Card>;
}

/** Ports for the cards of a simulation. */
export interface BoardPorts {
  readonly pipelines: Pick<PipelineStore, 'read'>;
  readonly openCard: PerformPorts['openCard'];
}

/** Pipelines read concurrently. */
const CONCURRENCY = 8;

/** The pipelines of the steps, and the contact's open card in each. */
export const boardOf = async (
  { pipelines, openCard }: BoardPorts,
  { steps }: Graph,
  { id, organizationId }: Contact,
  isStored: boolean,
): Promise<Board> => {
  const named = [...steps.values()].flatMap((step) => (step.kind === 'mover_cartao' ? step.config.pipelineId : []));
  const found = await mapConcurrently([...new Set(named)], CONCURRENCY, async (pipelineId) => {
    const [pipeline, card] = await Promise.all([
      pipelines.read(organizationId, pipelineId),
      isStored ? openCard(organizationId, id, pipelineId) : undefined,
    ]);
    return { pipelineId, pipeline, card };
  });
  return {
    pipelines: new Map(
      found.flatMap(({ pipelineId, pipeline }) => (pipeline ? [[pipelineId, pipeline] as const] : [])),
    ),
    open: new Map(found.flatMap(({ pipelineId, card }) => (card ? [[pipelineId, card] as const] : []))),
  };
};

/** The cards of a simulated contact: steps move and create copies, by the rules of cards. */
export class SimulatedCards {
  readonly #pipelines: Board['pipelines'];
  readonly #open: Map<Id<'pipeline'>, Card>;

  constructor({ pipelines, open }: Board) {
    this.#pipelines = pipelines;
    this.#open = new Map(open);
  }

  /** The result of moving a contact's card at `now` (ms). */
  move(contact: Contact, { pipelineId, stageId, create }: CardMove, now: number): EffectResult {
    const card = this.#open.get(pipelineId);
    if (!card && !create) return { kind: 'skipped', detail: 'sem_cartao' };
    const pipeline = this.#pipelines.get(pipelineId);
    const stage = pipeline?.stages.find(({ id }) => id === stageId);
    if (!pipeline || !stage) return { kind: 'refused', detail: pipeline ? 'estagioId' : 'pipelineId' };
    const target = { pipeline, stage, order: card?.order ?? '' };
    const after = card ? this.#moved(card, target, now) : this.#created(contact, target, create, now);
    const refused = after === card ? checkArchived(pipeline) : checkEntry(after, target);
    if (refused) return refusedBy(refused);
    if (after.status === 'aberto') this.#open.set(pipelineId, after);
    else this.#open.delete(pipelineId);
    return { kind: 'done' };
  }

  /** The open card in the stage; unchanged if it is already there. */
  #moved(card: Card, target: Parameters<typeof entered>[1], now: number): Card {
    const planned = planMove({ estagioId: target.stage.id }, END)(card, target.pipeline);
    return isRefusal(planned) || target.stage.id === card.stageId ? card : entered(card, target, now);
  }

  #created(contact: Contact, target: Parameters<typeof entered>[1], create: CardMove['create'], now: number): Card {
    const { id: contatoId, companyId: empresaId } = contact;
    const id = derivedId('card', [contatoId, target.pipeline.id]);
    const value = create?.value === undefined ? {} : { valor: create.value };
    const fields = { pipelineId: target.pipeline.id, titulo: create?.title ?? '', contatoId, empresaId, ...value };
    return newCard(contact, id, fields, target, now);
  }
}
