import type { Card } from '../../sdk.ts';

/** A card on its way to a place: a stage, and beside which card of it; without one, its end. */
export interface Move {
  readonly card: Card;
  readonly to: string;
  readonly antesDe?: string;
  readonly depoisDe?: string;
}

/** The cards of each stage, by the stage's id. */
export type Columns = Readonly<Record<string, readonly Card[]>>;

const placeOf = (cards: readonly Card[], { antesDe, depoisDe }: Move): number => {
  const before = cards.findIndex(({ id }) => id === antesDe);
  if (before >= 0) return before;
  const behind = cards.findIndex(({ id }) => id === depoisDe);
  return behind >= 0 ? behind + 1 : cards.length;
};

const applyMove = (columns: Columns, move: Move): Columns =>
  Object.fromEntries(
    Object.entries(columns).map(([stage, cards]) => {
      const isHere = cards.some(({ id }) => id === move.card.id);
      // Other columns keep their identity, so that they are not rendered again.
      const others = isHere ? cards.filter(({ id }) => id !== move.card.id) : cards;
      return [stage, stage === move.to ? others.toSpliced(placeOf(others, move), 0, move.card) : others];
    }),
  );

/** The columns as they are once these moves are done. A move that was done already changes nothing. */
export const applyMoves = (columns: Columns, moves: readonly Move[]): Columns => moves.reduce(applyMove, columns);

/** The move of a card to a place in a column, counted without the card itself. */
export const moveTo = (columns: Columns, card: Card, to: string, index: number): Move => {
  const others = (columns[to] ?? []).filter(({ id }) => id !== card.id);
  const [before, next] = [others[index - 1], others[index]];
  if (before) return { card, to, depoisDe: before.id };
  return next ? { card, to, antesDe: next.id } : { card, to };
};
