import * as z from 'zod';
import type { MetaApi } from '../../domain/channels/whatsapp/numbers/meta-port.ts';
import type { ProviderIo } from '../../domain/message/provider-port.ts';
import { createConnections, type WebhookConnections } from '../webhooks/connections.ts';
import { appIdSetting, type GraphOptions, graphSettings, openGraph } from './graph.ts';
import { exampleCalls } from './management-examples.ts';
import { flowCalls } from './management-flows.ts';
import { numberCalls } from './management-numbers.ts';
import { templateCalls } from './management-templates.ts';

/** Timeout of one call: an operation makes up to four in sequence within the 28 s of its function. */
const MAX_MS = 6_000;
const address = z.object({
  baseUrl: graphSettings.baseUrl,
  version: graphSettings.version,
  timeoutMs: graphSettings.timeoutMs.transform((ms) => Math.min(ms, MAX_MS)),
  appId: appIdSetting,
});
/** Where the Graph API is reached, from the operator's settings of a Meta provider. */
export const managementAddress = (settings: unknown): z.output<typeof address> => address.parse(settings);

export interface ManagementOptions extends GraphOptions {
  /** The Meta app that uploads examples of media headers. */
  readonly appId?: string | undefined;
  /** Allows examples on loopback addresses: on one machine only, never in a deployed stage. */
  readonly allowLoopbackHttp?: boolean;
}

/**
 * Manages numbers, templates and flows through Meta's Graph API (developers.facebook.com/documentation/business-messaging/whatsapp:
 * business phone numbers, business profiles, template management, Flows API). The number's access token needs whatsapp_business_management.
 */
export const metaManagement = (
  io: ProviderIo,
  { appId, allowLoopbackHttp = false, ...options }: ManagementOptions,
): MetaApi => {
  const graph = openGraph(io, options);
  let opened: WebhookConnections | undefined;
  const connections = () => {
    opened ??= createConnections({ allowLoopbackHttp });
    return opened;
  };
  const examples = exampleCalls({ io, graph, options, appId, connections });
  return { ...numberCalls(graph), ...templateCalls(graph), ...flowCalls(graph), ...examples };
};
