import * as z from 'zod';
import type { FieldError } from '../../../core/errors.ts';
import { buttonErrors, buttonsSchema } from './buttons.ts';
import { placeholdersOf } from './placeholders.ts';
import type { TemplateCategory } from './template.ts';

const exampleText = (max: number) => z.string().min(1).max(max);
const namedExamples = (max: number) =>
  z
    .array(z.strictObject({ param_name: z.string().min(1).max(60), example: exampleText(max) }))
    .min(1)
    .max(100);
type NamedExample = z.output<ReturnType<typeof namedExamples>>[number];

const handles = z.strictObject({ header_handle: z.array(z.string().min(1).max(4_096)).length(1) });
/** Headers in Meta's format (WhatsApp, template components). */
export const headerSchema = z.discriminatedUnion('format', [
  z.strictObject({
    format: z.literal('TEXT'),
    text: z.string().min(1).max(60),
    example: z
      .strictObject({
        header_text: z.array(exampleText(60)).optional(),
        header_text_named_params: namedExamples(60).optional(),
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
      body_text_named_params: namedExamples(1_024).optional(),
    })
    .optional(),
});
const footerSchema = z.strictObject({ text: z.string().min(1).max(60) });
/** Meta provides the text of authentication templates. */
const codeBodySchema = z.strictObject({ add_security_recommendation: z.boolean().optional() });
const codeFooterSchema = z.strictObject({ code_expiration_minutes: z.int().min(1).max(90) });

export interface PartContext {
  readonly category: TemplateCategory;
  readonly path: string;
  readonly headerExampleUrl?: string | undefined;
}
export type PartCheck = (payload: unknown, context: PartContext) => readonly FieldError[];

const issuesOf = (error: z.ZodError, path: string): readonly FieldError[] =>
  error.issues.map((issue) => ({
    path: [path, ...issue.path.map(String)].join('.'),
    message: issue.code === 'unrecognized_keys' ? 'has unknown fields' : issue.message,
  }));

/** Checks a payload's schema, then `rest`. */
export const checkedShape =
  <T>(schema: z.ZodType<T>, rest: (payload: T, context: PartContext) => readonly FieldError[]): PartCheck =>
  (payload, context) => {
    const parsed = schema.safeParse(payload ?? {});
    return parsed.success ? rest(parsed.data, context) : issuesOf(parsed.error, context.path);
  };

interface Examples {
  readonly positional: readonly string[] | undefined;
  readonly named: readonly NamedExample[] | undefined;
}
interface ErrorPaths {
  readonly text: string;
  readonly positional: string;
  readonly named: string;
}

/** Checks a text's variables: at most `max`, each with an example in the matching format. */
const variableErrors = (text: string, examples: Examples, max: number, at: ErrorPaths): readonly FieldError[] => {
  const found = placeholdersOf(text);
  if ('error' in found) return [{ path: at.text, message: found.error }];
  const { format, names } = found;
  if (names.length > max) return [{ path: at.text, message: `may have at most ${max} variable` }];
  if (format === 'named') {
    const given = examples.named?.map(({ param_name: name }) => name) ?? [];
    const fits = given.length === names.length && names.every((name) => given.includes(name)) && !examples.positional;
    return fits ? [] : [{ path: at.named, message: `must have one example for each of ${names.join(', ')}` }];
  }
  return names.length === (examples.positional?.length ?? 0) && !examples.named
    ? []
    : [{ path: at.positional, message: `must have one example for each of ${names.length} variables` }];
};

const header = checkedShape(headerSchema, (payload, { path, category, headerExampleUrl }) => {
  if (payload.format === 'TEXT') {
    const { header_text: positional, header_text_named_params: byName } = payload.example ?? {};
    return variableErrors(payload.text, { positional, named: byName }, 1, {
      text: `${path}.text`,
      positional: `${path}.example.header_text`,
      named: `${path}.example.header_text_named_params`,
    });
  }
  if (payload.format === 'GIF' && category !== 'marketing')
    return [{ path: `${path}.format`, message: 'GIF is for marketing only' }];
  if (payload.format === 'LOCATION' || payload.example || headerExampleUrl !== undefined) return [];
  return [{ path: `${path}.example.header_handle`, message: 'must have an example: its handle, or headerExampleUrl' }];
});
const body = checkedShape(bodySchema, ({ text, example }, { path }) =>
  variableErrors(text, { positional: example?.body_text?.[0], named: example?.body_text_named_params }, 999, {
    text: `${path}.text`,
    positional: `${path}.example.body_text`,
    named: `${path}.example.body_text_named_params`,
  }),
);
const footer = checkedShape(footerSchema, ({ text }, { path }) =>
  /\{\{/.test(text) ? [{ path: `${path}.text`, message: 'has no variables' }] : [],
);
const buttons = checkedShape(buttonsSchema, (payload, { category, path }) =>
  buttonErrors(payload.buttons, category, `${path}.buttons`),
);
const noErrors = (): readonly FieldError[] => [];

/** Checks of the components that every template may have. */
export const PART_CHECKS = { HEADER: header, BODY: body, FOOTER: footer, BUTTONS: buttons } as const;
/** Checks of an authentication template's components. */
export const AUTHENTICATION_PART_CHECKS = {
  HEADER: (_: unknown, { path }: PartContext) => [{ path, message: 'authentication templates have no header' }],
  BODY: checkedShape(codeBodySchema, noErrors),
  FOOTER: checkedShape(codeFooterSchema, noErrors),
  BUTTONS: buttons,
} as const;
