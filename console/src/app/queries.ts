import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ProblemError } from '../sdk.ts';
import { SessionEnded } from './session.ts';

const MAX_RETRIES = 2;

/** Repeats what may pass: no answer, or one that says that the service is busy. */
const mayPass = (error: Error): boolean =>
  !(error instanceof SessionEnded) && (!(error instanceof ProblemError) || error.status >= 500 || error.status === 429);

/** A cache of the service's answers. `onSessionEnded`: a call found that the session has ended. */
export const newQueryClient = (onSessionEnded: () => void): QueryClient => {
  const onError = (error: Error) => {
    if (error instanceof SessionEnded) onSessionEnded();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: (failures, error) => failures < MAX_RETRIES && mayPass(error), staleTime: 5_000 },
      mutations: { retry: false },
    },
  });
};
