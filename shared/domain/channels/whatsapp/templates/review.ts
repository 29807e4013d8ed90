import type { Environment } from '../../../core/actor.ts';
import { type DomainEvent, newEvent } from '../../../events/event.ts';
import { TEMPLATE_CATEGORIES, type TemplateCategory, type TemplateStatus, type WhatsappTemplate } from './template.ts';

/** Status by Meta's review status (message_template_status_update, and a template's `status`). */
const STATUS_BY_META_EVENT: Readonly<Record<string, TemplateStatus>> = {
  PENDING: 'pending',
  IN_APPEAL: 'pending',
  APPROVED: 'approved',
  REINSTATED: 'approved',
  UNPAUSED: 'approved',
  REJECTED: 'rejected',
  PAUSED: 'paused',
  FLAGGED: 'approved',
  DISABLED: 'disabled',
  DELETED: 'disabled',
  PENDING_DELETION: 'disabled',
  LIMIT_EXCEEDED: 'disabled',
  ARCHIVED: 'disabled',
  FIRST_PAUSE: 'paused',
  SECOND_PAUSE: 'paused',
  RATE_LIMITING_PAUSE: 'paused',
  UNPAUSE: 'approved',
};
/** Status by Meta's review status; undefined if it has no effect. */
export const reviewStatus = (metaStatus: string): TemplateStatus | undefined =>
  Object.hasOwn(STATUS_BY_META_EVENT, metaStatus) ? STATUS_BY_META_EVENT[metaStatus] : undefined;

/** Category by Meta's name; undefined if unsupported. */
export const categoryOf = (metaStatus: string | undefined): TemplateCategory | undefined =>
  TEMPLATE_CATEGORIES.find((each) => each === metaStatus?.toLowerCase());

/** A review's change to a template, and the event it raises. */
export interface ReviewChange {
  readonly fields: Partial<WhatsappTemplate>;
  readonly events: readonly DomainEvent[];
}

const EVENT_OF = { approved: 'template.approved', rejected: 'template.rejected' } as const;
const isVerdict = (status: TemplateStatus): status is keyof typeof EVENT_OF => Object.hasOwn(EVENT_OF, status);

/** Applies a review status. Each verdict raises one event per version: repeats, and the end of a pause, raise none. */
export const afterReview = (
  template: WhatsappTemplate,
  { status, reason }: { readonly status: TemplateStatus; readonly reason?: string | undefined },
  env: Environment,
  now: number,
): ReviewChange => {
  const rejectionReason = status === 'rejected' ? (reason ?? 'NONE') : undefined;
  const fields = { status, rejectionReason, submittedFrom: undefined, archivedFrom: undefined };
  if (!isVerdict(status)) return { fields, events: [] };
  const announced = `${status}#${template.version}`;
  if (template.announced === announced) return { fields, events: [] };
  const { id: templateId, name, language, organizationId } = template;
  const data = { templateId, name, language, ...(rejectionReason === undefined ? {} : { rejectionReason }) };
  const event = newEvent({ type: EVENT_OF[status], organizationId, env, createdAt: now, data });
  return { fields: { ...fields, announced }, events: [event] };
};

/**
 * Applies Meta's archiving: an archived template cannot be sent, an unarchived one gets its former status back. Neither raises an event.
 * Undefined for any other event.
 */
export const archiveChange = (
  { status, archivedFrom }: WhatsappTemplate,
  metaStatus: string,
): Partial<WhatsappTemplate> | undefined => {
  if (metaStatus === 'ARCHIVED') return { status: 'disabled', archivedFrom: archivedFrom ?? status };
  // If it was archived before we knew it, it was most likely approved; Meta checks on send.
  const was = archivedFrom ?? (status === 'disabled' ? 'approved' : status);
  return metaStatus === 'UNARCHIVED' ? { status: was, archivedFrom: undefined } : undefined;
};
