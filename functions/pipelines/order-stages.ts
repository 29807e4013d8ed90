import { orderStages as contract } from '../../shared/contracts/pipelines.ts';
import { orderStages } from '../../shared/domain/pipelines/stages.ts';
import { pipelineView } from '../../shared/domain/pipelines/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => orderStages(pipelinePorts, actor, params.id, body.estagios),
  pipelineView,
);
