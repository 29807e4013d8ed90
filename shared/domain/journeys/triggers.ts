import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { definedFields } from '../core/patch.ts';
import type { CustomerEvent } from '../customer-events/customer-event.ts';
import type { TransitionTaker } from '../segments/membership.ts';
import type { SentStatus } from './definition.ts';
import type { EnginePorts } from './engine-ports.ts';
import { type Candidate, type EntryPorts, enter } from './enter.ts';
import { moveRun } from './move-run.ts';
import type { JourneyStore } from './ports.ts';
import type { RunEvent } from './run.ts';
import type { TaggedContact } from './signals.ts';
import type { JourneyTrigger, TriggerKind } from './trigger.ts';
import { holdsWord } from './words.ts';

/** Ports for notifying journeys of what happened. */
export interface TriggerPorts extends EntryPorts {
  readonly triggers: JourneyStore['triggers'];
}

/** Enters contacts into the journeys of some triggers. Causes from before a journey's activation are ignored. */
const enterBy = async (
  ports: TriggerPorts,
  triggers: readonly JourneyTrigger[],
  candidates: readonly Candidate[],
): Promise<void> => {
  for (const { journeyId, since } of triggers) {
    const timely = candidates.filter(({ cause }) => cause.at >= since);
    const journey = timely.length > 0 ? await ports.journeys.find(journeyId) : undefined;
    if (journey) await enter(ports, journey, timely);
  }
};

/** Enters contacts into an organization's journeys whose trigger matches: `target` is the list, segment, event or tag. */
export const setOff = async (
  ports: TriggerPorts,
  organizationId: Id<'organization'>,
  { kind, target }: { readonly kind: TriggerKind; readonly target: string },
  candidates: readonly Candidate[],
): Promise<void> => {
  if (candidates.length > 0) await enterBy(ports, await ports.triggers(organizationId, kind, target), candidates);
};

/** When a customer event happened, in ms: a caller's clock may be ahead of ours. */
const happenedAt = ({ occurredAt, createdAt }: CustomerEvent): number => Math.min(occurredAt, createdAt);

/** A customer event as runs use it. */
export const runEventOf = (event: CustomerEvent): RunEvent => {
  const { id, name, properties, value, currency } = event;
  return { id, name, at: happenedAt(event), ...definedFields({ properties, value, currency }) };
};

/** Runs notified concurrently. */
const CONCURRENCY = 4;

/** Notifies journeys of a customer event: first the runs that wait for it, then new entries. Idempotent, in any order. */
export const signalEvent = async (ports: EnginePorts & TriggerPorts, event: CustomerEvent): Promise<void> => {
  const { id, organizationId, contactId, name, createdAt } = event;
  if (contactId === undefined) return;
  const runEvent = runEventOf(event);
  const awaiting = await ports.runs.awaiting(contactId, name, { id, at: createdAt });
  const runs = [...new Set(awaiting.map(({ runId }) => runId))];
  await mapConcurrently(runs, CONCURRENCY, (runId) => moveRun(ports, runId, { kind: 'event', event: runEvent }));
  await setOff(ports, organizationId, { kind: 'evento', target: name }, [
    { contactId, cause: { key: id, at: happenedAt(event) }, event: runEvent },
  ]);
};

/** An inbound message, with the fields that triggers need. */
export interface HeardMessage {
  readonly id: Id<'message'>;
  readonly organizationId: Id<'organization'>;
  readonly contactId?: Id<'contact'> | undefined;
  readonly text?: string | undefined;
  /** When it was received, in ms. */
  readonly at: number;
}

/** Notifies journeys of an inbound message: its contact enters those whose word it contains. */
export const signalMessage = async (ports: TriggerPorts, message: HeardMessage): Promise<void> => {
  const { id: key, organizationId, contactId, text, at } = message;
  if (contactId === undefined) return;
  const triggers = await ports.triggers(organizationId, 'mensagem', '');
  const heard = triggers.filter(({ nome }) => holdsWord(text, nome));
  await enterBy(ports, heard, [{ contactId, cause: { key, at } }]);
};

/** Notifies journeys of tags added to a contact. */
export const signalTags = async (
  ports: TriggerPorts,
  { organizationId, contactId, version, tags, at }: TaggedContact,
): Promise<void> => {
  const candidate = { contactId, cause: { key: `tags ${version}`, at, byChange: true } };
  for (const target of tags) await setOff(ports, organizationId, { kind: 'etiqueta', target }, [candidate]);
};

/** Enters contacts that start to match a segment. */
export const enterMoved =
  (ports: TriggerPorts): TransitionTaker =>
  async (transitions) => {
    const entered = transitions.filter(({ kind }) => kind === 'entered');
    for (const [target, moved] of Map.groupBy(entered, ({ segmentId }) => segmentId)) {
      const [first] = moved;
      if (!first) continue;
      const candidates = moved.map(({ contactId, version, at }) => ({
        contactId,
        cause: { key: `segment ${target} ${version}`, at, byChange: true },
      }));
      await setOff(ports, first.organizationId, { kind: 'segmento', target }, candidates);
    }
  };

/** An outcome of a run's message. */
export interface HeardStatus {
  readonly runId: Id<'run'>;
  readonly step: string;
  readonly messageId: Id<'message'>;
  readonly status: SentStatus;
}

/** Notifies a run of an outcome of its message. */
export const signalStatus = (ports: EnginePorts, { runId, ...signal }: HeardStatus): Promise<void> =>
  moveRun(ports, runId, { kind: 'signal', signal });
