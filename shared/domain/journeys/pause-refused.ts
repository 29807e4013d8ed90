import { givenAt, type MessageRecord } from '../message/message.ts';
import type { JourneyStatePorts } from './ports.ts';
import { pauseItself } from './states.ts';

/**
 * Pauses the journey that sent a message which no provider takes because each refuses the service's account, at the message's step: none of its sends would
 * leave. Nothing for one that was activated after the message was given to its provider.
 */
export const pauseJourneyOf = async (
  ports: Pick<JourneyStatePorts, 'clock' | 'store'>,
  message: MessageRecord,
): Promise<void> => {
  if (!message.journey) return;
  const { journeyId, stepId } = message.journey;
  const journey = await ports.store.find(journeyId);
  if (journey?.status !== 'ativa' || (journey.activatedAt ?? 0) > givenAt(message)) return;
  const { passos } = await ports.store.readGraph(journey);
  const label = passos.find(({ chave }) => chave === stepId)?.rotulo;
  await pauseItself(ports, journey, { reason: 'provedor_indisponivel', step: stepId, label });
};
