import { Droppable } from '@hello-pangea/dnd';
import { Button } from '@mantine/core';
import { memo } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Board, Card, Stage } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import styles from './board.module.css';
import { Cards, CardTile } from './cards.tsx';
import { texts } from './texts.ts';

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
  /** Whether it is in view, or next to what is. */
  readonly near: boolean;
}

/** Plain elements: there are up to twenty of them. */
const Head = ({ stage, count, total }: Pick<ColumnProps, 'stage' | 'count'> & { readonly total: number }) => {
  const format = useFormat();
  return (
    <>
      <div className={styles.head}>
        <h2>{stage.nome}</h2>
        <span data-total>{format.number(total)}</span>
      </div>
      <div className={styles.sums}>
        {(count?.valores ?? []).map(({ moeda, valor }, at) => (
          <span key={moeda}>
            {at > 0 ? ' · ' : ''}
            <Amount value={valor} currency={moeda} />
          </span>
        ))}
      </div>
    </>
  );
};

const ColumnView = ({ stage, count, cards, fixed, more, onMore, names, near }: ColumnProps) => {
  const t = useTexts(texts);
  const total = count?.total ?? cards.length;
  const cardProps = { cards, stage, fixed, names, near, total };
  return (
    <section className={styles.column} aria-label={stage.nome} data-stage={stage.id}>
      <Head stage={stage} count={count} total={total} />
      <Droppable
        droppableId={stage.id}
        isDropDisabled={fixed}
        mode="virtual"
        renderClone={({ innerRef, draggableProps, dragHandleProps }, _, { draggableId }) => (
          // Beside the page, out of the list: it is no item of it.
          <div ref={innerRef} {...draggableProps}>
            <CardTile
              card={cards.find(({ id }) => id === draggableId)}
              stage={stage}
              names={names}
              handle={dragHandleProps}
              dragging
            />
          </div>
        )}
      >
        {(provided, { isDraggingOver, draggingFromThisWith }) => (
          <Cards
            {...cardProps}
            provided={provided}
            over={isDraggingOver}
            growing={isDraggingOver && !draggingFromThisWith}
          />
        )}
      </Droppable>
      {more ? (
        <Button variant="subtle" size="xs" fullWidth onClick={() => onMore(stage.id)}>
          {t.moreCards}
        </Button>
      ) : null}
    </section>
  );
};

/** A stage: what it holds, and its cards in their order. Memoized: a change of one stage does not render the others again. */
export const Column = memo(ColumnView);
