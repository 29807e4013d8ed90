import { isRefusal, type Refusal, refuse } from '../../../core/errors.ts';
import { asId, type Id, isId } from '../../../core/ids.ts';
import { refuseField } from '../../../core/refuse-field.ts';
import type { SendRequest } from '../../../message/send-request.ts';
import { type FilledPart, filledParts, parameterFormat, requiredParts, templateVariables } from './fill.ts';
import type { TemplatePorts, WhatsappTemplate } from './template.ts';

type Variables = NonNullable<SendRequest['variables']>;

const areNumbered = (names: readonly string[]): boolean => names.every((name) => /^[1-9]\d{0,2}$/.test(name));

/** Values by number if all names are numbers, else as given. */
const orderedValues = (variables: Variables = {}): readonly string[] => {
  const names = Object.keys(variables);
  const ordered = areNumbered(names) ? names.toSorted((a, b) => Number(a) - Number(b)) : names;
  return ordered.map((name) => String(variables[name]));
};

/**
 * The values of a template's variables, in its order. For named variables, values are matched by name and the remaining ones fill buttons;
 * numbers count through all of them.
 */
const valuesFor = (template: WhatsappTemplate, variables: Variables = {}): readonly string[] => {
  const given = Object.keys(variables);
  if (parameterFormat(template) === 'positional' || areNumbered(given)) return orderedValues(variables);
  const taken = templateVariables(template);
  const rest = given.filter((name) => !taken.includes(name)).map((name) => String(variables[name]));
  const isButton = (name: string) => name.startsWith('button ');
  return [
    ...taken.flatMap((name) => {
      const value = isButton(name) ? rest.shift() : variables[name];
      return value === undefined ? [] : [String(value)];
    }),
    ...rest,
  ];
};

type TemplateRefusal = Refusal<'CONFLICT' | 'VALIDATION_ERROR'>;
const DEFAULT_LANGUAGE = 'pt-BR';

/** The template requested, by id or name, and its language if given. */
const requestedTemplate = ({ template, payload }: SendRequest) => {
  const given = payload?.template as { name?: unknown; language?: unknown; components?: unknown } | undefined;
  const name = template ?? (typeof given?.name === 'string' ? given.name : undefined);
  const language = typeof given?.language === 'string' ? given.language.replace('_', '-') : undefined;
  return { name, language, components: given?.components };
};

const findByName = async (
  ports: Pick<TemplatePorts, 'templates' | 'numbers'>,
  organizationId: Id<'organization'>,
  name: string,
  { language, numberId }: { language: string | undefined; numberId: string | undefined },
): Promise<WhatsappTemplate | undefined> => {
  const named = await ports.templates.named(organizationId, name);
  if (named.length === 0) return undefined;
  const id = asId('number', numberId);
  const number = id && (await ports.numbers.read(organizationId, id));
  const fitting = named.filter(
    (each) =>
      (number === undefined || each.wabaId === number.wabaId) && (language === undefined || each.language === language),
  );
  const rank = (each: WhatsappTemplate) =>
    (each.status === 'approved' ? 2 : 0) + (each.language === DEFAULT_LANGUAGE ? 1 : 0);
  return fitting.toSorted((a, b) => rank(b) - rank(a))[0];
};

const variablesRefusal = (template: WhatsappTemplate, expected: readonly string[]) => {
  const named = parameterFormat(template) === 'named';
  return refuse('VALIDATION_ERROR', {
    detail: `The template takes ${expected.length} variables${named ? `: ${expected.join(', ')}` : ''}.`,
    v1Code: 'invalid_template_variable',
    meta: { code: 'invalid_template_variable', variables: expected.length },
    errors: [{ path: 'variables', message: `must be ${named ? expected.join(', ') : expected.length}` }],
  });
};

/** Whether the number of variables matches, and for named ones also the names. */
const variablesMatch = (
  template: WhatsappTemplate,
  expected: readonly string[],
  variables: Variables = {},
): boolean => {
  const given = Object.keys(variables);
  if (given.length !== expected.length) return false;
  const byName = parameterFormat(template) === 'named' && !areNumbered(given);
  return !byName || expected.every((name) => name.startsWith('button ') || given.includes(name));
};

