import { DragDropContext, type DragStart, type DropResult, type ResponderProvided } from '@hello-pangea/dnd';
import { lazy, Suspense, startTransition, useEffect, useRef, useState } from 'react';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { styleNonce } from '../../app/theme.ts';
import type { Board as BoardView, Card } from '../../sdk.ts';
import { useMemberNames } from '../../ui/members.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import styles from './board.module.css';
import { type Asked, useMoves, useStages } from './board-data.ts';
import { Column } from './column.tsx';
import { type Columns, type Move, moveTo } from './moves.ts';
import { texts } from './texts.ts';

// Loaded once a move asks for more, or is refused.
const LostDialog = lazy(async () => ({ default: (await import('./move-dialogs.tsx')).LostDialog }));
const RefusedDialog = lazy(async () => ({ default: (await import('./move-dialogs.tsx')).RefusedDialog }));

const cardIn = (columns: Columns, id: string): Card | undefined =>
  Object.values(columns)
    .flat()
    .find((card) => card.id === id);

const NO_CARDS: readonly Card[] = [];

type Place = DragStart['source'] | null | undefined;

/** Announces the position of a card to screen readers, in the person's language. */
const useAnnouncements = (board: BoardView, columns: Columns) => {
  const t = useTexts(texts);
  const format = useFormat();
  const say = (
    words: (card: string, stage: string, place: string) => string,
    { draggableId }: Pick<DragStart, 'draggableId'>,
    place: Place,
    { announce }: ResponderProvided,
  ) => {
    const card = cardIn(columns, draggableId)?.titulo ?? '';
    const stage = board.estagios.find(({ id }) => id === place?.droppableId)?.nome ?? '';
    announce(place ? words(card, stage, format.number(place.index + 1)) : t.overNothing(card));
  };
  return {
    start: (start: DragStart, provided: ResponderProvided) => say(t.lifted, start, start.source, provided),
    update: (update: DragStart & { destination: Place }, provided: ResponderProvided) =>
      say(t.over, update, update.destination, provided),
    end: (result: DropResult, provided: ResponderProvided) =>
      say(result.destination ? t.dropped : t.returned, result, result.destination ?? result.source, provided),
  };
};

/** Cards of a column that are rendered in one step: as many as a screen shows. */
const AT_ONCE = 10;

/**
 * How many cards of each column are rendered: those in view first, the others in further steps, between which the page handles input. A thousand
 * cards in one step would block it for a noticeable time.
 */
const useDrawn = (columns: Columns, paused: boolean): number => {
  const [drawn, setDrawn] = useState(AT_ONCE);
  const most = Math.max(0, ...Object.values(columns).map(({ length }) => length));
  useEffect(() => {
    if (drawn < most && !paused) startTransition(() => setDrawn(drawn + AT_ONCE));
  }, [drawn, most, paused]);
  return drawn;
};

interface BoardProps {
  readonly board: BoardView;
  readonly dragging: boolean;
  readonly onDragging: (dragging: boolean) => void;
}

/** The stages side by side, and their cards, which are moved by mouse, touch or keyboard. */
export const Board = ({ board, dragging, onDragging }: BoardProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const { pipeline } = board;
  const stages = useStages(pipeline.id, pipeline.estagios, dragging);
  const { shown, ask, refused, forget } = useMoves(pipeline.id, stages.columns);
  const [losing, setLosing] = useState<Move>();
  // Changes by others do not move cards while one is being dragged.
  const held = useRef(shown);
  if (!dragging) held.current = shown;
  const columns = held.current;
  const names = useMemberNames();
  const drawn = useDrawn(columns, dragging);
  const announcements = useAnnouncements(board, columns);
  const typeOf = (stageId: string) => pipeline.estagios.find(({ id }) => id === stageId)?.tipo;
  const put = (result: DropResult, provided: ResponderProvided) => {
    onDragging(false);
    announcements.end(result, provided);
    const { destination, source, draggableId } = result;
    const card = cardIn(columns, draggableId);
    if (!destination || !card) return;
    if (destination.droppableId === source.droppableId && destination.index === source.index) return;
    const move = moveTo(columns, card, destination.droppableId, destination.index);
    if (typeOf(move.to) === 'perdido' && card.status !== 'perdido') setLosing(move);
    else ask({ move });
  };
  if (stages.loading && !stages.error) return <Loading />;
  return (
    <>
      <ProblemView error={stages.error} />
      <DragDropContext
        nonce={styleNonce()}
        dragHandleUsageInstructions={t.instructions}
        onDragStart={(start, provided) => {
          onDragging(true);
          announcements.start(start, provided);
        }}
        onDragUpdate={announcements.update}
        onDragEnd={put}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach all of it. */}
        <section className={styles.columns} tabIndex={0} aria-label={t.board}>
          {pipeline.estagios.map((stage) => (
            <Column
              key={stage.id}
              stage={stage}
              count={board.estagios.find(({ id }) => id === stage.id)}
              cards={columns[stage.id] ?? NO_CARDS}
              fixed={!may('crm:write') || pipeline.arquivado}
              more={stages.more.has(stage.id)}
              onMore={stages.showMore}
              names={names}
              drawn={drawn}
            />
          ))}
        </section>
      </DragDropContext>
      <Suspense>
        {losing ? (
          <LostDialog
            card={losing.card}
            onClose={() => setLosing(undefined)}
            onReason={(motivoPerda) => {
              setLosing(undefined);
              ask({ move: losing, motivoPerda });
            }}
          />
        ) : null}
        {refused ? (
          <RefusedDialog
            // Each refusal has a dialog of its own.
            key={`${refused.move.card.id} ${refused.move.to} ${refused.move.card.updatedAt}`}
            refused={refused}
            stage={pipeline.estagios.find(({ id }) => id === refused.move.to)}
            onClose={forget}
            onAgain={(asked: Asked) => ask(asked)}
          />
        ) : null}
      </Suspense>
    </>
  );
};
