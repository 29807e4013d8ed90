import * as z from 'zod';
import { buttonFaults, buttonsSchema } from './buttons.ts';
import { placeholdersOf } from './placeholders.ts';
import type { TemplateCategory } from './template.ts';

export type Fault = { readonly path: string; readonly message: string };

const exampleText = (most: number) => z.string().min(1).max(most);
const named = (most: number) =>
  z
    .array(z.strictObject({ param_name: z.string().min(1).max(60), example: exampleText(most) }))
    .min(1)
    .max(100);
type NamedExample = z.output<ReturnType<typeof named>>[number];

const handles = z.strictObject({ header_handle: z.array(z.string().min(1).max(4_096)).length(1) });
/** Headers, as the platform writes them (WhatsApp, template components). */
export const headerSchema = z.discriminatedUnion('format', [
  z.strictObject({
    format: z.literal('TEXT'),
    text: z.string().min(1).max(60),
    example: z
      .strictObject({
        header_text: z.array(exampleText(60)).optional(),
        header_text_named_params: named(60).optional(),
      })
      .optional(),
  }),
  z.strictObject({ format: z.enum(['IMAGE', 'VIDEO', 'DOCUMENT', 'GIF']), example: handles.optional() }),
  z.strictObject({ format: z.literal('LOCATION') }),
]);
export const bodySchema = z.strictObject({
  text: z.string().min(1).max(1_024),
  example: z
    .strictObject({
      body_text: z
        .array(z.array(exampleText(1_024)))
        .length(1)
        .optional(),
      body_text_named_params: named(1_024).optional(),
    })
    .optional(),
});
const footerSchema = z.strictObject({ text: z.string().min(1).max(60) });
/** The words of an authentication template are the platform's own. */
const codeBodySchema = z.strictObject({ add_security_recommendation: z.boolean().optional() });
const codeFooterSchema = z.strictObject({ code_expiration_minutes: z.int().min(1).max(90) });

export interface PartContext {
  readonly category: TemplateCategory;
  readonly path: string;
  readonly headerExampleUrl?: string | undefined;
}
export type PartCheck = (payload: unknown, context: PartContext) => readonly Fault[];

const issuesOf = (error: z.ZodError, path: string): readonly Fault[] =>
  error.issues.map((issue) => ({
    path: [path, ...issue.path.map(String)].join('.'),
    message: issue.code === 'unrecognized_keys' ? 'has fields that the platform does not know' : issue.message,
  }));

/** The faults of a payload's shape, else those that `rest` finds in it. */
export const checked =
  <T>(schema: z.ZodType<T>, rest: (payload: T, context: PartContext) => readonly Fault[]): PartCheck =>
  (payload, context) => {
    const parsed = schema.safeParse(payload ?? {});
    return parsed.success ? rest(parsed.data, context) : issuesOf(parsed.error, context.path);
  };

interface Examples {
  readonly positional: readonly string[] | undefined;
  readonly named: readonly NamedExample[] | undefined;
}
/** Where the faults of a text and of its examples stand. */
interface Places {
  readonly text: string;
  readonly positional: string;
  readonly named: string;
}

/** A text's variables: at most so many, and each with its example in the form that its kind of variable has. */
const within = (text: string, examples: Examples, most: number, at: Places): readonly Fault[] => {
  const found = placeholdersOf(text);
  if ('fault' in found) return [{ path: at.text, message: found.fault }];
  const { format, names } = found;
  if (names.length > most) return [{ path: at.text, message: `may have at most ${most} variable` }];
  if (format === 'named') {
    const given = examples.named?.map(({ param_name: name }) => name) ?? [];
    const fits = given.length === names.length && names.every((name) => given.includes(name)) && !examples.positional;
    return fits ? [] : [{ path: at.named, message: `must have one example for each of ${names.join(', ')}` }];
  }
  return names.length === (examples.positional?.length ?? 0) && !examples.named
    ? []
    : [{ path: at.positional, message: `must have one example for each of ${names.length} variables` }];
};

const header = checked(headerSchema, (payload, { path, category, headerExampleUrl }) => {
  if (payload.format === 'TEXT') {
    const { header_text: positional, header_text_named_params: byName } = payload.example ?? {};
    return within(payload.text, { positional, named: byName }, 1, {
      text: `${path}.text`,
      positional: `${path}.example.header_text`,
      named: `${path}.example.header_text_named_params`,
    });
  }
  if (payload.format === 'GIF' && category !== 'marketing')
    return [{ path: `${path}.format`, message: 'GIF is for marketing alone' }];
  if (payload.format === 'LOCATION' || payload.example || headerExampleUrl !== undefined) return [];
  return [{ path: `${path}.example.header_handle`, message: 'must have an example: its handle, or headerExampleUrl' }];
});
const body = checked(bodySchema, ({ text, example }, { path }) =>
  within(text, { positional: example?.body_text?.[0], named: example?.body_text_named_params }, 999, {
    text: `${path}.text`,
    positional: `${path}.example.body_text`,
    named: `${path}.example.body_text_named_params`,
  }),
);
const footer = checked(footerSchema, ({ text }, { path }) =>
  /\{\{/.test(text) ? [{ path: `${path}.text`, message: 'has no variables' }] : [],
);
const buttons = checked(buttonsSchema, (payload, { category, path }) =>
  buttonFaults(payload.buttons, category, `${path}.buttons`),
);
const none = (): readonly Fault[] => [];

/** The parts that every template may have; what is wrong with each. */
export const PART_CHECKS = { HEADER: header, BODY: body, FOOTER: footer, BUTTONS: buttons } as const;
/** The same of an authentication template. */
export const CODE_CHECKS = {
  HEADER: (_: unknown, { path }: PartContext) => [{ path, message: 'authentication templates have no header' }],
  BODY: checked(codeBodySchema, none),
  FOOTER: checked(codeFooterSchema, none),
  BUTTONS: buttons,
} as const;
