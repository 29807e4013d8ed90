import { type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useDeferredValue, useRef } from 'react';
import type { Stage } from '../../sdk.ts';
import { withFocused } from './use-rows.ts';

/** Of a column and the gap behind it, in rem: board.module.css. */
const COLUMN_REM = 16.75;
/** Of the navigation, beside the board. */
const NAVIGATION_REM = 15;

const remInPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** Which stages of a board, which scrolls sideways, are in view, and the next one at each side: the cards of these are rendered. */
export const useNear = (stages: readonly Stage[]) => {
  const board = useRef<HTMLElement>(null);
  const rem = useRef<number>(undefined);
  rem.current ??= remInPx();
  const px = rem.current;
  const virtualizer = useVirtualizer({
    horizontal: true,
    count: stages.length,
    getScrollElement: () => board.current,
    // Those in view are shown first.
    overscan: useDeferredValue(1, 0),
    initialRect: { width: window.innerWidth - NAVIGATION_REM * px, height: window.innerHeight },
    estimateSize: useCallback(() => COLUMN_REM * px, [px]),
    rangeExtractor: useCallback(
      (range: Range) => {
        const stageId = document.activeElement?.closest('[data-stage]')?.getAttribute('data-stage');
        return withFocused(
          range,
          stages.findIndex(({ id }) => id === stageId),
        );
      },
      [stages],
    ),
    // A drag hears of a scroll before the columns that it brings.
    useFlushSync: false,
  });
  const indexes = virtualizer.getVirtualIndexes();
  return { board, near: new Set(indexes.map((index) => stages[index]?.id)) };
};
