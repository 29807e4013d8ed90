import { DragDropContext, type DragStart, type DropResult, type ResponderProvided } from '@hello-pangea/dnd';
import { useRef, useState } from 'react';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { styleNonce } from '../../app/theme.ts';
import type { Board as BoardView, Card } from '../../sdk.ts';
import { chunkOf } from '../../ui/chunk.tsx';
import { useMemberNames } from '../../ui/members.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import styles from './board.module.css';
import { type MoveRequest, useMoves, useStages } from './board-data.ts';
import { Column } from './column.tsx';
import { keepTouch } from './keep-touch.ts';
import { type Columns, type Move, moveTo } from './moves.ts';
import { texts } from './texts.ts';
import { useNear } from './use-near.ts';

// Loaded once a move asks for more, or is refused.
const LostDialog = chunkOf(async () => ({ default: (await import('./move-dialogs.tsx')).LostDialog }));
const RefusedDialog = chunkOf(async () => ({ default: (await import('./move-dialogs.tsx')).RefusedDialog }));

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

interface BoardProps {
  readonly board: BoardView;
}

/** The stages side by side, and their cards, which are moved by mouse, touch or keyboard. */
export const Board = (props: BoardProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const stages = useStages(props.board);
  const { shown, ask, refused, forget } = useMoves(props.board.pipeline.id, stages.columns);
  const [losing, setLosing] = useState<Move>();
  const [dragging, setDragging] = useState(false);
  // Changes by others move neither cards nor stages while a card is being dragged.
  const held = useRef({ board: props.board, columns: shown });
  if (!dragging) held.current = { board: props.board, columns: shown };
  const { board, columns } = held.current;
  const { pipeline } = board;
  const view = useNear(pipeline.estagios);
  const names = useMemberNames();
  const announcements = useAnnouncements(board, columns);
  const typeOf = (stageId: string) => pipeline.estagios.find(({ id }) => id === stageId)?.tipo;
  const put = (result: DropResult, provided: ResponderProvided) => {
    setDragging(false);
    announcements.end(result, provided);
    const { destination, source, draggableId } = result;
    const card = cardIn(columns, draggableId);
    if (!destination || !card) return;
    if (destination.droppableId === source.droppableId && destination.index === source.index) return;
    const move = moveTo(columns, card, destination.droppableId, destination.index);
    if (typeOf(move.to) === 'perdido' && card.status !== 'perdido') setLosing(move);
    else ask({ move });
  };
  return (
    <>
      <ProblemView error={stages.error} />
      <DragDropContext
        nonce={styleNonce()}
        dragHandleUsageInstructions={t.instructions}
        onDragStart={(start, provided) => {
          setDragging(true);
          announcements.start(start, provided);
        }}
        onDragUpdate={announcements.update}
        onDragEnd={put}
      >
        <section
          ref={view.board}
          className={styles.columns}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach all of it.
          tabIndex={0}
          aria-label={t.board}
          onTouchStart={({ target }) => keepTouch(target)}
        >
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
              near={view.near.has(stage.id)}
            />
          ))}
        </section>
      </DragDropContext>
      {losing ? (
        <LostDialog.Component
          card={losing.card}
          onClose={() => setLosing(undefined)}
          onReason={(motivoPerda) => {
            setLosing(undefined);
            ask({ move: losing, motivoPerda });
          }}
        />
      ) : null}
      {refused ? (
        <RefusedDialog.Component
          // Each refusal has a dialog of its own.
          key={`${refused.move.card.id} ${refused.move.to} ${refused.move.card.updatedAt}`}
          refused={refused}
          stage={pipeline.estagios.find(({ id }) => id === refused.move.to)}
          onClose={forget}
          onAgain={(request: MoveRequest) => ask(request)}
        />
      ) : null}
    </>
  );
};
