import type { TemplateValue } from '../../domain/email/placeholders.ts';
import type { TemplatePorts } from '../../domain/email/template.ts';
import { renderSaved } from '../../domain/email/templates.ts';
import { emailTemplateStore } from '../../storage/email-templates.ts';
import { clock, table } from './platform.ts';

/** What the rules of e-mail templates need, over this stage's table. The compiler of MJML is added where templates are saved. */
export const templatePorts: TemplatePorts = { clock, store: emailTemplateStore(table) };

/** Fills the organization's template of this id or name, with a subject of the send's own; undefined when there is none. */
export const renderTemplateOf = (
  organizationId: string,
  template: string,
  variables: Readonly<Record<string, TemplateValue>>,
  subject: string | undefined,
) => renderSaved(templatePorts, organizationId, template, variables, subject);
