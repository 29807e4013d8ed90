import type { Actor } from '../actor.ts';
import { MOVED, removeOnce, untilStored } from '../contended.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../errors.ts';
import { isId, newId } from '../ids.ts';
import { subjectFault } from './address.ts';
import { textFromHtml } from './html-text.ts';
import { badPlaceholderLine, fill, type TemplateValue, type TemplateVariable } from './placeholders.ts';
import type {
  EmailTemplate,
  SaveOutcome,
  TemplateContents,
  TemplateFormat,
  TemplatePorts,
  TemplateSavePorts,
} from './template.ts';

/** The parsed body of a new template. */
export interface NewTemplate {
  readonly name: string;
  readonly subject: string;
  readonly format: TemplateFormat;
  readonly source: string;
  readonly text?: string | undefined;
  readonly variables?: readonly TemplateVariable[] | undefined;
}
/** The parsed body of a change; null clears. */
export interface TemplateChange {
  readonly name?: string | undefined;
  readonly subject?: string | undefined;
  readonly format?: TemplateFormat | undefined;
  readonly source?: string | undefined;
  readonly text?: string | null | undefined;
  readonly variables?: readonly TemplateVariable[] | undefined;
}

/** The longest MJML source, in characters: its compiler's time grows faster than the source. */
export const MJML_LENGTH = 100_000;
/** The most characters of what MJML is compiled to, and of each part of an e-mail that a template is filled into. */
const MOST_RENDERED = 2_000_000;
const MOST_FAULTS = 20;

type Fault = { readonly path: string; readonly message: string };
type Owner = Pick<Actor, 'organizationId'>;

const invalid = (errors: readonly Fault[]) =>
  refuse('VALIDATION_ERROR', { detail: 'The template breaks the contract.', errors: errors.slice(0, MOST_FAULTS) });
const absent = () => refuse('NOT_FOUND', 'There is no such template.');

/** What the shape of a body cannot tell; every fault at once. */
const faultsOf = ({ subject, source, text, variables = [] }: Omit<NewTemplate, 'format'>): Fault[] => {
  const faults: Fault[] = [];
  const wrongSubject = subjectFault(subject);
  if (wrongSubject) faults.push({ path: 'subject', message: wrongSubject });
  for (const [path, part] of Object.entries({ subject, source, text: text ?? '' })) {
    const line = badPlaceholderLine(part);
    if (line !== undefined)
      faults.push({
        path,
        message: `line ${line}: a placeholder is {{ and a variable's name and }}, and nothing else`,
      });
  }
  const seen = new Set<string>();
  for (const [at, { name }] of variables.entries()) {
    if (seen.has(name)) faults.push({ path: `variables.${at}.name`, message: 'is declared twice' });
    seen.add(name);
  }
  return faults;
};

const compiled = async (
  { compileMjml }: Pick<TemplateSavePorts, 'compileMjml'>,
  format: TemplateFormat,
  source: string,
): Promise<string | Refusal<'VALIDATION_ERROR'>> => {
  if (format === 'html') return source;
  if (source.length > MJML_LENGTH)
    return invalid([{ path: 'source', message: `must have at most ${MJML_LENGTH} characters in MJML` }]);
  const outcome = await compileMjml(source);
  if (outcome.kind === 'faulty')
    return invalid(
      outcome.faults.map(({ line, message }) => ({
        path: 'source',
        message: (line === undefined ? message : `line ${line}: ${message}`).slice(0, 200),
      })),
    );
  return outcome.html.length <= MOST_RENDERED
    ? outcome.html
    : invalid([{ path: 'source', message: `must compile to at most ${MOST_RENDERED} characters` }]);
};

const refusalOf = (
  outcome: Exclude<SaveOutcome, { kind: 'moved' | 'saved' }>,
): Refusal<'CONFLICT' | 'VALIDATION_ERROR'> => {
  switch (outcome.kind) {
    case 'taken':
      return refuse('CONFLICT', {
        detail: 'Another template has this name.',
        meta: { field: 'name', templateId: outcome.templateId },
      });
    case 'too_large':
      return invalid([{ path: 'source', message: 'is too large to be kept, with what it compiles to and the text' }]);
    case 'full':
      return refuse('CONFLICT', 'The organization has as many e-mail templates as it may have.');
  }
};

