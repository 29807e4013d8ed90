import type { PipelinePorts } from '../../domain/pipelines/pipeline.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { pipelineStore } from '../../storage/pipelines/pipelines.ts';
import { clock, publishWork, table } from '../process/aws.ts';

export const pipelinePorts: PipelinePorts = {
  clock,
  store: pipelineStore(table),
  enqueueSweep: ({ id, organizationId: owner }) => publishWork([{ kind: 'check_cards', ...KEYS.pipeline(id), owner }]),
};
