import * as z from 'zod';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { isId } from '../ids.ts';
import { withSavedTemplate } from '../templates/send.ts';
import type { TemplatePorts, WhatsappTemplate } from '../templates/template.ts';
import type { Tenant } from './plan.ts';
import type { UnifiedRequest } from './unified.ts';

/** `{{…}}` of a template's text. Linear: what stands between the braces has none. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const worded = z.object({ text: z.string() });
const filledBody = z.object({
  type: z.literal('body'),
  parameters: z.array(z.object({ text: z.string(), parameter_name: z.string().optional() })),
});

const noTemplate = refuse('VALIDATION_ERROR', {
  detail: 'The organization keeps no such template, so its text is not known.',
  errors: [{ path: 'template', message: 'is no template of the organization' }],
});
const noWords = refuse('VALIDATION_ERROR', {
  detail: "The template has no text of its own: an authentication template's words are the platform's.",
  errors: [{ path: 'template', message: 'has no text for this channel' }],
});

const valuesOf = ({ variables = {} }: UnifiedRequest): readonly string[] => Object.values(variables).map(String);

/** The sandbox has no templates but the kept ones: any other name stands for a text that tells the name and its values. */
const sandboxText = (name: string, values: readonly string[]): string =>
  values.length === 0 ? name : `${name}: ${values.join(', ')}`;

/** The body of a template with the values that a send fills it with; undefined where it has no words of its own. */
const bodyText = ({ components }: WhatsappTemplate, filled: unknown): string | undefined => {
  const body = components.find(({ type }) => type.toUpperCase() === 'BODY');
  const text = worded.safeParse(body?.payload).data?.text;
  const parts = Array.isArray(filled) ? filled.map((part) => filledBody.safeParse(part).data) : [];
  const parameters = parts.find((part) => part !== undefined)?.parameters ?? [];
  const values = new Map(parameters.map((each, at) => [each.parameter_name ?? String(at + 1), each.text]));
  return text?.replace(PLACEHOLDER, (whole, name: string) => values.get(name.trim()) ?? whole);
};

/**
 * A request whose template leaves as a text, on the channels that have none of their own: the body of the WhatsApp template that the
 * organization keeps under this id or name, filled; header, footer and buttons stay behind. 409 for one that is not approved, 422 for
 * one that is not kept, has no words or takes other variables.
 */
export const withTemplateText = async (
  ports: Pick<TemplatePorts, 'templates' | 'numbers'>,
  { organizationId, env }: Tenant,
  request: UnifiedRequest,
): Promise<UnifiedRequest | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const { template: name } = request;
  if (name === undefined) return request;
  const values = valuesOf(request);
  const asText = (text: string, templateId: string): UnifiedRequest => ({
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
  return text === undefined ? noWords : asText(text, id);
};
