import type { SimulationPorts } from '../../domain/journeys/simulate-journey.ts';
import { templateTexts } from '../messages/plan.ts';
import { previewPorts } from '../messages/queue-and-send.ts';
import { pipelinePorts } from '../pipelines/pipelines.ts';
import { clock } from '../process/aws.ts';
import { journeys } from '../runs/store.ts';
import { enginePorts } from './engine.ts';
import { openCard } from './open-card.ts';

const { contactOf, clockOf } = enginePorts;

export const simulationPorts: SimulationPorts = {
  clock,
  store: journeys,
  submit: previewPorts,
  pipelines: pipelinePorts.store,
  openCard,
  contactOf,
  clockOf,
  templateTexts,
};
