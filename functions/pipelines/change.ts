import { changePipeline as contract } from '../../shared/contracts/pipelines.ts';
import { renamePipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { pipelineView } from '../../shared/domain/pipelines/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => renamePipeline(pipelinePorts, actor, params.id, body.nome),
  pipelineView,
);
