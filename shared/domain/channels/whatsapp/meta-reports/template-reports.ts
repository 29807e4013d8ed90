import type { Tenant } from '../../../core/actor.ts';
import { isRefusal } from '../../../core/errors.ts';
import type { DomainEvent } from '../../../events/event.ts';
import { withReportedText } from '../templates/reported-text.ts';
import { afterReview, archiveChange, categoryOf, reviewStatus } from '../templates/review.ts';
import type { TemplatePorts, WhatsappTemplate } from '../templates/template.ts';
import { updateTemplate } from '../templates/templates.ts';
import { isLater, type MetaReportEffect, type ReportAbout } from './report.ts';

type Ports = Pick<TemplatePorts, 'clock' | 'templates'>;

type TemplateReport = ReportAbout<'template' | 'template_category' | 'template_components'>;
/** Whether an event is about this template: by Meta's id if known, else by account, name and language. */
const isOf = (template: WhatsappTemplate, event: TemplateReport): boolean =>
  template.wabaId === event.wabaId &&
  template.language === event.language.replace('_', '-') &&
  (template.platformTemplateId === undefined || template.platformTemplateId === event.platformTemplateId);

type TemplateUpdate = { readonly fields: Partial<WhatsappTemplate>; readonly events?: readonly DomainEvent[] };

const applyToTemplate = async (
  ports: Ports,
  owner: Tenant,
  event: TemplateReport,
  changeOf: (before: WhatsappTemplate, now: number) => TemplateUpdate | undefined,
): Promise<MetaReportEffect> => {
  const named = await ports.templates.named(owner.organizationId, event.name);
  const template = named.find((each) => isOf(each, event));
  if (!template) return 'unmatched';
  let changed = false;
  const outcome = await updateTemplate(ports, owner, template.id, (before, now) => {
    // A draft was never submitted or is being edited; the event is about its earlier contents.
    const change = before.status === 'draft' || !isOf(before, event) ? undefined : changeOf(before, now);
    changed = change !== undefined;
    return change && { ...change, fields: { ...change.fields, platformTemplateId: event.platformTemplateId } };
  });
  if (isRefusal(outcome)) return 'unmatched';
  return changed ? 'kept' : 'repeated';
};

/**
 * The change of a template's category, which is the route and so the price of later sends; stored messages keep their price. Undefined if a
 * later event was applied or the category is unknown to us.
 */
const categoryChange = (
  before: WhatsappTemplate,
  { at, category: metaStatus = '' }: { readonly at: number; readonly category?: string },
): Partial<WhatsappTemplate> | undefined => {
  const category = categoryOf(metaStatus);
  const report = { at, event: metaStatus };
  return category && isLater(report, before.categoryHeard) ? { category, categoryHeard: report } : undefined;
};

const applyCategory = (ports: Ports, owner: Tenant, event: ReportAbout<'template_category'>) =>
  applyToTemplate(ports, owner, event, (before) => {
    const fields = categoryChange(before, event);
    return fields && { fields };
  });

const applyReview = async (ports: Ports, owner: Tenant, event: ReportAbout<'template'>): Promise<MetaReportEffect> => {
  const status = reviewStatus(event.event);
  if (status === undefined && event.event !== 'UNARCHIVED') return 'unmatched';
  return applyToTemplate(ports, owner, event, (before, now) => {
    const category = categoryChange(before, event);
    if (!isLater(event, before.heard)) return category && { fields: category };
    const heard = { at: event.at, event: event.event };
    const kept = archiveChange(before, event.event);
    if (kept || status === undefined) return { fields: { ...kept, ...category, heard } };
    const reason = event.reason === 'NONE' ? undefined : event.reason;
    const { fields, events } = afterReview(before, { status, reason }, owner.env, now);
    return { fields: { ...fields, ...category, heard }, events };
  });
};

/** Applies an edit made at Meta: a new version of the contents, whose review is reported by other events. */
const applyComponents = (ports: Ports, owner: Tenant, event: ReportAbout<'template_components'>) =>
  applyToTemplate(ports, owner, event, (before) => {
    const wordsHeard = { at: event.at, event: event.body };
    if (!isLater(wordsHeard, before.wordsHeard)) return undefined;
    const components = withReportedText(before.components, event);
    const changed = JSON.stringify(components) !== JSON.stringify(before.components);
    return { fields: { wordsHeard, ...(changed ? { components, version: before.version + 1 } : {}) } };
  });

/** Applies a report about a template's review, category or text. */
export const applyTemplateReport = (ports: Ports, owner: Tenant, event: TemplateReport): Promise<MetaReportEffect> => {
  switch (event.about) {
    case 'template':
      return applyReview(ports, owner, event);
    case 'template_category':
      return applyCategory(ports, owner, event);
    case 'template_components':
      return applyComponents(ports, owner, event);
  }
};
