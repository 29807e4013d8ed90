import { getSegment as contract } from '../../shared/contracts/segments.ts';
import { getSegment } from '../../shared/domain/segments/segments.ts';
import { segmentView } from '../../shared/domain/segments/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { segmentPorts } from '../../shared/wiring/segments/segments.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => getSegment(segmentPorts, actor, params.segmentId),
  segmentView,
);
