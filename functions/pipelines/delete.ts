import { deletePipeline as contract } from '../../shared/contracts/pipelines.ts';
import { deletePipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(contract, ({ actor, params }) => deletePipeline(pipelinePorts, actor, params.id));
