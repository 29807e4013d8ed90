import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../api.ts';
import type { Card, Stage } from '../../sdk.ts';
import { applyMoves, type Columns, type Move } from './moves.ts';

const REFRESH_MS = 15_000;
const LIMIT = 50;

/** A pipeline and what is counted of its stages: the cards themselves are read by one query a stage. */
export const useBoard = (id: string, paused = false) =>
  useQuery({
    queryKey: ['board', id],
    queryFn: ({ signal }) => api.pipelines.board(id, { limit: 1 }, { signal }),
    refetchInterval: paused ? false : REFRESH_MS,
  });

/** The first pages of a stage, one behind the other; `more`: it has others. */
const readStage = async (id: string, stageId: string, pages: number, signal: AbortSignal) => {
  const cards: Card[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const query = { limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
    const { items, nextCursor } = await api.pipelines.stageCards(id, stageId, query, { signal });
    cards.push(...items);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return { cards, more: cursor !== undefined };
};

const keyOf = (id: string, stageId: string) => ['board', id, 'cards', stageId];

/** The cards of every stage, each by a query of its own, side by side. */
export const useStages = (id: string, stages: readonly Stage[], paused: boolean) => {
  const [pages, setPages] = useState<Readonly<Record<string, number>>>({});
  const queries = useQueries({
    queries: stages.map((stage) => ({
      queryKey: [...keyOf(id, stage.id), pages[stage.id] ?? 1],
      queryFn: ({ signal }: { signal: AbortSignal }) => readStage(id, stage.id, pages[stage.id] ?? 1, signal),
      placeholderData: keepPreviousData,
      refetchInterval: paused ? (false as const) : REFRESH_MS,
    })),
  });
  const showMore = useCallback(
    (stageId: string) => setPages((all) => ({ ...all, [stageId]: (all[stageId] ?? 1) + 1 })),
    [],
  );
  const columns: Columns = Object.fromEntries(stages.map((stage, at) => [stage.id, queries[at]?.data?.cards ?? []]));
  const more = new Set(stages.filter((_, at) => queries[at]?.data?.more).map((stage) => stage.id));
  return {
    columns,
    /** Stages of which not all cards are shown. */
    more,
    loading: queries.some(({ isPending }) => isPending),
    error: queries.find(({ error }) => error)?.error ?? null,
    showMore,
  };
};

/** A move, and what goes with it. */
export interface Asked {
  readonly move: Move;
  readonly motivoPerda?: string;
}
/** A move that was refused. */
export interface Refused extends Asked {
  readonly error: Error;
}

/**
 * Moves cards: each is shown in its new place at once, and back in its old one if the service refuses it. Moves are sent one after another, so
 * that each finds the neighbours that the person saw.
 */
export const useMoves = (id: string, columns: Columns) => {
  const queries = useQueryClient();
  const [pending, setPending] = useState<readonly Asked[]>([]);
  const [refused, setRefused] = useState<Refused>();
  const moving = useMutation({
    scope: { id: `board ${id}` },
    mutationFn: ({ move: { card, to, antesDe, depoisDe }, motivoPerda }: Asked) =>
      api.cards.move(card.id, {
        estagioId: to,
        ...(antesDe === undefined ? {} : { antesDe }),
        ...(depoisDe === undefined ? {} : { depoisDe }),
        ...(motivoPerda === undefined ? {} : { motivoPerda }),
      }),
    onError: (error, asked) => setRefused({ ...asked, error }),
    onSettled: async (_, __, asked) => {
      const { card, to } = asked.move;
      const stale = [['board', id], keyOf(id, card.estagioId), keyOf(id, to), ['card', card.id]];
      const [board, ...others] = stale.map((queryKey) => ({ queryKey }));
      // It stands where it was put until the service says so too.
      await Promise.all([
        queries.invalidateQueries({ ...board, exact: true }),
        ...others.map((other) => queries.invalidateQueries(other)),
      ]);
      setPending((all) => all.filter((each) => each !== asked));
    },
  });
  const shown = applyMoves(
    columns,
    pending.map(({ move }) => move),
  );
  const ask = (asked: Asked) => {
    setPending((all) => [...all, asked]);
    moving.mutate(asked);
  };
  return { shown, ask, refused, forget: () => setRefused(undefined) };
};
