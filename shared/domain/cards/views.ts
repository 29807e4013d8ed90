import { definedFields, definedTimes } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import { amountOf, pipelineView, valuesView } from '../pipelines/views.ts';
import type { Board } from './board.ts';
import type { Card, CardEntry, StagePosition } from './card.ts';

/** A card as it is on the wire. */
export const cardView = (card: Card) => ({
  id: card.id,
  pipelineId: card.pipelineId,
  estagioId: card.stageId,
  titulo: card.title,
  ...definedFields({ valor: card.cents === undefined ? undefined : amountOf(card.cents) }),
  moeda: card.currency,
  ...definedFields({ responsavelId: card.responsibleId, contatoId: card.contactId, empresaId: card.companyId }),
  status: card.status,
  ...definedFields({ motivoPerda: card.lossReason, dataPrevista: card.expectedOn }),
  ...definedTimes({ ganhoEm: card.wonAt, perdidoEm: card.lostAt }),
  atributos: card.attributes,
  ordem: card.order,
  parado: card.stalled,
  estagioDesde: isoTime(card.stageSince),
  createdAt: isoTime(card.createdAt),
  updatedAt: isoTime(card.updatedAt),
});

/** An entry of a card's history as it is on the wire. */
export const entryView = ({ at, act, actor, from, to, fields }: CardEntry) => ({
  em: isoTime(at),
  tipo: act,
  ...definedFields({ estagioAnteriorId: from, estagioId: to }),
  ...(actor ? { ator: { tipo: actor.kind, id: actor.id } } : {}),
  ...(fields ? { campos: [...fields] } : {}),
});

/** A board as it is on the wire; `cursorOf` makes the cursor of the rest of a stage. */
export const boardView = (
  { counted, stages }: Board,
  cursorOf: (stageId: Card['stageId'], next: StagePosition) => string,
) => ({
  pipeline: pipelineView(counted.pipeline),
  estagios: stages.map(({ stage, counts, cards, next }) => ({
    id: stage.id,
    nome: stage.name,
    total: counts.cards,
    valores: valuesView(counts.open),
    cards: cards.map(cardView),
    ...(next ? { nextCursor: cursorOf(stage.id, next) } : {}),
  })),
});