/** Saves a new template. MJML is compiled once, here. 409 for a name that another template of the organization has. */
export const createTemplate = async (
  ports: TemplateSavePorts,
  { organizationId }: Owner,
  wish: NewTemplate,
): Promise<EmailTemplate | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const faults = faultsOf(wish);
  if (faults.length > 0) return invalid(faults);
  const html = await compiled(ports, wish.format, wish.source);
  if (isRefusal(html)) return html;
  const now = ports.clock();
  const template: EmailTemplate = {
    ...wish,
    id: newId('emailTemplate'),
    organizationId,
    html,
    variables: wish.variables ?? [],
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  const outcome = await ports.store.create(template);
  if (outcome.kind === 'moved') throw new Unavailable('The template could not be stored.');
  return outcome.kind === 'saved' ? template : refusalOf(outcome);
};

/** A template of the caller's organization. Another's answers 404, exactly as one that never was. */
export const findTemplate = async (
  { store }: Pick<TemplatePorts, 'store'>,
  { organizationId }: Owner,
  id: string,
): Promise<EmailTemplate | Refusal<'NOT_FOUND'>> => (await store.read(organizationId, id)) ?? absent();

/** Changes what is given (JSON Merge Patch); others' changes of the same moment are kept beside it. */
export const changeTemplate = async (
  ports: TemplateSavePorts,
  owner: Owner,
  id: string,
  { text, ...change }: TemplateChange,
): Promise<EmailTemplate | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  return untilStored('The template', async () => {
    const before = await findTemplate(ports, owner, id);
    if (isRefusal(before)) return before;
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const merged: EmailTemplate = { ...before, ...given, text: text === undefined ? before.text : (text ?? undefined) };
    const faults = faultsOf(merged);
    if (faults.length > 0) return invalid(faults);
    const same = merged.source === before.source && merged.format === before.format;
    const html = same ? before.html : await compiled(ports, merged.format, merged.source);
    if (isRefusal(html)) return html;
    const updatedAt = Math.max(ports.clock(), before.updatedAt + 1);
    const after: EmailTemplate = { ...merged, html, version: before.version + 1, updatedAt };
    const outcome = await ports.store.change(before, after);
    if (outcome.kind === 'saved') return after;
    return outcome.kind === 'moved' ? MOVED : refusalOf(outcome);
  });
};

/** Deletes a template; its name is free again. E-mails that were sent with it stay. */
export const deleteTemplate = async (
  ports: Pick<TemplatePorts, 'store'>,
  owner: Owner,
  id: string,
): Promise<undefined | Refusal<'NOT_FOUND'>> => {
  return removeOnce(
    'The template',
    () => findTemplate(ports, owner, id),
    (template) => ports.store.remove(template),
  );
};

/** What a template comes to with values in the place of its placeholders. */
export interface RenderedTemplate {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/**
 * Fills a template (interface 4.5, rule 5): a variable that is not given takes its example, else nothing. Values are escaped in html, and
 * cannot break the subject's line. 422 when the result would be larger than an e-mail may be.
 */
export const renderTemplate = (
  template: Pick<EmailTemplate, 'subject' | 'variables'> & Pick<TemplateContents, 'html' | 'text'>,
  given: Readonly<Record<string, TemplateValue>>,
): RenderedTemplate | Refusal<'VALIDATION_ERROR'> => {
  const data = { declared: template.variables, given };
  const subject = fill(template.subject, 'line', data, MOST_RENDERED);
  const html = fill(template.html, 'html', data, MOST_RENDERED);
  const text = template.text === undefined ? undefined : fill(template.text, 'text', data, MOST_RENDERED);
  const tooLarge = subject === undefined || html === undefined || (template.text !== undefined && text === undefined);
  return tooLarge
    ? invalid([{ path: 'variables', message: `make a part of more than ${MOST_RENDERED} characters` }])
    : { subject, html, text: text ?? textFromHtml(html) };
};

/**
 * Fills the organization's template of this id or name; undefined when there is none. A `subject` stands in the place of its own and is
 * filled as that one is: no placeholder of either reaches an inbox.
 */
export const renderSaved = async (
  { store }: Pick<TemplatePorts, 'store'>,
  organizationId: string,
  idOrName: string,
  given: Readonly<Record<string, TemplateValue>>,
  subject?: string | undefined,
): Promise<RenderedTemplate | Refusal<'VALIDATION_ERROR'> | undefined> => {
  const id = isId('emailTemplate', idOrName) ? idOrName : await store.named(organizationId, idOrName);
  const template = id === undefined ? undefined : await store.read(organizationId, id);
  return template && renderTemplate({ ...template, subject: subject ?? template.subject }, given);
};
