import * as z from 'zod';
import { buttonFaults, buttonsSchema } from './buttons.ts';
import { variablesOf } from './placeholders.ts';
import type { TemplateCategory, TemplateComponent } from './template.ts';

export type Fault = { readonly path: string; readonly message: string };

/** The parts of a template that this service takes; each stands in it once. */
export const COMPONENT_TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'] as const;
export type ComponentType = (typeof COMPONENT_TYPES)[number];

const handles = z.strictObject({ header_handle: z.array(z.string().min(1).max(4_096)).length(1) });
export const headerSchema = z.discriminatedUnion('format', [
  z.strictObject({
    format: z.literal('TEXT'),
    text: z.string().min(1).max(60),
    example: z.strictObject({ header_text: z.array(z.string().min(1).max(60)) }).optional(),
  }),
  z.strictObject({ format: z.enum(['IMAGE', 'VIDEO', 'DOCUMENT', 'GIF']), example: handles.optional() }),
  z.strictObject({ format: z.literal('LOCATION') }),
]);
export const bodySchema = z.strictObject({
  text: z.string().min(1).max(1_024),
  example: z.strictObject({ body_text: z.array(z.array(z.string().min(1).max(1_024))).length(1) }).optional(),
});
const footerSchema = z.strictObject({ text: z.string().min(1).max(60) });
/** The words of an authentication template are the platform's own. */
const codeBodySchema = z.strictObject({ add_security_recommendation: z.boolean().optional() });
const codeFooterSchema = z.strictObject({ code_expiration_minutes: z.int().min(1).max(90) });

/** `type` as the platform writes it. */
export const componentType = ({ type }: TemplateComponent): ComponentType | undefined =>
  COMPONENT_TYPES.find((known) => known === type.toUpperCase());

const within = (
  text: string,
  examples: readonly string[] | undefined,
  most: number,
  at: { text: string; example: string },
): readonly Fault[] => {
  const found = variablesOf(text);
  if ('fault' in found) return [{ path: at.text, message: found.fault }];
  if (found.length > most) return [{ path: at.text, message: `may have at most ${most} variable` }];
  return found.length === (examples?.length ?? 0)
    ? []
    : [{ path: at.example, message: `must have one example for each of ${found.length} variables` }];
};

const issuesOf = (error: z.ZodError, path: string): readonly Fault[] =>
  error.issues.map((issue) => ({
    path: [path, ...issue.path.map(String)].join('.'),
    message: issue.code === 'unrecognized_keys' ? 'has fields that the platform does not know' : issue.message,
  }));

type Context = {
  readonly category: TemplateCategory;
  readonly path: string;
  readonly headerExampleUrl?: string | undefined;
};
type Check = (payload: unknown, context: Context) => readonly Fault[];

/** The faults of a payload's shape, else those that `rest` finds in it. */
const checked =
  <T>(schema: z.ZodType<T>, rest: (payload: T, context: Context) => readonly Fault[]): Check =>
  (payload, context) => {
    const parsed = schema.safeParse(payload ?? {});
    return parsed.success ? rest(parsed.data, context) : issuesOf(parsed.error, context.path);
  };

const header = checked(headerSchema, (payload, { path, category, headerExampleUrl }) => {
  if (payload.format === 'TEXT')
    return within(payload.text, payload.example?.header_text, 1, {
      text: `${path}.text`,
      example: `${path}.example.header_text`,
    });
  if (payload.format === 'GIF' && category !== 'marketing')
    return [{ path: `${path}.format`, message: 'GIF is for marketing alone' }];
  if (payload.format === 'LOCATION' || payload.example || headerExampleUrl !== undefined) return [];
  return [{ path: `${path}.example.header_handle`, message: 'must have an example: its handle, or headerExampleUrl' }];
});
const body = checked(bodySchema, ({ text, example }, { path }) =>
  within(text, example?.body_text[0], 999, { text: `${path}.text`, example: `${path}.example.body_text` }),
);
const footer = checked(footerSchema, ({ text }, { path }) =>
  /\{\{/.test(text) ? [{ path: `${path}.text`, message: 'has no variables' }] : [],
);
const buttons = checked(buttonsSchema, (payload, { category, path }) =>
  buttonFaults(payload.buttons, category, `${path}.buttons`),
);
const none = (): readonly Fault[] => [];
const CHECKS: Readonly<Record<ComponentType, Check>> = { HEADER: header, BODY: body, FOOTER: footer, BUTTONS: buttons };
const CODE_CHECKS: Readonly<Record<ComponentType, Check>> = {
  HEADER: (_, { path }) => [{ path, message: 'authentication templates have no header' }],
  BODY: checked(codeBodySchema, none),
  FOOTER: checked(codeFooterSchema, none),
  BUTTONS: buttons,
};

/**
 * What is wrong with a template's components by the platform's documented rules (WhatsApp Cloud API, template components and
 * authentication templates): every fault at once, with its path. None when it may be submitted.
 */
export const componentFaults = (
  components: readonly TemplateComponent[],
  category: TemplateCategory,
  headerExampleUrl?: string,
): readonly Fault[] => {
  const faults: Fault[] = [];
  const types = components.map(componentType);
  for (const [at, { payload }] of components.entries()) {
    const type = types[at];
    if (type === undefined) {
      faults.push({ path: `components.${at}.type`, message: `must be one of ${COMPONENT_TYPES.join(', ')}` });
      continue;
    }
    if (types.indexOf(type) < at)
      faults.push({ path: `components.${at}.type`, message: 'stands in the template already' });
    const check = (category === 'authentication' ? CODE_CHECKS : CHECKS)[type];
    faults.push(...check(payload, { category, path: `components.${at}.payload`, headerExampleUrl }));
  }
  if (!types.includes('BODY')) faults.push({ path: 'components', message: 'must have a BODY' });
  if (category === 'authentication' && !types.includes('BUTTONS'))
    faults.push({ path: 'components', message: 'must have a button of OTP' });
  return faults;
};
