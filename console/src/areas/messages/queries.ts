import { api } from '../../api.ts';

/** A message. */
export const messageQuery = (id: string) => ({
  queryKey: ['message', id],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.messages.get(id, { signal }),
});

/** The decisions on a message, and the deliveries of its events. */
export const timelineQuery = (id: string) => ({
  queryKey: ['message', id, 'timeline'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.messages.timeline(id, { signal }),
});
