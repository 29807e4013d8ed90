import { listSegments as contract } from '../../shared/contracts/segments.ts';
import { listSegments } from '../../shared/domain/segments/segments.ts';
import { segmentView } from '../../shared/domain/segments/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { segmentPorts } from '../../shared/wiring/segments/segments.ts';

export const handler = operation(
  contract,
  ({ actor, query: { q, limit, skip } }) => listSegments(segmentPorts, actor, q, { limit, skip }),
  itemsAs(segmentView),
);
