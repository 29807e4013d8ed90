import type { Caller } from '../../../audit/entry.ts';
import type { Tenant } from '../../../core/actor.ts';
import { isRefusal, type Refusal, Unavailable } from '../../../core/errors.ts';
import { type Id, newId } from '../../../core/ids.ts';
import { type ListedTemplate, type MetaRefusal, metaRefusal } from '../numbers/meta-port.ts';
import type { WhatsappNumber } from '../numbers/number.ts';
import { type Connection, connectNumber, metaApiOf, syncNumber } from '../numbers/numbers.ts';
import { afterReview, categoryOf } from './review.ts';
import { TEMPLATE_LANGUAGES, type TemplateComponent, type TemplatePorts, type WhatsappTemplate } from './template.ts';
import { firstVersion, updateTemplate } from './templates.ts';

const CONCURRENCY = 8;
const NAME = /^[a-z0-9_]{1,512}$/;

type ImportedTemplate = Pick<WhatsappTemplate, 'name' | 'language' | 'category' | 'components'>;

/** Converts a listed template; undefined if this service doesn't support its language or category. */
const toImportedTemplate = ({ name, language, category, components }: ListedTemplate): ImportedTemplate | undefined => {
  const ours = TEMPLATE_LANGUAGES.find((each) => each === language.replace('_', '-'));
  const kind = categoryOf(category);
  if (!ours || !kind || !NAME.test(name)) return undefined;
  const parts = components.map(({ type, ...payload }): TemplateComponent => ({ type: type.toUpperCase(), payload }));
  return { name, language: ours, category: kind, components: parts };
};

/** Fingerprint of category and components, without examples: Meta lists media examples with a different URL each time. */
const contentFingerprint = ({ category, components }: Pick<ImportedTemplate, 'category' | 'components'>): string =>
  JSON.stringify([category, components.map(({ type, payload }) => [type.toUpperCase(), canonicalForm(payload)])]);
const canonicalForm = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonicalForm);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'example');
  return fields.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, canonicalForm(each)]);
};

/** Marks an existing verdict as announced, since it precedes the import. */
const announcedMark = (status: WhatsappTemplate['status'], version: number) =>
  status === 'approved' || status === 'rejected' ? { announced: `${status}#${version}` } : {};

const reasonOf = ({ status, reason }: ListedTemplate) =>
  status === 'rejected' ? { rejectionReason: reason ?? 'NONE' } : {};

/** Stores a new template. Does nothing if it was stored concurrently or the limit is reached. */
const storeNew = async (
  ports: TemplatePorts,
  number: WhatsappNumber,
  listed: ListedTemplate,
  known: ImportedTemplate,
) => {
  const { status, platformTemplateId } = listed;
  await ports.templates.create({
    ...known,
    ...firstVersion(number, ports.clock()),
    id: newId('template'),
    status,
    platformTemplateId,
    ...reasonOf(listed),
    ...announcedMark(status, 1),
  });
};

/** Updates a known template from Meta. Drafts are the caller's own work and stay. */
const refresh = (
  ports: TemplatePorts,
  owner: Tenant,
  id: Id<'template'>,
  listed: ListedTemplate,
  known: ImportedTemplate,
) =>
  updateTemplate(ports, owner, id, (before, now) => {
    if (before.status === 'draft') return undefined;
    const changed = contentFingerprint(before) !== contentFingerprint(known);
    const { platformTemplateId, status, reason } = listed;
    if (!changed && before.status === status && before.platformTemplateId === platformTemplateId) return undefined;
    const { category, components } = known;
    const version = before.version + 1;
    const contents = changed ? { category, components, version } : {};
    if (before.status !== status) {
      const { fields, events } = afterReview({ ...before, ...contents }, { status, reason }, owner.env, now);
      return { fields: { ...contents, ...fields, platformTemplateId }, events };
    }
    return { fields: { ...contents, ...(changed ? announcedMark(status, version) : {}), platformTemplateId } };
  });

const importOne = async (ports: TemplatePorts, owner: Tenant, number: WhatsappNumber, listed: ListedTemplate) => {
  const known = toImportedTemplate(listed);
  if (!known) return;
  const named = await ports.templates.named(owner.organizationId, known.name);
  const found = named.find(({ wabaId, language }) => wabaId === number.wabaId && language === known.language);
  if (found) await refresh(ports, owner, found.id, listed, known);
  else await storeNew(ports, number, listed, known);
};

type ImportRefusal = MetaRefusal | Refusal<'NOT_FOUND'>;

/**
 * Imports the templates of a number's business account from Meta (id, language, category, status, components), so that they can be found
 * and sent and their reviews followed. Idempotent; verdicts reached before the import raise no event. Templates in unsupported languages
 * are skipped. A refusal if Meta doesn't answer.
 */
const importTemplates = async (
  ports: TemplatePorts,
  owner: Tenant,
  number: WhatsappNumber,
): Promise<undefined | ImportRefusal> => {
  const metaApi = await metaApiOf(ports, owner.env, number);
  if (isRefusal(metaApi)) return metaApi;
  const listed = await metaApi.listTemplates(number.wabaId);
  if (listed.kind !== 'done') return metaRefusal(listed);
  for (let start = 0; start < listed.value.length; start += CONCURRENCY) {
    const some = listed.value.slice(start, start + CONCURRENCY);
    await Promise.all(some.map((each) => importOne(ports, owner, number, each)));
  }
  return undefined;
};

/** Connects a number and imports its account's templates. If the import fails the number stays connected; the next sync imports them. */
export const connectWithTemplates = async (
  ports: TemplatePorts,
  caller: Caller,
  connection: Connection,
): ReturnType<typeof connectNumber> => {
  const number = await connectNumber(ports, caller, connection);
  if (isRefusal(number)) return number;
  try {
    await importTemplates(ports, caller, number);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
  return number;
};

/** Refreshes a number's state and profile, and its account's templates, from Meta. */
export const syncWithTemplates = async (
  ports: TemplatePorts,
  owner: Tenant,
  id: Id<'number'>,
): ReturnType<typeof syncNumber> => {
  const number = await syncNumber(ports, owner, id);
  if (isRefusal(number)) return number;
  return (await importTemplates(ports, owner, number)) ?? number;
};
