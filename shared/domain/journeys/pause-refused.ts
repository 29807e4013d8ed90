import { givenAt, type MessageRecord } from '../message/message.ts';
import type { JourneyStatePorts } from './ports.ts';
import { pauseItself } from './states.ts';

/**
 * Pauses the journey of a message that failed because every provider refuses the service's account, at the message's step, since all its
 * sends would fail. No effect if it was activated after the message was handed to its provider.
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
