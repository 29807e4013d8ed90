import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { isId } from '../ids.ts';
import type { UnifiedRequest } from '../messages/unified.ts';
import { buttonsSchema, takesValue } from './buttons.ts';
import { bodySchema, componentType, headerSchema } from './components.ts';
import { countVariables } from './placeholders.ts';
import type { TemplatePorts, WhatsappTemplate } from './template.ts';

/** A part of a template that a send fills, as the platform takes it (WhatsApp Cloud API, template messages). */
interface Filled {
  readonly type: 'header' | 'body' | 'button';
  readonly sub_type?: 'url' | 'copy_code';
  readonly index?: string;
  readonly parameters: readonly Readonly<Record<string, string>>[];
}
/** One of them before it is filled: how many of the send's variables it takes, in their order. */
interface Slot {
  readonly takes: number;
  fill(values: readonly string[]): Filled;
}

const texts = (values: readonly string[]) => values.map((text) => ({ type: 'text', text }));

const buttonSlots = (payload: unknown): readonly Slot[] =>
  (buttonsSchema.safeParse(payload).data?.buttons ?? []).flatMap((button, at) => {
    if (!takesValue(button)) return [];
    const index = String(at);
    const fill = (values: readonly string[]): Filled =>
      button.type === 'COPY_CODE'
        ? {
            type: 'button',
            sub_type: 'copy_code',
            index,
            parameters: values.map((code) => ({ type: 'coupon_code', coupon_code: code })),
          }
        : { type: 'button', sub_type: 'url', index, parameters: texts(values) };
    return [{ takes: 1, fill }];
  });

/** The slots of a template in the order in which its variables are counted: header, body, buttons. */
const slotsOf = ({ components }: Pick<WhatsappTemplate, 'components'>): readonly Slot[] => {
  const payloadOf = (type: string) => components.find((component) => componentType(component) === type)?.payload;
  const header = headerSchema.safeParse(payloadOf('HEADER')).data;
  const body = bodySchema.safeParse(payloadOf('BODY')).data;
  const textSlot = (type: 'header' | 'body', text: string | undefined): readonly Slot[] => {
    const takes = countVariables(text ?? '');
    return takes === 0 ? [] : [{ takes, fill: (values) => ({ type, parameters: texts(values) }) }];
  };
  return [
    ...textSlot('header', header?.format === 'TEXT' ? header.text : undefined),
    ...textSlot('body', body?.text),
    ...buttonSlots(payloadOf('BUTTONS')),
  ];
};

/** An authentication template has one variable, its code: in the body, and in the button that copies it. */
const codeParts = (code: string): readonly Filled[] => [
  { type: 'body', parameters: texts([code]) },
  { type: 'button', sub_type: 'url', index: '0', parameters: texts([code]) },
];

/** How many variables a send of a template gives. */
export const variablesTaken = (template: Pick<WhatsappTemplate, 'category' | 'components'>): number =>
  template.category === 'authentication' ? 1 : slotsOf(template).reduce((sum, { takes }) => sum + takes, 0);

const filled = (template: WhatsappTemplate, values: readonly string[]): readonly Filled[] => {
  if (template.category === 'authentication') return codeParts(values[0] ?? '');
  let at = 0;
  return slotsOf(template).map(({ takes, fill }) => {
    at += takes;
    return fill(values.slice(at - takes, at));
  });
};

/** The values in their order: by their numbers where all are numbered, else as they were given. */
const inOrder = (variables: UnifiedRequest['variables'] = {}): readonly string[] => {
  const names = Object.keys(variables);
  const numbered = names.every((name) => /^[1-9]\d{0,2}$/.test(name));
  const ordered = numbered ? names.toSorted((a, b) => Number(a) - Number(b)) : names;
  return ordered.map((name) => String(variables[name]));
};

type TemplateRefusal = Refusal<'CONFLICT' | 'VALIDATION_ERROR'>;
const DEFAULT_LANGUAGE = 'pt-BR';

