const AFTER_START = ['touchmove', 'touchend', 'touchcancel'] as const;

/**
 * Keeps a touch with the page while its card is being dragged. Browsers send a touch to the element on which it began, even once that has left the
 * document, as the lifted card of a virtual list does; from there nothing bubbles to the window, where the drag listens.
 */
export const keepTouch = (target: EventTarget): void => {
  if (!(target instanceof Node)) return;
  const listening = new AbortController();
  const passOn = (event: Event) => {
    if (!(event instanceof TouchEvent)) return;
    if (event.touches.length === 0) listening.abort();
    if (target.isConnected) return;
    const again = new TouchEvent(event.type, {
      cancelable: event.cancelable,
      touches: [...event.touches],
      targetTouches: [...event.targetTouches],
      changedTouches: [...event.changedTouches],
    });
    if (!window.dispatchEvent(again)) event.preventDefault();
  };
  // Not passive: a drag keeps the page from scrolling.
  for (const type of AFTER_START) target.addEventListener(type, passOn, { passive: false, signal: listening.signal });
};
