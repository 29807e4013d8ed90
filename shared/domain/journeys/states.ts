import { type AuditAction, type AuditEntry, auditEntry, type Caller } from '../audit/entry.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { journeyEvent } from '../events/automation.ts';
import type { DomainEvent } from '../events/event.ts';
import { findJourney, lineageOf, notNow } from './find.ts';
import type { Journey, JourneyPause } from './journey.ts';
import type { JourneyChange, JourneyStatePorts, WholeJourney } from './ports.ts';

/** The audit entry of a caller's action on a journey. */
export const journeyEntry = (
  caller: Caller,
  id: Id<'journey'>,
  verb: 'activated' | 'archived' | 'changed' | 'created' | 'deleted' | 'paused' | 'secret_rotated',
  at: number,
  details: AuditEntry['details'] = {},
): AuditEntry => auditEntry(caller, { action: `journey.${verb}` satisfies AuditAction, object: id, at, details });

type Happening = Parameters<typeof journeyEvent>[1];
/** The event of a version's change. */
export const eventOf = (journey: Journey, happening: Happening, at: number): DomainEvent => {
  const { id, rootId, number: versao } = journey;
  return journeyEvent({ ...journey, versao, versaoDe: rootId === id ? undefined : rootId }, happening, at);
};

/** A version after a change at `at`, in ms. */
export const changedAt = (journey: Journey, at: number, fields: Partial<Journey>): Journey => ({
  ...journey,
  ...fields,
  updatedAt: Math.max(at, journey.updatedAt),
  version: journey.version + 1,
});

/** A change of one version to `after`. */
interface StateChange extends JourneyChange {
  readonly after: Journey;
}
const pauseChange = (before: Journey, pause: JourneyPause): StateChange => {
  const { at, reason: motivo, step: passo, label: rotulo } = pause;
  const after = changedAt(before, at, { status: 'pausada', pause, pausedAt: at });
  return {
    after,
    versions: [{ before, after }],
    event: eventOf(after, { type: 'journey.paused', motivo, passo, rotulo }, at),
  };
};

/** Pauses a version: it takes no entries, and its runs stop. No effect if already paused; 409 if it never ran or is archived. */
export const pauseJourney = (
  ports: JourneyStatePorts,
  caller: Caller,
  id: Id<'journey'>,
): Promise<WholeJourney | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  retryOnConflict('The journey', async () => {
    const found = await findJourney(ports, caller, id);
    if (isRefusal(found)) return found;
    const { journey, graph } = found;
    if (journey.status === 'pausada') return found;
    if (journey.status !== 'ativa') return notNow('Only an active journey is paused.');
    const at = ports.clock();
    const change = pauseChange(journey, { reason: 'operador', step: '', at });
    const outcome = await ports.store.save({ ...change, entry: journeyEntry(caller, id, 'paused', at) });
    return outcome === 'saved' ? { journey: change.after, graph } : CONFLICT;
  });

/** Why a version can't continue. */
export type Obstacle = Omit<JourneyPause, 'at'>;

/**
 * Pauses a version because of an obstacle that affects all of its runs: once, whichever run reports it first. Returns the resulting
 * version; undefined if it is gone.
 */
export const pauseItself = (
  ports: Pick<JourneyStatePorts, 'clock' | 'store'>,
  { id }: Pick<Journey, 'id'>,
  obstacle: Obstacle,
): Promise<Journey | undefined> =>
  retryOnConflict('The journey', async () => {
    const journey = await ports.store.find(id);
    if (journey?.status !== 'ativa') return journey;
    const change = pauseChange(journey, { ...obstacle, at: ports.clock() });
    return (await ports.store.save(change)) === 'saved' ? change.after : CONFLICT;
  });

/** Archives a version permanently: it takes no entries, and its runs are cancelled. No effect if already archived. */
export const archiveJourney = (
  ports: JourneyStatePorts,
  caller: Caller,
  id: Id<'journey'>,
): Promise<WholeJourney | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  retryOnConflict('The journey', async () => {
    const found = await findJourney(ports, caller, id);
    if (isRefusal(found)) return found;
    const { journey, graph } = found;
    if (journey.status === 'arquivada') return found;
    const lineage = await lineageOf(ports, found);
    if (!lineage) return CONFLICT;
    const at = ports.clock();
    const after = changedAt(journey, at, { status: 'arquivada', pause: undefined, pausedAt: undefined });
    const isIts = lineage.draftId === id || lineage.runningId === id;
    const draftId = lineage.draftId === id ? undefined : lineage.draftId;
    const runningId = lineage.runningId === id ? undefined : lineage.runningId;
    const hasRun = journey.activatedAt !== undefined;
    const outcome = await ports.store.save({
      versions: [{ before: journey, after }],
      lineage: isIts
        ? { before: lineage, after: { ...lineage, draftId, runningId, version: lineage.version + 1 } }
        : undefined,
      sweep: hasRun ? { kind: 'cancel', at } : undefined,
      entry: journeyEntry(caller, id, 'archived', at),
    });
    if (outcome !== 'saved') return CONFLICT;
    if (hasRun) ports.enqueue(after, 'sweep');
    return { journey: after, graph };
  });
