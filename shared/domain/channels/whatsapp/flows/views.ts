import { definedFields, definedTimes } from '../../../core/patch.ts';
import { isoTime } from '../../../core/time.ts';
import type { WhatsappFlow } from './flow.ts';

/** A flow as the API returns it (docs/spec/whatsapp-flows.md#flow-shape). */
export const flowView = (flow: WhatsappFlow) => ({
  id: flow.id,
  organizationId: flow.organizationId,
  numberId: flow.numberId,
  name: flow.name,
  ...(flow.description === undefined ? {} : { description: flow.description }),
  status: flow.status,
  version: flow.version,
  platformCategories: [...flow.platformCategories],
  ...definedFields({ platformFlowId: flow.platformFlowId, platformStatus: flow.platformStatus }),
  flowJson: flow.flowJson,
  ...definedTimes({ publishedAt: flow.publishedAt }),
  createdAt: isoTime(flow.createdAt),
  updatedAt: isoTime(flow.updatedAt),
});
