import {
  Draggable,
  type DraggableProvided,
  type DraggableProvidedDragHandleProps,
  type DroppableProvided,
} from '@hello-pangea/dnd';
import { Badge } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { AlarmClock } from 'lucide-react';
import { memo } from 'react';
import { useFormat } from '../../app/format.ts';
import { leadsTo } from '../../app/links.ts';
import { useTexts } from '../../app/texts.ts';
import type { Card, Stage } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import styles from './board.module.css';
import { texts } from './texts.ts';
import { useRows } from './use-rows.ts';

const Stalled = ({ stage }: { readonly stage: Stage }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const hint = stage.tempoMaximoDias ? t.stalledHint(format.number(stage.tempoMaximoDias)) : undefined;
  return (
    <Badge color="yellow" tt="none" leftSection={<AlarmClock size={12} aria-hidden />} title={hint}>
      {t.stalled}
    </Badge>
  );
};

/** The name of the person who is responsible for a card; the id of one who was removed. */
const personOf = ({ responsavelId }: Card, names: ReadonlyMap<string, string>): string | undefined =>
  responsavelId && (names.get(responsavelId) ?? responsavelId);

interface ContentProps {
  readonly card: Card;
  readonly stage: Stage;
  readonly person: string | undefined;
}

/** The part of a card that the board shows. */
const Content = ({ card, stage, person }: ContentProps) => {
  const format = useFormat();
  return (
    <>
      <p className={styles.title}>{card.titulo}</p>
      {card.valor === undefined ? null : (
        <div className={styles.amount}>
          <Amount value={card.valor} currency={card.moeda} />
        </div>
      )}
      {person === undefined ? null : <div className={styles.detail}>{person}</div>}
      {card.dataPrevista || card.parado ? (
        <div className={styles.state}>
          {card.dataPrevista ? (
            <span className={styles.detail}>{format.date(`${card.dataPrevista}T12:00:00`)}</span>
          ) : null}
          {card.parado ? <Stalled stage={stage} /> : null}
        </div>
      ) : null}
    </>
  );
};

interface CardTileProps {
  readonly card: Card | undefined;
  readonly stage: Stage;
  readonly names: ReadonlyMap<string, string>;
  readonly handle: DraggableProvidedDragHandleProps | null;
  readonly dragging?: boolean;
}

/** A card: a link that can be dragged. Enter opens it, space lifts it. */
export const CardTile = ({ card, stage, names, handle, dragging = false }: CardTileProps) => {
  if (!card) return null;
  const { role: _, ...handleProps } = handle ?? { role: '' };
  return (
    <a
      {...handleProps}
      {...leadsTo(`/pipelines/${card.pipelineId}/cards/${card.id}`)}
      className={styles.card}
      data-card={card.id}
      data-dragging={dragging || undefined}
    >
      <Content card={card} stage={stage} person={personOf(card, names)} />
    </a>
  );
};

interface RowProps extends Pick<CardTileProps, 'stage' | 'names'> {
  readonly card: Card;
  readonly index: number;
  /** How many cards its stage has: only those near the view are in the document. */
  readonly total: number;
  readonly fixed: boolean;
  /** From the list's top, in px. */
  readonly top: number;
  readonly measure: (element: HTMLLIElement | null) => void;
}
interface ItemProps extends Omit<RowProps, 'fixed'> {
  readonly provided: DraggableProvided;
}

const Item = ({ card, index, total, top, measure, provided, ...tile }: ItemProps) => (
  <li
    // The same one in each render: another would have the card measured again.
    ref={useMergedRef(provided.innerRef, measure)}
    {...provided.draggableProps}
    style={{ ...provided.draggableProps.style, top }}
    className={styles.row}
    data-index={index}
    aria-posinset={index + 1}
    aria-setsize={total}
  >
    <CardTile card={card} handle={provided.dragHandleProps} {...tile} />
  </li>
);

/** Memoized: a change of one card does not render the others again. */
const Row = memo(({ fixed, ...item }: RowProps) => (
  <Draggable draggableId={item.card.id} index={item.index} isDragDisabled={fixed}>
    {(provided) => <Item {...item} provided={provided} />}
  </Draggable>
));

interface CardsProps extends Pick<RowProps, 'stage' | 'names' | 'total' | 'fixed'> {
  readonly cards: readonly Card[];
  readonly near: boolean;
  readonly provided: DroppableProvided;
  readonly over: boolean;
  /** A card of another column is above it: it needs the place of one more. */
  readonly growing: boolean;
}

/** The cards of a stage: those near the view are rendered. */
export const Cards = ({ cards, near, provided, over, growing, stage, ...row }: CardsProps) => {
  const { list, rows, height, listens, measure } = useRows(cards, near, growing);
  return (
    <ul
      ref={useMergedRef(provided.innerRef, list)}
      {...provided.droppableProps}
      {...listens}
      className={styles.cards}
      style={{ minHeight: `max(8rem, ${height}px)` }}
      data-over={over || undefined}
      aria-label={stage.nome}
    >
      {rows.map(({ index, start }) => {
        const card = cards[index];
        return card ? (
          <Row key={card.id} {...row} card={card} index={index} stage={stage} top={start} measure={measure} />
        ) : null;
      })}
    </ul>
  );
};
