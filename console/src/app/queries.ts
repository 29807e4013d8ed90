import { QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem } from './problem.ts';
import { router } from './router.tsx';
import { SessionEnded } from './session.ts';

const MAX_RETRIES = 2;

/** Repeats what may pass: no answer, or one that says that the service is busy. */
const mayPass = (error: Error): boolean =>
  !(error instanceof SessionEnded) && (!(error instanceof Problem) || error.status >= 500 || error.status === 429);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Asks whoever was signed out to sign in.
    onError: (error) => {
      if (error instanceof SessionEnded) void router.invalidate();
    },
  }),
  defaultOptions: {
    queries: { retry: (failures, error) => failures < MAX_RETRIES && mayPass(error), staleTime: 5_000 },
    mutations: { retry: false },
  },
});
