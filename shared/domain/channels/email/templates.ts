import type { Tenant } from '../../core/actor.ts';
import { subjectError } from '../../core/email-address.ts';
import { type FieldError, isRefusal, type Refusal, refuse, Unavailable } from '../../core/errors.ts';
import { asId, type Id, newId } from '../../core/ids.ts';
import { jsonBytes } from '../../core/json-bytes.ts';
import { definedFields, type Patch } from '../../core/patch.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../../core/retry-on-conflict.ts';
import { isSameValue } from '../../core/same-value.ts';
import { textFromHtml } from './html-text.ts';
import { fillPlaceholders, invalidPlaceholderLine, type TemplateValue } from './placeholders.ts';
import type {
  EmailTemplate,
  SaveOutcome,
  TemplateContents,
  TemplateFormat,
  TemplatePorts,
  TemplateSavePorts,
} from './template.ts';

/** The parsed body of a new template. */
export interface NewTemplate extends Pick<EmailTemplate, 'name' | 'subject' | 'format' | 'source' | 'text'> {
  readonly variables?: EmailTemplate['variables'] | undefined;
}
/** The parsed body of a change; null clears a field. */
export type TemplateChange = Patch<NewTemplate, 'text'>;

/** Max. MJML source length, in characters: the compiler's time grows faster than linearly. */
export const MAX_MJML_LENGTH = 100_000;
/** Max. characters of compiled MJML, and of each rendered part. */
const MAX_RENDERED = 2_000_000;
/**
 * Size of the variables as JSON. Lists include them, so that the longest page must fit a response of 6 MB (Lambda, response payload), and a
 * template its row of 400 KB (DynamoDB, item size).
 */
export const MAX_VARIABLES_BYTES = 25_000;
const MAX_ERRORS = 20;

type Owner = Pick<Tenant, 'organizationId'>;

const invalid = (errors: readonly FieldError[]) =>
  refuse('VALIDATION_ERROR', { detail: 'The template violates the contract.', errors: errors.slice(0, MAX_ERRORS) });
const notFound = () => refuse('NOT_FOUND', 'There is no such template.');

/** Checks what the body's schema cannot; reports all errors at once. */
const validate = ({ subject, source, text, variables = [] }: Omit<NewTemplate, 'format'>): FieldError[] => {
  const errors: FieldError[] = [];
  const invalidSubject = subjectError(subject);
  if (invalidSubject) errors.push({ path: 'subject', message: invalidSubject });
  for (const [path, part] of Object.entries({ subject, source, text: text ?? '' })) {
    const line = invalidPlaceholderLine(part);
    if (line !== undefined)
      errors.push({
        path,
        message: `line ${line}: a placeholder is {{ and a variable's name and }}, and nothing else`,
      });
  }
  if (jsonBytes(variables) > MAX_VARIABLES_BYTES)
    errors.push({ path: 'variables', message: `must have at most ${MAX_VARIABLES_BYTES} bytes together` });
  const seen = new Set<string>();
  for (const [at, { name }] of variables.entries()) {
    if (seen.has(name)) errors.push({ path: `variables.${at}.name`, message: 'is declared twice' });
    seen.add(name);
  }
  return errors;
};

const compile = async (
  { compileMjml }: Pick<TemplateSavePorts, 'compileMjml'>,
  format: TemplateFormat,
  source: string,
): Promise<string | Refusal<'VALIDATION_ERROR'>> => {
  if (format === 'html') return source;
  if (source.length > MAX_MJML_LENGTH)
    return invalid([{ path: 'source', message: `must have at most ${MAX_MJML_LENGTH} characters in MJML` }]);
  const outcome = await compileMjml(source);
  if (outcome.kind === 'invalid')
    return invalid(
      outcome.errors.map(({ line, message }) => ({
        path: 'source',
        message: (line === undefined ? message : `line ${line}: ${message}`).slice(0, 200),
      })),
    );
  return outcome.html.length <= MAX_RENDERED
    ? outcome.html
    : invalid([{ path: 'source', message: `must compile to at most ${MAX_RENDERED} characters` }]);
};

const refusalOf = (
  outcome: Exclude<SaveOutcome, { kind: 'conflict' | 'saved' }>,
): Refusal<'CONFLICT' | 'VALIDATION_ERROR'> => {
  switch (outcome.kind) {
    case 'taken':
      return refuse('CONFLICT', {
        detail: 'Another template has this name.',
        meta: { field: 'name', templateId: outcome.templateId },
      });
    case 'too_large':
      return invalid([
        { path: 'source', message: 'is too large to be stored together with its compiled form and the text' },
      ]);
    case 'limit_reached':
      return refuse('CONFLICT', 'The organization has reached its maximum of e-mail templates.');
  }
};

/**
 * Creates a template; MJML is compiled once, here. 409 if another template of the organization has the name
 * (docs/spec/email-templates.md#compiled-once).
 */
