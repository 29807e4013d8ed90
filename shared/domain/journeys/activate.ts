import type { Caller } from '../audit/entry.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { CheckReferences } from './check-references.ts';
import type { WireTrigger } from './definition.ts';
import { findJourney, lineageOf, notNow } from './find.ts';
import type { EntrySource } from './jobs.ts';
import type { Journey } from './journey.ts';
import type { JourneyLineage } from './lineage.ts';
import type { JourneyChange, JourneyStatePorts, VersionChange, WholeJourney } from './ports.ts';
import { changedAt, eventOf, journeyEntry } from './states.ts';

export interface ActivationPorts extends JourneyStatePorts {
  /** Checks the objects that a journey refers to, in their present state. */
  readonly check: CheckReferences;
}

/** The list or segment of a trigger whose members may enter at activation; undefined for event triggers. */
const sourceOf = ({ tipo, listId, segmentId }: WireTrigger): EntrySource | undefined => {
  if (tipo === 'lista' && listId) return { kind: 'lista', listId };
  return tipo === 'segmento' && segmentId ? { kind: 'segmento', segmentId } : undefined;
};

const cannotInclude = (message: string) => refuseField('The trigger has no current members.', 'incluirAtuais', message);

/** The source of an activation that includes present members; undefined for one that doesn't. */
const wantedSource = (
  { gatilho, entriesClosed }: Journey,
  includesCurrent: boolean,
): EntrySource | undefined | Refusal<'VALIDATION_ERROR'> => {
  if (!includesCurrent) return undefined;
  if (entriesClosed) return cannotInclude('must be false: the version accepts no more entries');
  return sourceOf(gatilho) ?? cannotInclude('must be false: the trigger is neither a list nor a segment');
};

/** A repeat changes nothing; one that requests more than the activation did is refused. */
const repeated = async (
  { store }: ActivationPorts,
  found: WholeJourney,
  includesCurrent: boolean,
): Promise<WholeJourney | Refusal<'CONFLICT'>> => {
  if (!includesCurrent) return found;
  const { id, activatedAt } = found.journey;
  const entries = await store.readEntries(id);
  return entries?.since === activatedAt
    ? found
    : notNow('The journey is already active, and was activated without its current members.');
};

/** The version that this one replaces: from then on it takes no entries, and its runs finish on their own graph. */
const replacement = async (
  { store }: ActivationPorts,
  journey: Journey,
  { runningId }: JourneyLineage,
  at: number,
): Promise<VersionChange[]> => {
  const before = runningId && runningId !== journey.id && (await store.find(runningId));
  return before ? [{ before, after: changedAt(before, at, { replacedBy: journey.id, entriesClosed: true }) }] : [];
};

const activated = (journey: Journey, at: number): Journey =>
  changedAt(journey, at, {
    status: 'ativa',
    activatedAt: at,
    pausedMs: journey.pausedMs + (journey.pausedAt === undefined ? 0 : Math.max(0, at - journey.pausedAt)),
    pausedAt: undefined,
    pause: undefined,
  });

/** The entry job that a pause stopped, which resumes. */
const stoppedEntries = async ({ store }: ActivationPorts, { id, status }: Journey) => {
  const job = status === 'pausada' ? await store.readEntries(id) : undefined;
  return job?.state === 'running' ? job : undefined;
};

/** The changes of an activation at `at`; undefined if the version was deleted meanwhile. */
const activation = async (
  ports: ActivationPorts,
  found: WholeJourney,
  source: EntrySource | undefined,
  at: number,
): Promise<(JourneyChange & { readonly after: Journey }) | undefined> => {
  const { journey } = found;
  const lineage = await lineageOf(ports, found);
  if (!lineage) return undefined;
  const isDraft = journey.status === 'rascunho';
  const after = activated(journey, at);
  const stopped = source ? undefined : await stoppedEntries(ports, journey);
  const replaced = isDraft ? await replacement(ports, journey, lineage, at) : [];
  const lineageAfter = { ...lineage, draftId: undefined, runningId: journey.id, version: lineage.version + 1 };
  return {
    after,
    versions: [{ before: journey, after }, ...replaced],
    lineage: isDraft ? { before: lineage, after: lineageAfter } : undefined,
    entries: source ? { source, at } : undefined,
    resumed: stopped ? { job: stopped, at } : undefined,
    sweep: isDraft ? undefined : { kind: 'unpark', at },
    event: eventOf(after, { type: 'journey.activated' }, at),
  };
};

/**
 * Activates a draft, replacing the running version, or resumes a paused version. No effect on an active one; 409 for an archived one. 422
 * if something that it refers to is missing or can't be used.
 */
export const activateJourney = (
  ports: ActivationPorts,
  caller: Caller,
  id: Id<'journey'>,
  includesCurrent: boolean,
): Promise<WholeJourney | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The journey', async () => {
    const found = await findJourney(ports, caller, id);
    if (isRefusal(found)) return found;
    const { journey, graph } = found;
    if (journey.status === 'arquivada') return notNow('An archived journey is not activated again.');
    const source = wantedSource(journey, includesCurrent);
    if (isRefusal(source)) return source;
    if (journey.status === 'ativa') return repeated(ports, found, includesCurrent);
    const refused = await ports.check(caller, { ...journey, ...graph }, 'activation');
    if (refused) return refused;
    await ports.store.announce(journey, ports.clock());
    const at = ports.clock();
    const change = await activation(ports, found, source, at);
    if (!change) return CONFLICT;
    const details = includesCurrent ? { fields: ['incluirAtuais'] } : {};
    const entry = journeyEntry(caller, id, 'activated', at, details);
    if ((await ports.store.save({ ...change, entry })) !== 'saved') return CONFLICT;
    const { after } = change;
    if (change.entries || change.resumed) ports.enqueue(after, 'entries');
    if (change.sweep) ports.enqueue(after, 'sweep');
    return { journey: after, graph };
  });
