import type { JourneySignal } from '../../domain/journeys/signals.ts';
import { signalEvent, signalMessage, signalStatus, signalTags } from '../../domain/journeys/triggers.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { journeySignals } from '../../storage/journeys/journey-signals.ts';
import { table } from '../process/aws.ts';
import { enginePorts } from './engine.ts';

const signals = journeySignals(table);

const deliver = (signal: JourneySignal): Promise<void> => {
  switch (signal.kind) {
    case 'event':
      return signalEvent(enginePorts, signal.event);
    case 'tags':
      return signalTags(enginePorts, signal.tagged);
    case 'message': {
      const { runId, stepId: step, messageId, happening: status } = signal.signal;
      return signalStatus(enginePorts, { runId, step, messageId, status });
    }
    case 'inbound': {
      const { id, organizationId, contactId, createdAt: at, payload } = signal.message;
      const text = typeof payload.text === 'string' ? payload.text : undefined;
      return signalMessage(enginePorts, { id, organizationId, contactId, text, at });
    }
  }
};

/** Delivers a signal to journeys, and then marks it as processed. */
export const processSignal = async (item: WorkItem): Promise<void> => {
  const signal = await signals.read(item);
  if (!signal) return;
  await deliver(signal);
  await signals.done(item);
};
