import type { Id } from '../../../core/ids.ts';
import type { Patch } from '../../../core/patch.ts';
import type { Page, PageRequest } from '../../../message/lists.ts';
import type { MetaFlowStatus } from '../numbers/meta-port.ts';
import type { LastReport } from '../numbers/number.ts';
import type { NumberPorts } from '../numbers/ports.ts';
import type { FlowJson } from './flow-json.ts';

/** Statuses of a flow (docs/spec/whatsapp-flows.md#flow-states). */
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

/** A stored WhatsApp flow (docs/spec/whatsapp-flows.md#flow-shape). Times in ms. */
export interface WhatsappFlow {
  readonly id: Id<'flow'>;
  readonly organizationId: Id<'organization'>;
  readonly numberId: Id<'number'>;
  /** The number's business account, which owns the flow at Meta. */
  readonly wabaId: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly status: FlowStatus;
  readonly platformCategories: readonly FlowCategory[];
  readonly flowJson: FlowJson;
  readonly platformFlowId?: string | undefined;
  readonly platformStatus?: MetaFlowStatus | undefined;
  /** The last event applied. */
  readonly heard?: LastReport | undefined;
  /**
   * Set before Meta is first asked to create or publish the flow, and kept until the outcome is known. Meanwhile the flow cannot be edited,
   * so that it matches what Meta received. One call at a time publishes, until `until` (ms); the next one resumes after a lost response.
   */
  readonly publishing?: { readonly until: number } | undefined;
  readonly publishedAt?: number | undefined;
  /** Counts edits of the contents, from 1. */
  readonly version: number;
  /** Optimistic lock: every change is conditional on the revision that was read. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The flow's id at Meta and the business account that owns it. */
export interface MetaFlowKey {
  readonly wabaId: string;
  readonly platformFlowId: string;
}

export type FlowOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'limit_reached' }
  | { readonly kind: 'conflict' }
  /** The JSON exceeds a row even when compressed. */
  | { readonly kind: 'too_large' };

export interface FlowFilter extends Patch<Pick<WhatsappFlow, 'status' | 'platformStatus' | 'numberId'>> {
  readonly category?: FlowCategory | undefined;
}

/** Stores flows. Each change is one conditional transaction; retrying after a lost response gives the same outcome. */
export interface FlowStore {
  create(flow: WhatsappFlow): Promise<FlowOutcome>;
  change(before: WhatsappFlow, after: WhatsappFlow): Promise<FlowOutcome>;
  /** Returns false if it was concurrently changed or deleted. */
  remove(flow: WhatsappFlow): Promise<boolean>;
  read(organizationId: Id<'organization'>, id: Id<'flow'>): Promise<WhatsappFlow | undefined>;
  /** Looks up a flow by Meta's id; a single read. */
  named(organizationId: Id<'organization'>, named: MetaFlowKey): Promise<Id<'flow'> | undefined>;
  /** Newest first. */
  page(organizationId: Id<'organization'>, filter: FlowFilter, page: PageRequest): Promise<Page<WhatsappFlow>>;
}

export interface FlowPorts extends NumberPorts {
  readonly flows: FlowStore;
}
