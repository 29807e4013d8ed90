import * as z from 'zod';
import { withSavedTemplate } from '../channels/whatsapp/templates/send.ts';
import type { TemplatePorts, WhatsappTemplate } from '../channels/whatsapp/templates/template.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import { isId } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import type { SendRequest } from '../message/send-request.ts';

/** `{{…}}` in a template's text. Linear time: the name contains no braces. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const bodyPayload = z.object({ text: z.string() });
const filledBody = z.object({
  type: z.literal('body'),
  parameters: z.array(z.object({ text: z.string(), parameter_name: z.string().optional() })),
});

const noTemplate = refuseField(
  'The organization keeps no such template, so its text is not known.',
  'template',
  'is not a template of the organization',
);
const noText = refuseField(
  "The template has no text of its own: the text of an authentication template is the platform's.",
  'template',
  'has no text for this channel',
);

const valuesOf = ({ variables = {} }: SendRequest): readonly string[] => Object.values(variables).map(String);

/** The sandbox accepts unknown template names: the text is then the name and its values. */
const sandboxText = (name: string, values: readonly string[]): string =>
  values.length === 0 ? name : `${name}: ${values.join(', ')}`;

/** The body of a template with a send's values filled in; undefined if the template has no text. */
const bodyText = ({ components }: WhatsappTemplate, filled: unknown): string | undefined => {
  const body = components.find(({ type }) => type.toUpperCase() === 'BODY');
  const text = bodyPayload.safeParse(body?.payload).data?.text;
  const parts = Array.isArray(filled) ? filled.map((part) => filledBody.safeParse(part).data) : [];
  const parameters = parts.find((part) => part !== undefined)?.parameters ?? [];
  const values = new Map(parameters.map((each, at) => [each.parameter_name ?? String(at + 1), each.text]));
  return text?.replace(PLACEHOLDER, (whole, name: string) => values.get(name.trim()) ?? whole);
};

/**
 * Replaces a request's template by text, on channels without templates: the filled body of the organization's WhatsApp template with this
 * id or name, without header, footer and buttons (docs/spec/v1.md#templates-on-every-channel). 409 for one that is not approved; 422 for
 * one that does not exist, has no text or takes other variables.
 */
export const withTemplateText = async (
  ports: Pick<TemplatePorts, 'templates' | 'numbers'>,
  { organizationId, env }: Tenant,
  request: SendRequest,
): Promise<SendRequest | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const { template: name } = request;
  if (name === undefined) return request;
  const values = valuesOf(request);
  const asText = (text: string, templateId: string): SendRequest => ({
    ...request,
    type: 'text',
    text,
    template: undefined,
    payload: undefined,
    labels: { ...request.labels, templateId, ...(values.length > 0 ? { templateVars: values } : {}) },
  });
  const saved = await withSavedTemplate(ports, organizationId, { ...request, payload: undefined, labels: undefined });
  if (isRefusal(saved)) return saved;
  const id = saved.labels?.templateId;
  if (id === undefined || !isId('template', id))
    return env === 'test' ? asText(sandboxText(name, values), name) : noTemplate;
  const kept = await ports.templates.read(organizationId, id);
  const template = saved.payload?.template as { readonly components?: unknown } | undefined;
  const text = kept && bodyText(kept, template?.components);
  return text === undefined ? noText : asText(text, id);
};
