import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, useCallback, useDeferredValue, useLayoutEffect, useRef, useState } from 'react';
import type { Card } from '../../sdk.ts';

/** Cards beyond the view that are rendered at each end: the next one is there for a drag before the page scrolls. */
const BEYOND = 2;
/** Where the lists of a board begin, about, in px: until it is measured. */
const ABOUT_TOP = 200;
/** Of a card, in px, until it is measured: what surrounds its lines, a line of each kind, and letters of its title to a line. */
const SIZES = { around: 32, title: 20, amount: 20, detail: 17, state: 21, letters: 28 } as const;

const estimateHeight = ({ titulo, valor, responsavelId, dataPrevista, parado }: Card): number =>
  SIZES.around +
  SIZES.title * Math.max(1, Math.ceil(titulo.length / SIZES.letters)) +
  (valor === undefined ? 0 : SIZES.amount) +
  (responsavelId === undefined ? 0 : SIZES.detail) +
  (dataPrevista || parado ? SIZES.state : 0);

/** The range that is rendered, and with it the item that holds the focus and those beside it: a page that is scrolled keeps it, and Tab finds the next. */
export const withFocused = (range: Range, focused: number): number[] => {
  const kept = focused < 0 ? [] : [focused - 1, focused, focused + 1].filter((at) => at >= 0 && at < range.count);
  return [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b);
};

/** Which item of a list holds the focus: its id, and what the list's element hears. */
const useFocused = () => {
  const [focused, setFocused] = useState<string>();
  const onFocus = ({ target }: FocusEvent) => setFocused(target.getAttribute('data-card') ?? undefined);
  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent) => {
    // Without another element it is the window that lost the focus, and gives it back to the same one.
    if (relatedTarget && !currentTarget.contains(relatedTarget)) setFocused(undefined);
  };
  return { focused, onFocus, onBlur };
};

const never = () => false;

/**
 * Which cards of a list are rendered, and where: those in view of the page, which scrolls, and a few beyond. Of a list that is not `near` there is
 * the height alone. `growing`: with the place of one more.
 */
export const useRows = (cards: readonly Card[], near: boolean, growing: boolean) => {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(ABOUT_TOP);
  useLayoutEffect(() => {
    const measured = list.current?.getBoundingClientRect().top;
    if (near && measured !== undefined) setTop(Math.round(measured + window.scrollY));
  });
  const { focused, ...listens } = useFocused();
  const place = cards.findIndex(({ id }) => id === focused);
  const virtualizer = useWindowVirtualizer<HTMLLIElement>({
    count: cards.length,
    scrollMargin: top,
    // Those in view are shown first.
    overscan: useDeferredValue(BEYOND, 0),
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    estimateSize: useCallback((index: number) => (cards[index] ? estimateHeight(cards[index]) : 0), [cards]),
    getItemKey: useCallback((index: number) => cards[index]?.id ?? index, [cards]),
    rangeExtractor: useCallback((range: Range) => withFocused(range, place), [place]),
    // A drag hears of a scroll before the cards that it brings.
    useFlushSync: false,
  });
  // The page is scrolled by the person alone: another column's cards would move.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = never;
  const rows = near ? virtualizer.getVirtualItems() : [];
  const last = cards.at(-1);
  return {
    list,
    rows: rows.map(({ index, start }) => ({ index, start: start - top })),
    height: virtualizer.getTotalSize() + (growing && last ? estimateHeight(last) : 0),
    listens,
    measure: virtualizer.measureElement,
  };
};
