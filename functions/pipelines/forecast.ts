import { forecastPipeline as contract } from '../../shared/contracts/pipelines.ts';
import { countedPipeline, forecastOf } from '../../shared/domain/pipelines/pipelines.ts';
import { forecastView } from '../../shared/domain/pipelines/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => countedPipeline(pipelinePorts, actor, params.id),
  (counted) => forecastView(forecastOf(counted)),
);
