import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { isId } from '../ids.ts';
import type { UnifiedRequest } from '../messages/unified.ts';
import { type FilledPart, filledParts, parameterFormat, partsToGive, variablesTaken } from './fill.ts';
import type { TemplatePorts, WhatsappTemplate } from './template.ts';

type Variables = NonNullable<UnifiedRequest['variables']>;

/** Whether all variables are given by their numbers. */
const areNumbered = (names: readonly string[]): boolean => names.every((name) => /^[1-9]\d{0,2}$/.test(name));

/** The values in their order: by their numbers where all are numbered, else as they were given. */
const inOrder = (variables: Variables = {}): readonly string[] => {
  const names = Object.keys(variables);
  const ordered = areNumbered(names) ? names.toSorted((a, b) => Number(a) - Number(b)) : names;
  return ordered.map((name) => String(variables[name]));
};

/**
 * The values of a template's variables in its own order. Of a template that names them, names are found by name and what is left fills
 * its buttons; numbers count through all of them.
 */
const valuesFor = (template: WhatsappTemplate, variables: Variables = {}): readonly string[] => {
  const given = Object.keys(variables);
  if (parameterFormat(template) === 'positional' || areNumbered(given)) return inOrder(variables);
  const taken = variablesTaken(template);
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

const wrongVariables = (template: WhatsappTemplate, wanted: readonly string[]) => {
  const named = parameterFormat(template) === 'named';
  return refuse('VALIDATION_ERROR', {
    detail: `The template takes ${wanted.length} variables${named ? `: ${wanted.join(', ')}` : ''}.`,
    overview: 'invalid_template_variable',
    meta: { code: 'invalid_template_variable', variables: wanted.length },
    errors: [{ path: 'templateVars', message: `must be ${named ? wanted.join(', ') : wanted.length}` }],
  });
};

/** Whether every variable has its value; of named ones, that none is called otherwise. */
const fits = (template: WhatsappTemplate, wanted: readonly string[], variables: Variables = {}): boolean => {
  const given = Object.keys(variables);
  if (given.length !== wanted.length) return false;
  const byName = parameterFormat(template) === 'named' && !areNumbered(given);
  return !byName || wanted.every((name) => name.startsWith('button ') || given.includes(name));
};

/** The parts that the caller filled itself, in the platform's own form. */
const ownParts = (request: UnifiedRequest): readonly FilledPart[] | undefined =>
  namedIn(request).components as readonly FilledPart[] | undefined;

/** Parts that no variable fills and that the caller did not give either: the platform would refuse the message for them. */
const missingParts = (template: WhatsappTemplate, own: readonly FilledPart[] = []) => {
  const missing = partsToGive(template).filter(({ type, cards }) => {
    const found = own.find((part) => String(part.type).toLowerCase() === type);
    return !found || (cards !== undefined && (!Array.isArray(found.cards) || found.cards.length !== cards));
  });
  return missing.length === 0
    ? undefined
    : refuse('VALIDATION_ERROR', {
        detail: `No variable fills these parts of the template; give them in payload.template.components: ${missing.map(({ what }) => what).join(', ')}.`,
        overview: 'invalid_template_variable',
        meta: { code: 'invalid_template_variable', parts: missing.map(({ type }) => type).join(',') },
        errors: missing.map(({ what }) => ({ path: 'payload.template.components', message: `must have ${what}` })),
      });
};

const unfit = (template: WhatsappTemplate, request: UnifiedRequest): TemplateRefusal | undefined => {
  if (template.status !== 'approved')
    return refuse('CONFLICT', {
      detail: 'The template is not approved by the platform.',
      overview: 'precondition_failed',
      meta: { code: 'template_not_approved', templateId: template.id },
    });
  const own = ownParts(request);
  const missing = missingParts(template, own);
  if (missing) return missing;
  if (own !== undefined && Object.keys(request.variables ?? {}).length === 0) return undefined;
  const wanted = variablesTaken(template);
  return fits(template, wanted, request.variables) ? undefined : wrongVariables(template, wanted);
};

/** The parts of a message: what the caller filled itself, and of the others what its variables fill. */
const partsOf = (template: WhatsappTemplate, request: UnifiedRequest): readonly FilledPart[] => {
  const own = ownParts(request);
  if (own !== undefined && Object.keys(request.variables ?? {}).length === 0) return own;
  const filled = filledParts(template, valuesFor(template, request.variables));
  const isFilled = (part: FilledPart) =>
    filled.some(
      ({ type, index }) => type === String(part.type).toLowerCase() && (index ?? '') === String(part.index ?? ''),
    );
  return [...(own ?? []).filter((part) => !isFilled(part)), ...filled];
};

/**
 * A WhatsApp request with what the organization keeps of its template: language, category as the route, number and filled parts. A
 * name that it does not keep stays as it is, and the platform answers for it; an id that it does not keep is 422. 409 for a template
 * that is not approved, 422 where the variables are not those that it takes, or a part is missing that no variable fills.
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
  return {
    ...request,
    type: 'template',
    text: undefined,
    template: undefined,
    payload: {
      ...request.payload,
      template: { name: found.name, language: found.language, components: partsOf(found, request) },
    },
    route: request.route ?? found.category,
    labels: { ...request.labels, templateId: found.id, numberId: request.labels?.numberId ?? found.numberId },
  };
};
