import { createPipeline as contract } from '../../shared/contracts/pipelines.ts';
import { createPipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { newStages } from '../../shared/domain/pipelines/stages.ts';
import { pipelineView } from '../../shared/domain/pipelines/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(
  contract,
  ({ actor, body: { nome: name, tipo: type, estagios } }) =>
    createPipeline(pipelinePorts, actor, { name, type, stages: newStages(estagios) }),
  pipelineView,
);
