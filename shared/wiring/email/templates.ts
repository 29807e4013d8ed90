import type { TemplateValue } from '../../domain/channels/email/placeholders.ts';
import type { TemplatePorts } from '../../domain/channels/email/template.ts';
import { renderSavedTemplate } from '../../domain/channels/email/templates.ts';
import type { Id } from '../../domain/core/ids.ts';
import { emailTemplateStore } from '../../storage/email/templates.ts';
import { clock, table } from '../process/aws.ts';

export const templatePorts: TemplatePorts = { clock, store: emailTemplateStore(table) };

/** Renders the organization's template with this id or name; `subject` overrides the template's. Undefined when there is no such template. */
export const renderTemplateOf = (
  organizationId: Id<'organization'>,
  template: string,
  variables: Readonly<Record<string, TemplateValue>>,
  subject: string | undefined,
) => renderSavedTemplate(templatePorts, organizationId, template, variables, subject);
