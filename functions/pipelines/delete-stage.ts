import { deleteStage as contract } from '../../shared/contracts/pipelines.ts';
import { deleteStage } from '../../shared/domain/pipelines/stages.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(contract, ({ actor, params }) => deleteStage(pipelinePorts, actor, params));
