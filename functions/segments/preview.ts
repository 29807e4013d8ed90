import { previewSegment as contract } from '../../shared/contracts/segments.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { previewSegment } from '../../shared/domain/segments/segments.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { segmentPorts } from '../../shared/wiring/segments/segments.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => previewSegment(segmentPorts, actor, body),
  ({ evaluatedAt, ...preview }) => ({ ...preview, evaluatedAt: isoTime(evaluatedAt) }),
);
