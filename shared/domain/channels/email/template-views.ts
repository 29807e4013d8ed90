import { definedFields } from '../../core/patch.ts';
import { isoTime } from '../../core/time.ts';
import type { EmailTemplate, TemplateSummary } from './template.ts';

/** A template in lists, without its contents. */
export const templateSummaryView = (template: TemplateSummary) => ({
  id: template.id,
  organizationId: template.organizationId,
  name: template.name,
  subject: template.subject,
  format: template.format,
  variables: template.variables.map(({ name, example, description }) => ({
    name,
    ...definedFields({ example, description }),
  })),
  version: template.version,
  createdAt: isoTime(template.createdAt),
  updatedAt: isoTime(template.updatedAt),
});

/** A template with its contents. */
export const templateView = (template: EmailTemplate) => ({
  ...templateSummaryView(template),
  source: template.source,
  html: template.html,
  ...(template.text === undefined ? {} : { text: template.text }),
});
