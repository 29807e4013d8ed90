import type { Target } from './target.ts';

/** Which rows and queues a command works on. */
export type TargetLocation =
  | { readonly kind: 'local'; readonly dataDir: string }
  | { readonly kind: 'deployed'; readonly stagePrefix: string };

/** Opens the target of one command. Throws an Error with the reason: no such deployment, or a data directory in use. */
export const openTarget = async (location: TargetLocation): Promise<Target> => {
  if (location.kind === 'local') return (await import('./local-target.ts')).openLocal(location.dataDir);
  return (await import('./deployed-target.ts')).openDeployed(location.stagePrefix);
};
