import type { Id } from '../ids.ts';
import type { Heard, NumberPorts } from '../numbers/number.ts';
import type { PlatformFlowStatus } from '../numbers/platform.ts';
import type { FlowJson } from './flow-json.ts';

/** interface 2.13. */
export const FLOW_STATUSES = ['draft', 'active', 'paused', 'deprecated', 'archived'] as const;
export type FlowStatus = (typeof FLOW_STATUSES)[number];
export const FLOW_CATEGORIES = [
  'SIGN_UP',
  'SIGN_IN',
  'APPOINTMENT_BOOKING',
  'LEAD_GENERATION',
  'CONTACT_US',
  'CUSTOMER_SUPPORT',
  'SURVEY',
  'OTHER',
] as const;
export type FlowCategory = (typeof FLOW_CATEGORIES)[number];

/** A WhatsApp flow (interface 2.13). Times are ms. */
export interface WhatsappFlow {
  readonly id: Id<'flow'>;
  readonly organizationId: Id<'organization'>;
  readonly numberId: Id<'number'>;
  /** The business account of its number: the platform keeps flows by account. */
  readonly wabaId: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly status: FlowStatus;
  readonly platformCategories: readonly FlowCategory[];
  readonly flowJson: FlowJson;
  readonly platformFlowId?: string | undefined;
  readonly platformStatus?: PlatformFlowStatus | undefined;
  /** The platform's latest report on it. */
  readonly heard?: Heard | undefined;
  /**
   * Stands from before the platform is first asked to create or publish it until it is known how that ended. While it stands the flow says
   * what the platform was given; one call at a time publishes it, until `until` (ms), and the next goes on where an answer was lost.
   */
  readonly publishing?: { readonly until: number } | undefined;
  readonly publishedAt?: number | undefined;
  /** Counts the changes of its contents, from 1. */
  readonly version: number;
  /** Counts all changes: a change holds only over the revision that it was made of. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a flow is to the platform: its id there, under the business account that keeps it. */
export interface PlatformFlowName {
  readonly wabaId: string;
  readonly platformFlowId: string;
}

export type FlowOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'full' }
  | { readonly kind: 'moved' }
  /** The JSON does not fit a row, compressed. */
  | { readonly kind: 'too_large' };

export interface FlowFilter {
  readonly status?: FlowStatus | undefined;
  readonly platformStatus?: PlatformFlowStatus | undefined;
  readonly category?: FlowCategory | undefined;
  readonly numberId?: string | undefined;
}

/** Where flows are kept. Each change is one conditional transaction; a repeat whose answer was lost has the same outcome. */
export interface FlowStore {
  create(flow: WhatsappFlow): Promise<FlowOutcome>;
  change(before: WhatsappFlow, after: WhatsappFlow): Promise<FlowOutcome>;
  /** False when it was changed meanwhile, or is gone. */
  remove(flow: WhatsappFlow): Promise<boolean>;
  read(organizationId: string, id: string): Promise<WhatsappFlow | undefined>;
  /** The id of the flow that the platform calls so; one read, however many flows there are. */
  named(organizationId: string, named: PlatformFlowName): Promise<string | undefined>;
  /** Newest first. */
  page(
    organizationId: string,
    filter: FlowFilter,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<{ readonly items: readonly WhatsappFlow[]; readonly total: number }>;
}

export interface FlowPorts extends NumberPorts {
  readonly flows: FlowStore;
}