export const createTemplate = async (
  ports: TemplateSavePorts,
  { organizationId }: Owner,
  input: NewTemplate,
): Promise<EmailTemplate | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const errors = validate(input);
  if (errors.length > 0) return invalid(errors);
  const html = await compile(ports, input.format, input.source);
  if (isRefusal(html)) return html;
  const now = ports.clock();
  const template: EmailTemplate = {
    ...input,
    id: newId('emailTemplate'),
    organizationId,
    html,
    variables: input.variables ?? [],
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  const outcome = await ports.store.create(template);
  if (outcome.kind === 'conflict') throw new Unavailable('The template could not be stored.');
  return outcome.kind === 'saved' ? template : refusalOf(outcome);
};

/** Reads a template of the caller's organization; 404 for another organization's, as if it didn't exist. */
export const findTemplate = async (
  { store }: Pick<TemplatePorts, 'store'>,
  { organizationId }: Owner,
  id: Id<'emailTemplate'>,
): Promise<EmailTemplate | Refusal<'NOT_FOUND'>> => (await store.read(organizationId, id)) ?? notFound();

/** Updates the given fields (JSON Merge Patch). Concurrent changes of other fields are preserved; a change of nothing is no version. */
export const changeTemplate = async (
  ports: TemplateSavePorts,
  owner: Owner,
  id: Id<'emailTemplate'>,
  { text, ...change }: TemplateChange,
): Promise<EmailTemplate | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The template', async () => {
    const before = await findTemplate(ports, owner, id);
    if (isRefusal(before)) return before;
    const newText = text === undefined ? before.text : (text ?? undefined);
    const merged: EmailTemplate = { ...before, ...definedFields(change), text: newText };
    if (isSameValue(merged, before)) return before;
    const errors = validate(merged);
    if (errors.length > 0) return invalid(errors);
    const isUnchanged = merged.source === before.source && merged.format === before.format;
    const html = isUnchanged ? before.html : await compile(ports, merged.format, merged.source);
    if (isRefusal(html)) return html;
    const updatedAt = Math.max(ports.clock(), before.updatedAt + 1);
    const after: EmailTemplate = { ...merged, html, version: before.version + 1, updatedAt };
    const outcome = await ports.store.change(before, after);
    if (outcome.kind === 'saved') return after;
    return outcome.kind === 'conflict' ? CONFLICT : refusalOf(outcome);
  });

/** Deletes a template and frees its name. E-mails sent with it are kept. */
export const deleteTemplate = async (
  ports: Pick<TemplatePorts, 'store'>,
  owner: Owner,
  id: Id<'emailTemplate'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The template',
    () => findTemplate(ports, owner, id),
    (template) => ports.store.remove(template),
  );

/** A template with its placeholders filled. */
export interface RenderedTemplate {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/**
 * Renders a template: a missing variable takes its example, else nothing. Values are escaped in HTML and cannot break the subject's line.
 * 422 if the result would be too large (docs/spec/email-templates.md#filling-a-template).
 */
export const renderTemplate = (
  template: Pick<EmailTemplate, 'subject' | 'variables'> & Pick<TemplateContents, 'html' | 'text'>,
  given: Readonly<Record<string, TemplateValue>>,
): RenderedTemplate | Refusal<'VALIDATION_ERROR'> => {
  const data = { declared: template.variables, given };
  const subject = fillPlaceholders(template.subject, 'line', data, MAX_RENDERED);
  const html = fillPlaceholders(template.html, 'html', data, MAX_RENDERED);
  const text = template.text === undefined ? undefined : fillPlaceholders(template.text, 'text', data, MAX_RENDERED);
  const tooLarge = subject === undefined || html === undefined || (template.text !== undefined && text === undefined);
  return tooLarge
    ? invalid([{ path: 'variables', message: `make a part of more than ${MAX_RENDERED} characters` }])
    : { subject, html, text: text ?? textFromHtml(html) };
};

/** Fills a template of the caller's organization, by its id. */
export const renderOwn = async (
  ports: Pick<TemplatePorts, 'store'>,
  owner: Owner,
  id: Id<'emailTemplate'>,
  given: Readonly<Record<string, TemplateValue>>,
): Promise<RenderedTemplate | Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const found = await findTemplate(ports, owner, id);
  return isRefusal(found) ? found : renderTemplate(found, given);
};

/**
 * Renders a saved template by id or name; undefined if it doesn't exist. `subject` overrides the template's and has its placeholders filled
 * too.
 */
export const renderSavedTemplate = async (
  { store }: Pick<TemplatePorts, 'store'>,
  organizationId: Id<'organization'>,
  idOrName: string,
  given: Readonly<Record<string, TemplateValue>>,
  subject?: string | undefined,
): Promise<
  (RenderedTemplate & { readonly templateId: Id<'emailTemplate'> }) | Refusal<'VALIDATION_ERROR'> | undefined
> => {
  const id = asId('emailTemplate', idOrName) ?? (await store.named(organizationId, idOrName));
  const template = id === undefined ? undefined : await store.read(organizationId, id);
  if (!template) return undefined;
  const rendered = renderTemplate({ ...template, subject: subject ?? template.subject }, given);
  return isRefusal(rendered) ? rendered : { ...rendered, templateId: template.id };
};
