import * as z from 'zod';
import type { ProviderIo } from '../../domain/messages/provider.ts';
import type { NumberPlatform } from '../../domain/numbers/platform.ts';
import { createConnections, type WebhookConnections } from '../webhooks/connections.ts';
import { appIdSetting, type GraphOptions, graphSettings, openGraph } from './graph.ts';
import { exampleCalls } from './management-examples.ts';
import { flowCalls } from './management-flows.ts';
import { numberCalls } from './management-numbers.ts';
import { templateCalls } from './management-templates.ts';

/** An operation makes up to four calls one after the other, and its caller waits for half a minute at most. */
const MOST_MS = 6_000;
const address = z.object({
  baseUrl: graphSettings.baseUrl,
  version: graphSettings.version,
  timeoutMs: graphSettings.timeoutMs.transform((ms) => Math.min(ms, MOST_MS)),
  appId: appIdSetting,
});
/** Where the Graph API is reached, as the operator's settings of a provider of Meta say. */
export const managementAddress = (settings: unknown): z.output<typeof address> => address.parse(settings);

export interface ManagementOptions extends GraphOptions {
  /** The Meta app that examples of media headers are uploaded by. */
  readonly appId?: string | undefined;
  /** Whether such an example may lie on this machine: for a platform on one machine, never for a deployed stage. */
  readonly allowLoopbackHttp?: boolean;
}

/**
 * The management of numbers, templates and flows on Meta's Graph API (developers.facebook.com/documentation/business-messaging/whatsapp:
 * business phone numbers, business profiles, template management, Flows API), with one number's access token, which needs
 * whatsapp_business_management.
 */
export const metaManagement = (
  io: ProviderIo,
  { appId, allowLoopbackHttp = false, ...options }: ManagementOptions,
): NumberPlatform => {
  const graph = openGraph(io, options);
  let opened: WebhookConnections | undefined;
  const connections = () => {
    opened ??= createConnections({ allowLoopbackHttp });
    return opened;
  };
  const examples = exampleCalls({ io, graph, options, appId, connections });
  return { ...numberCalls(graph), ...templateCalls(graph), ...flowCalls(graph), ...examples };
};
