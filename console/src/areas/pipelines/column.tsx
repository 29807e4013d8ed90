import { Draggable, Droppable } from '@hello-pangea/dnd';
import { Badge, Button, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { AlarmClock } from 'lucide-react';
import { memo } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Board, Card, Stage } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import styles from './board.module.css';
import { texts } from './texts.ts';

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

interface TileProps {
  readonly card: Card;
  readonly stage: Stage;
  /** The name of the person who is responsible for it. */
  readonly person: string | undefined;
}

/** The part of a card that the board shows. Plain elements: there are up to a thousand of them. */
const Tile = ({ card, stage, person }: TileProps) => {
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

/** Memoized: a change of one card does not render the others again. */
const CardOnBoard = memo(
  ({ index, fixed, ...tile }: TileProps & { readonly index: number; readonly fixed: boolean }) => (
    <Draggable draggableId={tile.card.id} index={index} isDragDisabled={fixed}>
      {({ innerRef, draggableProps, dragHandleProps }, { isDragging }) => {
        // The card is a link that can be dragged: Enter opens it, space lifts it.
        const { role: _, ...handle } = dragHandleProps ?? { role: '' };
        return (
          <li ref={innerRef} {...draggableProps}>
            <Link
              {...handle}
              to={`/pipelines/${tile.card.pipelineId}/cards/${tile.card.id}`}
              className={styles.card}
              data-card={tile.card.id}
              data-dragging={isDragging || undefined}
            >
              <Tile {...tile} />
            </Link>
          </li>
        );
      }}
    </Draggable>
  ),
);

interface ColumnProps {
  readonly stage: Stage;
  /** How many cards it has, and what its open ones are worth. */
  readonly count: Board['estagios'][number] | undefined;
  readonly cards: readonly Card[];
  /** Its cards stay where they are. */
  readonly fixed: boolean;
  /** Whether it has others than these. */
  readonly more: boolean;
  readonly onMore: (stageId: string) => void;
  /** People by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** How many of its cards are rendered so far. */
  readonly drawn: number;
}

const ColumnView = ({ stage, count, cards, fixed, more, onMore, names, drawn }: ColumnProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <section className={styles.column} aria-label={stage.nome} data-stage={stage.id}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Title order={2} size="h5" className="breakable">
          {stage.nome}
        </Title>
        <Text size="sm" c="dimmed" data-total>
          {format.number(count?.total ?? cards.length)}
        </Text>
      </Group>
      <Text size="xs" c="dimmed" mih="1.2em">
        {(count?.valores ?? []).map(({ moeda, valor }, at) => (
          <span key={moeda}>
            {at > 0 ? ' · ' : ''}
            <Amount value={valor} currency={moeda} />
          </span>
        ))}
      </Text>
      <Droppable droppableId={stage.id} isDropDisabled={fixed}>
        {({ innerRef, droppableProps, placeholder }, { isDraggingOver }) => (
          <ul
            ref={innerRef}
            {...droppableProps}
            className={styles.cards}
            data-over={isDraggingOver || undefined}
            aria-label={stage.nome}
          >
            {cards.slice(0, drawn).map((card, index) => (
              <CardOnBoard
                key={card.id}
                card={card}
                stage={stage}
                index={index}
                fixed={fixed}
                person={card.responsavelId && (names.get(card.responsavelId) ?? card.responsavelId)}
              />
            ))}
            {placeholder}
          </ul>
        )}
      </Droppable>
      {more && drawn >= cards.length ? (
        <Button variant="subtle" size="xs" fullWidth onClick={() => onMore(stage.id)}>
          {t.moreCards}
        </Button>
      ) : null}
    </section>
  );
};

/** A stage: what it holds, and its cards in their order. Memoized: a change of one stage does not render the others again. */
export const Column = memo(ColumnView);
