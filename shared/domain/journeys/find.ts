import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { JourneyLineage } from './lineage.ts';
import type { JourneyStore, WholeJourney } from './ports.ts';

export type Owner = Pick<Tenant, 'organizationId'>;

const missing = () => refuse('NOT_FOUND', 'There is no such journey.');

/** A version of a journey of the caller's organization, with its graph. */
export const findJourney = async (
  { store }: { readonly store: Pick<JourneyStore, 'readWhole'> },
  { organizationId }: Owner,
  id: Id<'journey'>,
): Promise<WholeJourney | Refusal<'NOT_FOUND'>> => (await store.readWhole(organizationId, id)) ?? missing();

/** The shared state of a journey's versions; undefined once its only version was deleted. */
export const lineageOf = (
  { store }: { readonly store: Pick<JourneyStore, 'readLineage'> },
  { journey }: WholeJourney,
): Promise<JourneyLineage | undefined> => store.readLineage(journey.rootId);

/** The refusal of an operation that a version's status does not allow. */
export const notNow = (detail: string): Refusal<'CONFLICT'> => refuse('CONFLICT', detail);
