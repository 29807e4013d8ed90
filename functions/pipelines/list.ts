import { listPipelines as contract } from '../../shared/contracts/pipelines.ts';
import { listPipelines } from '../../shared/domain/pipelines/pipelines.ts';
import { pipelinePageView } from '../../shared/domain/pipelines/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pipelinePorts } from '../../shared/wiring/pipelines/pipelines.ts';

export const handler = operation(
  contract,
  ({ actor, query: { contagem, includeArchived, limit, skip } }) => {
    const wanted = { withCounts: contagem === 'true', withArchived: includeArchived === 'true' };
    return listPipelines(pipelinePorts, actor, wanted, { limit, skip });
  },
  pipelinePageView,
);
