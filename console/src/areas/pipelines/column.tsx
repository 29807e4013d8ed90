import { Draggable, Droppable } from '@hello-pangea/dnd';
import { Badge, Button, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { AlarmClock } from 'lucide-react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Board, Card, Stage } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import { MemberName } from '../../ui/members.tsx';
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
}

/** The part of a card that the board shows. */
const Tile = ({ card, stage }: TileProps) => {
  const format = useFormat();
  return (
    <>
      <Text fw={600} size="sm" className="breakable">
        {card.titulo}
      </Text>
      {card.valor === undefined ? null : (
        <Text size="sm">
          <Amount value={card.valor} currency={card.moeda} />
        </Text>
      )}
      {card.responsavelId ? (
        <Text size="xs" c="dimmed">
          <MemberName id={card.responsavelId} />
        </Text>
      ) : null}
      <Group gap="xs">
        {card.dataPrevista ? (
          <Text size="xs" c="dimmed">
            {format.date(`${card.dataPrevista}T12:00:00`)}
          </Text>
        ) : null}
        {card.parado ? <Stalled stage={stage} /> : null}
      </Group>
    </>
  );
};

const CardOnBoard = ({
  card,
  stage,
  index,
  fixed,
}: TileProps & { readonly index: number; readonly fixed: boolean }) => (
  <Draggable draggableId={card.id} index={index} isDragDisabled={fixed}>
    {({ innerRef, draggableProps, dragHandleProps }, { isDragging }) => {
      // The card is a link that can be dragged: Enter opens it, space lifts it.
      const { role: _, ...handle } = dragHandleProps ?? { role: '' };
      return (
        <li ref={innerRef} {...draggableProps}>
          <Link
            {...handle}
            to={`/pipelines/${card.pipelineId}/cards/${card.id}`}
            className={styles.card}
            data-card={card.id}
            data-dragging={isDragging || undefined}
          >
            <Tile card={card} stage={stage} />
          </Link>
        </li>
      );
    }}
  </Draggable>
);

interface ColumnProps {
  readonly stage: Stage;
  /** How many cards it has, and what its open ones are worth. */
  readonly count: Board['estagios'][number] | undefined;
  readonly cards: readonly Card[];
  /** Its cards stay where they are. */
  readonly fixed: boolean;
  readonly onMore: (() => void) | undefined;
}

/** A stage: what it holds, and its cards in their order. */
export const Column = ({ stage, count, cards, fixed, onMore }: ColumnProps) => {
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
            {cards.map((card, index) => (
              <CardOnBoard key={card.id} card={card} stage={stage} index={index} fixed={fixed} />
            ))}
            {placeholder}
          </ul>
        )}
      </Droppable>
      {onMore ? (
        <Button variant="subtle" size="xs" fullWidth onClick={onMore}>
          {t.moreCards}
        </Button>
      ) : null}
    </section>
  );
};
