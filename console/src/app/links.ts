import { useRouter } from '@tanstack/react-router';
import { type SyntheticEvent, useMemo } from 'react';

/** Where the console is served. */
export const BASE = '/console';
/** How long a pointer rests on a link until the page's files are loaded, in ms. */
const INTENT_MS = 50;

/** Search parameters are texts: a phone number stays one, and an address is read as it is written. */
export const parseSearch = (text: string) => Object.fromEntries(new URLSearchParams(text));
export const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const given = Object.entries(search).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

/** The attributes of an `<a>` that leads to a page of the console. */
export const leadsTo = (to: string) => ({ href: `${BASE}${to}`, 'data-page': to });

/** The page that the plain link of an event leads to. */
const pageOf = ({ target }: SyntheticEvent) => {
  const to = target instanceof Element ? target.closest('a[data-page]')?.getAttribute('data-page') : undefined;
  return to ? { to } : undefined;
};

const isPlainClick = (event: Pick<MouseEvent, 'button' | 'metaKey' | 'altKey' | 'ctrlKey' | 'shiftKey'>): boolean =>
  event.button === 0 && !(event.metaKey || event.altKey || event.ctrlKey || event.shiftKey);

/**
 * Listeners of the page's frame: with them, plain links in it (`leadsTo`) lead to their pages without loading the document, and the files of one that
 * is pointed at are loaded. The router's own links do the same, and each takes as long to render as a row of a table.
 */
export const usePlainLinks = () => {
  const router = useRouter();
  return useMemo(() => {
    let resting: ReturnType<typeof setTimeout> | undefined;
    const preload = (event: SyntheticEvent, afterMs: number) => {
      clearTimeout(resting);
      const page = pageOf(event);
      if (page) resting = setTimeout(() => void router.preloadRoute(page).catch(() => undefined), afterMs);
    };
    return {
      onClick: (event: React.MouseEvent) => {
        const page = pageOf(event);
        if (!page || event.defaultPrevented || !isPlainClick(event)) return;
        event.preventDefault();
        void router.navigate(page);
      },
      onMouseOver: (event: SyntheticEvent) => preload(event, INTENT_MS),
      onFocus: (event: SyntheticEvent) => preload(event, INTENT_MS),
      onTouchStart: (event: SyntheticEvent) => preload(event, 0),
    };
  }, [router]);
};
