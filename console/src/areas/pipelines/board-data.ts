import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../api.ts';
import type { Board, Card } from '../../sdk.ts';
import { applyMoves, type Columns, type Move } from './moves.ts';
import { boardQuery, STEP } from './queries.ts';

const REFRESH_MS = 15_000;
/** The most that one call answers. */
const MOST = 1_000;

/** A pipeline, and the first cards of its stages. */
export const useBoard = (id: string) => useQuery({ ...boardQuery(id), refetchInterval: REFRESH_MS });

/** The first cards of a stage, so many of them; `more`: it has others. */
const readStage = async (id: string, stageId: string, count: number, signal: AbortSignal) => {
  const cards: Card[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: Math.min(MOST, count - cards.length), ...(cursor === undefined ? {} : { cursor }) };
    const { items, nextCursor } = await api.pipelines.stageCards(id, stageId, query, { signal });
    cards.push(...items);
    cursor = nextCursor;
  } while (cursor !== undefined && cards.length < count);
  return { cards, more: cursor !== undefined };
};

/** The cards of every stage: the board's own, and of a stage of which the person wants more, those of a query of its own. */
export const useStages = ({ pipeline: { id }, estagios }: Board) => {
  const [wanted, setWanted] = useState<Readonly<Record<string, number>>>({});
  const longer = estagios.filter((stage) => wanted[stage.id] !== undefined);
  const queries = useQueries({
    queries: longer.map((stage) => ({
      queryKey: ['board', id, 'cards', stage.id, wanted[stage.id]],
      queryFn: ({ signal }: { signal: AbortSignal }) => readStage(id, stage.id, wanted[stage.id] ?? STEP, signal),
      placeholderData: keepPreviousData,
      refetchInterval: REFRESH_MS,
    })),
  });
  const showMore = useCallback(
    (stageId: string) => setWanted((all) => ({ ...all, [stageId]: (all[stageId] ?? STEP) + STEP })),
    [],
  );
  const read = new Map(longer.map((stage, at) => [stage.id, queries[at]?.data]));
  const columns: Columns = Object.fromEntries(estagios.map(({ id: at, cards }) => [at, read.get(at)?.cards ?? cards]));
  const hasMore = ({ id: at, nextCursor }: Board['estagios'][number]) => read.get(at)?.more ?? nextCursor !== undefined;
  return {
    columns,
    /** Stages of which not all cards are read. */
    more: new Set(estagios.filter(hasMore).map((stage) => stage.id)),
    error: queries.find(({ error }) => error)?.error ?? null,
    showMore,
  };
};

/** A move, and what goes with it. */
export interface MoveRequest {
  readonly move: Move;
  readonly motivoPerda?: string;
}
/** A move that was refused. */
export interface Refused extends MoveRequest {
  readonly error: Error;
}

/**
 * Moves cards: each is shown in its new place at once, and back in its old one if the service refuses it. Moves are sent one after another, so
 * that each finds the neighbours that the person saw.
 */
export const useMoves = (id: string, columns: Columns) => {
  const queries = useQueryClient();
  const [pending, setPending] = useState<readonly MoveRequest[]>([]);
  const [refused, setRefused] = useState<Refused>();
  const moving = useMutation({
    scope: { id: `board ${id}` },
    mutationFn: ({ move: { card, to, antesDe, depoisDe }, motivoPerda }: MoveRequest) =>
      api.cards.move(card.id, {
        estagioId: to,
        ...(antesDe === undefined ? {} : { antesDe }),
        ...(depoisDe === undefined ? {} : { depoisDe }),
        ...(motivoPerda === undefined ? {} : { motivoPerda }),
      }),
    onError: (error, request) => setRefused({ ...request, error }),
    onSettled: async (_, __, request) => {
      const stale = [
        ['board', id],
        ['card', request.move.card.id],
      ];
      // It stands where it was put until the service says so too.
      await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })));
      setPending((all) => all.filter((each) => each !== request));
    },
  });
  const shown = applyMoves(
    columns,
    pending.map(({ move }) => move),
  );
  const ask = (request: MoveRequest) => {
    setPending((all) => [...all, request]);
    moving.mutate(request);
  };
  return { shown, ask, refused, forget: () => setRefused(undefined) };
};
