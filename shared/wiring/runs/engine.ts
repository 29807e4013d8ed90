import { asId, type Id } from '../../domain/core/ids.ts';
import type { EnginePorts } from '../../domain/journeys/engine-ports.ts';
import type { EntryPorts } from '../../domain/journeys/enter.ts';
import { moveRun } from '../../domain/journeys/move-run.ts';
import type { CancelReason } from '../../domain/journeys/run.ts';
import { pauseItself } from '../../domain/journeys/states.ts';
import { runEventOf, type TriggerPorts } from '../../domain/journeys/triggers.ts';
import { journeyKey } from '../../domain/sending/automated.ts';
import { readQuietHours } from '../../storage/access/organization-settings.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { coalescedRead } from '../../storage/client/coalescer.ts';
import { readContact } from '../../storage/contacts/contacts.ts';
import { heirOf } from '../../storage/contacts/heirs.ts';
import { mergedInto } from '../../storage/contacts/merges.ts';
import { customerEventStore } from '../../storage/customer-events/customer-events.ts';
import { runStore } from '../../storage/journeys/run-store.ts';
import { readIdempotencyRecord } from '../../storage/messages/idempotency.ts';
import { clock, publishEvents, publishWorkAt, table } from '../process/aws.ts';
import { journeys } from './store.ts';

/** The default time zone of an organization without quiet hours, whose setting includes it. */
const TIME_ZONE = 'America/Sao_Paulo';

/** Ports for entering contacts into journeys. */
export const entryPorts: EntryPorts & TriggerPorts = {
  clock,
  runs: runStore(table, publishEvents),
  journeys,
  triggers: journeys.triggers,
  existing: (organizationId, ids) => mergedInto(table, organizationId, ids),
  enqueue: (runs, at) =>
    publishWorkAt(
      runs.map(({ id, organizationId: owner }) => ({ kind: 'run_journey' as const, ...KEYS.run(id), owner })),
      at,
    ),
};

/** The engine of runs, with a function that performs the effects of steps. */
export const engineWith = (perform: EnginePorts['perform']): EnginePorts & TriggerPorts => ({
  ...entryPorts,
  async contactOf(organizationId, id) {
    const [row] = await coalescedRead(table, [KEYS.contact(id)]);
    const contact = row ? readContact(row) : await heirOf(table, id);
    return contact?.organizationId === organizationId ? contact : undefined;
  },
  async clockOf(organizationId) {
    const quietHours = await readQuietHours(table, organizationId);
    return { timeZone: quietHours?.timeZone ?? TIME_ZONE, quietHours };
  },
  async eventOf(id) {
    const eventId = asId('customerEvent', id);
    const event = eventId && (await customerEventStore(table, () => {}).read(eventId));
    return event && runEventOf(event);
  },
  perform,
  async sentBy({ id, organizationId }, step, visit) {
    const { callerKey } = journeyKey(id, step, visit);
    return (await readIdempotencyRecord(table, organizationId, callerKey, clock()))?.messageId;
  },
  pause: async (journey, obstacle) => void (await pauseItself({ clock, store: journeys }, journey, obstacle)),
});

/** A cancelled run performs no further effects. */
const cancelling = engineWith(async () => {
  throw new TypeError('a cancelled run does nothing');
});

/** Cancels an active run on behalf of its contact. */
export const cancelRunOf = (id: Id<'run'>, reason: CancelReason): Promise<void> =>
  moveRun(cancelling, id, { kind: 'cancel', reason });
