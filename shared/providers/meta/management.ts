import * as z from 'zod';
import type { ProviderIo } from '../../domain/messages/provider.ts';
import type { NumberPlatform } from '../../domain/numbers/platform.ts';
import { type GraphOptions, graphSettings, openGraph } from './graph.ts';
import { flowCalls } from './management-flows.ts';
import { numberCalls } from './management-numbers.ts';
import { templateCalls } from './management-templates.ts';

/** An operation makes up to four calls one after the other, and its caller waits for half a minute at most. */
const MOST_MS = 6_000;
const address = z.object({
  baseUrl: graphSettings.baseUrl,
  version: graphSettings.version,
  timeoutMs: graphSettings.timeoutMs.transform((ms) => Math.min(ms, MOST_MS)),
});
/** Where the Graph API is reached, as the operator's settings of a provider of Meta say. */
export const managementAddress = (settings: unknown): z.output<typeof address> => address.parse(settings);

/**
 * The management of numbers, templates and flows on Meta's Graph API (developers.facebook.com/documentation/business-messaging/whatsapp:
 * business phone numbers, business profiles, template management, Flows API), with one number's access token, which needs
 * whatsapp_business_management.
 */
export const metaManagement = (io: ProviderIo, options: GraphOptions): NumberPlatform => {
  const graph = openGraph(io, options);
  return { ...numberCalls(graph), ...templateCalls(graph), ...flowCalls(graph) };
};
