import { isRefusal, type Refusal, Unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import type { WhatsappNumber } from '../numbers/number.ts';
import { type Connection, connectNumber, platformOf, syncNumber } from '../numbers/numbers.ts';
import { type ListedTemplate, type PlatformRefusal, platformRefusal } from '../numbers/platform.ts';
import { categoryOf, reviewed } from './review.ts';
import { TEMPLATE_LANGUAGES, type TemplateComponent, type TemplatePorts, type WhatsappTemplate } from './template.ts';
import { type Owner, updateTemplate } from './templates.ts';

/** How many templates are written at once. */
const AT_ONCE = 8;
const NAME = /^[a-z0-9_]{1,512}$/;

type Known = Pick<WhatsappTemplate, 'name' | 'language' | 'category' | 'components'>;

/** A listed template in our words; undefined for one in a language or of a category that this service does not have. */
const knownOf = ({ name, language, category, components }: ListedTemplate): Known | undefined => {
  const ours = TEMPLATE_LANGUAGES.find((each) => each === language.replace('_', '-'));
  const kind = categoryOf(category);
  if (!ours || !kind || !NAME.test(name)) return undefined;
  const parts = components.map(({ type, ...payload }): TemplateComponent => ({ type: type.toUpperCase(), payload }));
  return { name, language: ours, category: kind, components: parts };
};

/** What a template says. Examples do not count: the platform shows those of media at another address at every call. */
const sayingOf = ({ category, components }: Pick<Known, 'category' | 'components'>): string =>
  JSON.stringify([category, components.map(({ type, payload }) => [type.toUpperCase(), sorted(payload)])]);
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'example');
  return fields.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, sorted(each)]);
};

/** The mark of a verdict that was reached before we knew the template: it is no news. */
const announcedOf = (status: WhatsappTemplate['status'], version: number) =>
  status === 'approved' || status === 'rejected' ? { announced: `${status}#${version}` } : {};

const reasonOf = ({ status, reason }: ListedTemplate) =>
  status === 'rejected' ? { rejectionReason: reason ?? 'NONE' } : {};

/** Keeps a template that nobody here knew. Whoever was quicker, or a full organization, leaves it out. */
const keepNew = async (ports: TemplatePorts, number: WhatsappNumber, listed: ListedTemplate, known: Known) => {
  const now = ports.clock();
  const { status, platformTemplateId } = listed;
  await ports.templates.create({
    ...known,
    id: newId('template'),
    organizationId: number.organizationId,
    numberId: number.id,
    wabaId: number.wabaId,
    status,
    platformTemplateId,
    ...reasonOf(listed),
    ...announcedOf(status, 1),
    version: 1,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  });
};

/** Brings a template that is known to what the platform has. A draft is the caller's own work and stays. */
const refresh = (ports: TemplatePorts, owner: Owner, id: string, listed: ListedTemplate, known: Known) =>
  updateTemplate(ports, owner, id, (before, now) => {
    if (before.status === 'draft') return undefined;
    const changed = sayingOf(before) !== sayingOf(known);
    const { platformTemplateId, status, reason } = listed;
    if (!changed && before.status === status && before.platformTemplateId === platformTemplateId) return undefined;
    const { category, components } = known;
    const version = before.version + 1;
    const contents = changed ? { category, components, version } : {};
    if (before.status !== status) {
      const { fields, events } = reviewed({ ...before, ...contents }, { status, reason }, owner.env, now);
      return { fields: { ...contents, ...fields, platformTemplateId }, events };
    }
    return { fields: { ...contents, ...(changed ? announcedOf(status, version) : {}), platformTemplateId } };
  });

const importOne = async (ports: TemplatePorts, owner: Owner, number: WhatsappNumber, listed: ListedTemplate) => {
  const known = knownOf(listed);
  if (!known) return;
  const named = await ports.templates.named(owner.organizationId, known.name);
  const found = named.find(({ wabaId, language }) => wabaId === number.wabaId && language === known.language);
  if (found) await refresh(ports, owner, found.id, listed, known);
  else await keepNew(ports, number, listed, known);
};

type ImportRefusal = PlatformRefusal | Refusal<'NOT_FOUND'>;

/**
 * Keeps what the business account of a number already has on the platform: id, language, category, status and components, so that they
 * can be found and sent, and follow their reviews from then on. Repeats change only what has moved; a verdict of before is no event.
 * Templates in other languages than ours are left out. A platform that does not answer is a refusal.
 */
const importTemplates = async (
  ports: TemplatePorts,
  owner: Owner,
  number: WhatsappNumber,
): Promise<undefined | ImportRefusal> => {
  const platform = await platformOf(ports, owner.env, number);
  if (isRefusal(platform)) return platform;
  const listed = await platform.listTemplates(number.wabaId);
  if (listed.kind !== 'done') return platformRefusal(listed);
  for (let start = 0; start < listed.value.length; start += AT_ONCE) {
    const some = listed.value.slice(start, start + AT_ONCE);
    await Promise.all(some.map((each) => importOne(ports, owner, number, each)));
  }
  return undefined;
};

/** Connects a number and keeps the templates that its account has. What cannot be read just now, the next sync brings: the number is connected. */
export const connectWithTemplates = async (
  ports: TemplatePorts,
  owner: Owner,
  connection: Connection,
): ReturnType<typeof connectNumber> => {
  const number = await connectNumber(ports, owner, connection);
  if (isRefusal(number)) return number;
  try {
    await importTemplates(ports, owner, number);
  } catch (fault) {
    if (!(fault instanceof Unavailable)) throw fault;
  }
  return number;
};

/** Reads a number's state and profile, and the templates of its account, from the platform. */
export const syncWithTemplates = async (
  ports: TemplatePorts,
  owner: Owner,
  id: string,
): ReturnType<typeof syncNumber> => {
  const number = await syncNumber(ports, owner, id);
  if (isRefusal(number)) return number;
  return (await importTemplates(ports, owner, number)) ?? number;
};
