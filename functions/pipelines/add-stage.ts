import { addStage as contract } from '../../shared/contracts/pipelines.ts';
import { addStage } from '../../shared/domain/pipelines/stages.ts';
import { stageView } from '../../shared/domain/pipelines/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => addStage(pipelinePorts, actor, params.id, body),
  stageView,
);
