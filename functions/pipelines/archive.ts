import { archivePipeline as contract } from '../../shared/contracts/pipelines.ts';
import { archivePipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { pipelineView } from '../../shared/domain/pipelines/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => archivePipeline(pipelinePorts, actor, params.id, true),
  pipelineView,
);
