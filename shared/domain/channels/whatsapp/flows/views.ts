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
  ...(flow.platformFlowId === undefined ? {} : { platformFlowId: flow.platformFlowId }),
  ...(flow.platformStatus === undefined ? {} : { platformStatus: flow.platformStatus }),
  flowJson: flow.flowJson,
  ...(flow.publishedAt === undefined ? {} : { publishedAt: isoTime(flow.publishedAt) }),
  createdAt: isoTime(flow.createdAt),
  updatedAt: isoTime(flow.updatedAt),
});
