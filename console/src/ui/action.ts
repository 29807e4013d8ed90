import { type QueryKey, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';

/** The effects of a call on the page. */
export interface ActionOptions<R> {
  /** The queries whose answers it changes. */
  readonly invalidates?: readonly QueryKey[];
  /** Called once these are requested again. */
  readonly onDone?: (result: R) => unknown;
  /** When it is refused, besides what is shown of it. */
  readonly onError?: (error: unknown) => void;
}

/** As `useMutation`, one call at a time: of a double click the second comes before the button shows that it works. */
export const useSingleMutation = <R, V = void>(options: Omit<UseMutationOptions<R, Error, V>, 'onSettled'>) => {
  const running = useRef(false);
  const mutation = useMutation({
    ...options,
    onSettled: () => {
      running.current = false;
    },
  });
  const mutate = (input: V) => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(input);
  };
  return { ...mutation, mutate };
};

/** A call that changes something: afterwards the changed data is loaded again. */
export const useAction = <R, V = void>(
  act: (input: V) => Promise<R>,
  { invalidates = [], onDone, onError }: ActionOptions<R> = {},
) => {
  const queries = useQueryClient();
  return useSingleMutation<R, V>({
    mutationFn: act,
    onSuccess: async (result: R) => {
      await Promise.all(invalidates.map((queryKey) => queries.invalidateQueries({ queryKey })));
      await onDone?.(result);
    },
    ...(onError ? { onError } : {}),
  });
};

/**
 * The idempotency key of a body: pressed twice, or again where no answer came, a call acts once; another body is another call. For operations that
 * accept a key.
 */
export const useIdempotencyKey = (body: unknown): string => {
  const text = JSON.stringify(body);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another body, another key.
  return useMemo(() => crypto.randomUUID(), [text]);
};
