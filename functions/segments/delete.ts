import { deleteSegment as contract } from '../../shared/contracts/segments.ts';
import { deleteSegment } from '../../shared/domain/segments/segments.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { segmentPorts } from '../../shared/wiring/segments/segments.ts';

export const handler = operation(contract, ({ actor, params }) => deleteSegment(segmentPorts, actor, params.segmentId));
