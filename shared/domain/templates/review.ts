import type { Environment } from '../actor.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import { TEMPLATE_CATEGORIES, type TemplateCategory, type TemplateStatus, type WhatsappTemplate } from './template.ts';

/** The platform's words for where a review stands (message_template_status_update, and `status` of a template). */
const STATUS_OF: Readonly<Record<string, TemplateStatus>> = {
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
/** The state that a word of the platform's means; undefined for one that moves nothing. */
export const reviewStatus = (word: string): TemplateStatus | undefined =>
  Object.hasOwn(STATUS_OF, word) ? STATUS_OF[word] : undefined;

/** The category that a word of the platform's means; undefined for one that this service does not have. */
export const categoryOf = (word: string | undefined): TemplateCategory | undefined =>
  TEMPLATE_CATEGORIES.find((each) => each === word?.toLowerCase());

/** What a verdict changes of a template, and the event that tells it. */
export interface Reviewed {
  readonly fields: Partial<WhatsappTemplate>;
  readonly events: readonly DomainEvent[];
}

const EVENT_OF = { approved: 'template.approved', rejected: 'template.rejected' } as const;
const isVerdict = (status: TemplateStatus): status is keyof typeof EVENT_OF => Object.hasOwn(EVENT_OF, status);

/**
 * What the platform's word makes of a template. A verdict is an event once for each version: what comes back from a pause, or is said
 * again, is none.
 */
export const reviewed = (
  template: WhatsappTemplate,
  { status, reason }: { readonly status: TemplateStatus; readonly reason?: string | undefined },
  env: Environment,
  now: number,
): Reviewed => {
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
 * What the platform's archive makes of a template: nothing in it can be sent, and what is taken out again is what it was before. Neither
 * is a verdict, so that neither is told by an event. Undefined for any other word.
 */
export const shelved = (
  { status, archivedFrom }: WhatsappTemplate,
  word: string,
): Partial<WhatsappTemplate> | undefined => {
  if (word === 'ARCHIVED') return { status: 'disabled', archivedFrom: archivedFrom ?? status };
  // One that was in the archive before we knew it was most likely approved; the platform answers for it.
  const was = archivedFrom ?? (status === 'disabled' ? 'approved' : status);
  return word === 'UNARCHIVED' ? { status: was, archivedFrom: undefined } : undefined;
};
