import { changeStage as contract } from '../../shared/contracts/pipelines.ts';
import { changeStage } from '../../shared/domain/pipelines/stages.ts';
import { stageView } from '../../shared/domain/pipelines/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeStage(pipelinePorts, actor, params, body),
  stageView,
);
