import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

type Loaded<P> = { readonly default: ComponentType<P> };

/** A component in a chunk of its own. */
export interface Chunk<P> {
  /** Renders the component, and `waiting` until its chunk is there. */
  readonly Component: ComponentType<P & { readonly waiting?: ReactNode }>;
  /** Loads the chunk before it is needed. A failure is shown when it is. */
  readonly preload: () => void;
}

/** How long work waits for an idle moment of a browser that does not name them. */
const IDLE_MS = 200;
/** Runs work once the page is drawn and has nothing else to do. */
export const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work);
  else setTimeout(work, IDLE_MS);
};

/**
 * A component in a chunk of its own, which is rendered at once if the chunk is there already. React's `lazy` renders its fallback even then,
 * and keeps a fallback for at least 300 ms.
 */
export const chunkOf = <P extends object>(load: () => Promise<Loaded<P>>): Chunk<P> => {
  let loaded: Loaded<P> | undefined;
  const loadOnce = async (): Promise<Loaded<P>> => {
    loaded = await load();
    return loaded;
  };
  const Component = ({ waiting, ...props }: P & { readonly waiting?: ReactNode }) => {
    const [state, setState] = useState<{ readonly chunk?: Loaded<P> | undefined; readonly error?: unknown }>({
      chunk: loaded,
    });
    useEffect(() => {
      if (state.chunk) return;
      loadOnce().then(
        (chunk) => setState({ chunk }),
        (error: unknown) => setState({ error }),
      );
    }, [state.chunk]);
    if (state.error !== undefined) throw state.error;
    if (!state.chunk) return waiting;
    const Content = state.chunk.default;
    // Rest of `P & { waiting }` without `waiting`, which TypeScript cannot reduce to `P`.
    return <Content {...(props as unknown as P)} />;
  };
  return { Component, preload: () => void loadOnce().catch(() => undefined) };
};