/** What a request names: a template by its id or its name, and the language where it says one. */
const namedIn = ({ template, payload }: UnifiedRequest) => {
  const given = payload?.template as { name?: unknown; language?: unknown; components?: unknown } | undefined;
  const name = template ?? (typeof given?.name === 'string' ? given.name : undefined);
  const language = typeof given?.language === 'string' ? given.language.replace('_', '-') : undefined;
  return { name, language, components: given?.components };
};

const byName = async (
  ports: Pick<TemplatePorts, 'templates' | 'numbers'>,
  organizationId: string,
  name: string,
  { language, numberId }: { language: string | undefined; numberId: string | undefined },
): Promise<WhatsappTemplate | undefined> => {
  const named = await ports.templates.named(organizationId, name);
  if (named.length === 0) return undefined;
  const number = numberId === undefined ? undefined : await ports.numbers.read(organizationId, numberId);
  const fitting = named.filter(
    (each) =>
      (number === undefined || each.wabaId === number.wabaId) && (language === undefined || each.language === language),
  );
  const rank = (each: WhatsappTemplate) =>
    (each.status === 'approved' ? 2 : 0) + (each.language === DEFAULT_LANGUAGE ? 1 : 0);
  return fitting.toSorted((a, b) => rank(b) - rank(a))[0];
};

const wrongCount = (wanted: number) =>
  refuse('VALIDATION_ERROR', {
    detail: `The template takes ${wanted} variables.`,
    overview: 'invalid_template_variable',
    meta: { code: 'invalid_template_variable', variables: wanted },
    errors: [{ path: 'templateVars', message: `must be ${wanted}` }],
  });

/** Parts that the caller filled itself: taken as they are where no variables stand beside them. */
const ownParts = (request: UnifiedRequest): unknown =>
  Object.keys(request.variables ?? {}).length === 0 ? namedIn(request).components : undefined;

const unfit = (template: WhatsappTemplate, request: UnifiedRequest): TemplateRefusal | undefined => {
  if (template.status !== 'approved')
    return refuse('CONFLICT', {
      detail: 'The template is not approved by the platform.',
      meta: { code: 'template_not_approved', templateId: template.id },
    });
  if (ownParts(request) !== undefined) return undefined;
  const wanted = variablesTaken(template);
  return inOrder(request.variables).length === wanted ? undefined : wrongCount(wanted);
};

/**
 * A WhatsApp request with what the organization keeps of its template: language, category as the route, number and filled parts. A
 * name that it does not keep stays as it is, and the platform answers for it; an id that it does not keep is 422. 409 for a template
 * that is not approved, 422 where the variables are not as many as it takes.
 */
export const withSavedTemplate = async (
  ports: Pick<TemplatePorts, 'templates' | 'numbers'>,
  organizationId: string,
  request: UnifiedRequest,
): Promise<UnifiedRequest | TemplateRefusal> => {
  const { name, language } = namedIn(request);
  if (name === undefined) return request;
  const isOurs = isId('template', name);
  const found = isOurs
    ? await ports.templates.read(organizationId, name)
    : await byName(ports, organizationId, name, { language, numberId: request.labels?.numberId });
  if (!found)
    return isOurs
      ? refuse('VALIDATION_ERROR', {
          detail: 'There is no such template.',
          errors: [{ path: 'template', message: 'is no template of the organization' }],
        })
      : request;
  const refused = unfit(found, request);
  if (isRefusal(refused)) return refused;
  const parts = ownParts(request) ?? filled(found, inOrder(request.variables));
  return {
    ...request,
    type: 'template',
    text: undefined,
    template: undefined,
    payload: { ...request.payload, template: { name: found.name, language: found.language, components: parts } },
    route: request.route ?? found.category,
    labels: { ...request.labels, templateId: found.id, numberId: request.labels?.numberId ?? found.numberId },
  };
};
