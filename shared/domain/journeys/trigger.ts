import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { TriggerType } from './definition.ts';
import type { Journey } from './journey.ts';

/** Automatic triggers; for the others, callers name the contacts. */
export type TriggerKind = Exclude<TriggerType, 'manual'>;

/** The trigger of a journey that takes entries. */
export interface JourneyTrigger extends Tenant {
  readonly journeyId: Id<'journey'>;
  /** The first version of the journey. */
  readonly rootId: Id<'journey'>;
  readonly tipo: TriggerKind;
  readonly listId?: Id<'list'> | undefined;
  readonly segmentId?: Id<'segment'> | undefined;
  /** The name of an event, a tag, or a word of a message; absent for any message. */
  readonly nome?: string | undefined;
  /** When the journey was activated, in ms: earlier causes are ignored. */
  readonly since: number;
}

/** Whether a version takes entries now. */
export const takesEntries = ({ status, entriesClosed }: Pick<Journey, 'status' | 'entriesClosed'>): boolean =>
  status === 'ativa' && entriesClosed !== true;

/** The trigger of a version; undefined if it takes no entries, or only manual ones. */
export const triggerOf = (journey: Journey): JourneyTrigger | undefined => {
  if (!takesEntries(journey)) return undefined;
  const { id: journeyId, rootId, organizationId, env, gatilho, activatedAt = 0 } = journey;
  const { tipo, ...of } = gatilho;
  return tipo === 'manual' ? undefined : { journeyId, rootId, organizationId, env, tipo, ...of, since: activatedAt };
};
