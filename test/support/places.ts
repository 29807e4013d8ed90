import type { Environment } from '../../shared/domain/core/actor.ts';
import { LEAST_OF_HISTORIES, shareOf } from './share.ts';
import { use } from './use.ts';
import { startWorld } from './world.ts';

/** Of so many histories of a model that are played in memory, one is played again on an engine. */
const ENGINE_AMONG = 5;

/**
 * Where the histories of a model are played, and how many: the share of `whole` in memory, where they are cheap, and some on an engine, which is the judge.
 * `wholeOnEngine`: how many of them where the share is the whole.
 */
export const usePlaces = async (env: Environment, whole: number, wholeOnEngine = Math.ceil(whole / ENGINE_AMONG)) => {
  const runs = shareOf(whole, LEAST_OF_HISTORIES);
  return [
    { place: 'in memory', world: await use(startWorld(env, { inMemory: true })), runs },
    {
      place: 'on the engine',
      world: await use(startWorld(env, { inMemory: false })),
      runs: runs === whole ? wholeOnEngine : Math.ceil(runs / ENGINE_AMONG),
    },
  ] as const;
};