/** Components that the caller filled itself, in Meta's format. */
const callerParts = (request: SendRequest): readonly FilledPart[] | undefined =>
  requestedTemplate(request).components as readonly FilledPart[] | undefined;

/** 422 for components that variables cannot fill and the caller did not provide; Meta would reject the message. */
const missingPartsRefusal = (template: WhatsappTemplate, own: readonly FilledPart[] = []) => {
  const missing = requiredParts(template).filter(({ type, cards }) => {
    const found = own.find((part) => String(part.type).toLowerCase() === type);
    return !found || (cards !== undefined && (!Array.isArray(found.cards) || found.cards.length !== cards));
  });
  return missing.length === 0
    ? undefined
    : refuse('VALIDATION_ERROR', {
        detail: `No variable fills these parts of the template; give them in payload.template.components: ${missing.map(({ what }) => what).join(', ')}.`,
        v1Code: 'invalid_template_variable',
        meta: { code: 'invalid_template_variable', parts: missing.map(({ type }) => type).join(',') },
        errors: missing.map(({ what }) => ({ path: 'payload.template.components', message: `must have ${what}` })),
      });
};

const templateRefusal = (template: WhatsappTemplate, request: SendRequest): TemplateRefusal | undefined => {
  if (template.status !== 'approved')
    return refuse('CONFLICT', {
      detail: 'The template is not approved by Meta.',
      v1Code: 'precondition_failed',
      meta: { code: 'template_not_approved', templateId: template.id },
    });
  const own = callerParts(request);
  const missing = missingPartsRefusal(template, own);
  if (missing) return missing;
  if (own !== undefined && Object.keys(request.variables ?? {}).length === 0) return undefined;
  const expected = templateVariables(template);
  return variablesMatch(template, expected, request.variables) ? undefined : variablesRefusal(template, expected);
};

/** The components to send: the caller's own, and the others filled from variables. */
const componentsOf = (template: WhatsappTemplate, request: SendRequest): readonly FilledPart[] => {
  const own = callerParts(request);
  if (own !== undefined && Object.keys(request.variables ?? {}).length === 0) return own;
  const filled = filledParts(template, valuesFor(template, request.variables));
  const isFilled = (part: FilledPart) =>
    filled.some(
      ({ type, index }) => type === String(part.type).toLowerCase() && (index ?? '') === String(part.index ?? ''),
    );
  return [...(own ?? []).filter((part) => !isFilled(part)), ...filled];
};

/**
 * Completes a WhatsApp request from a saved template: language, route by category, number and filled components. An unknown name is passed
 * on to Meta; an unknown id is 422. 409 for a template that is not approved, 422 for wrong variables or missing components
 * (docs/spec/whatsapp-templates.md#sending-a-template).
 */
export const withSavedTemplate = async (
  ports: Pick<TemplatePorts, 'templates' | 'numbers'>,
  organizationId: Id<'organization'>,
  request: SendRequest,
): Promise<SendRequest | TemplateRefusal> => {
  const { name, language } = requestedTemplate(request);
  if (name === undefined) return request;
  const isOurs = isId('template', name);
  const found = isOurs
    ? await ports.templates.read(organizationId, name)
    : await findByName(ports, organizationId, name, { language, numberId: request.labels?.numberId });
  if (!found)
    return isOurs
      ? refuseField('There is no such template.', 'template', 'is not a template of the organization')
      : request;
  const refused = templateRefusal(found, request);
  if (isRefusal(refused)) return refused;
  return {
    ...request,
    type: 'template',
    text: undefined,
    template: undefined,
    payload: {
      ...request.payload,
      template: { name: found.name, language: found.language, components: componentsOf(found, request) },
    },
    route: request.route ?? found.category,
    labels: { ...request.labels, templateId: found.id, numberId: request.labels?.numberId ?? found.numberId },
  };
};
