import type { Id } from '../domain/core/ids.ts';
import { digest, type IdOrEmpty, key, type Org, padded } from './key-parts.ts';

/** The keys of the rows of journeys: a part of the key table. */
export const JOURNEY_KEYS = {
  /** A version of a journey, without its graph. */
  journey: (id: Id<'journey'>) => key(`JOR#${id}`, 'JOR'),
  /** A part of the compressed graph of a version of a journey. In the partition of its row and before it, so that one query reads both. */
  journeyGraph: (id: Id<'journey'>, revision: number, part: number) =>
    key(`JOR#${id}`, `G#${padded(revision, 6)}#${padded(part, 2)}`),
  /** What the versions of a journey share, under the id of the first: which one is the draft and which one runs, and the secrets of its webhook steps; sealed. */
  journeyLine: (rootId: Id<'journey'>) => key(`JOR#${rootId}`, 'LINE'),
  /** The entry of those who were in the list or segment of a journey when it was activated: how far it has come. */
  journeyEntries: (id: Id<'journey'>) => key(`JOR#${id}`, 'ENTER'),
  /** The sweep over the runs of a journey that are to go on, or to be cancelled: how far it has come. */
  journeySweep: (id: Id<'journey'>) => key(`JOR#${id}`, 'SWEEP'),
  /** The trigger of a journey that takes entries, by what sets it off. An organization's are in one partition: one query by prefix finds whom something concerns. */
  journeyTrigger: (organizationId: Org, kind: string, target: string, id: IdOrEmpty<'journey'>) =>
    key(`JTRIG#${organizationId}`, `${kind}#${digest(target)}#${id}`),
} as const;
