import * as z from 'zod';
import {
  type EmailTemplate,
  type SaveOutcome,
  TEMPLATE_FORMATS,
  type TemplateContents,
  type TemplateStore,
  type TemplateSummary,
} from '../../domain/channels/email/template.ts';
import { foldText } from '../../domain/core/fold-text.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { PageRequest } from '../../domain/message/lists.ts';
import { readCount } from '../access/counters.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { KEYS } from '../access-patterns.ts';
import { id, packedJson, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import { newestPage } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';

/** Templates per organization: a search by name reads the summary of each. */
const MAX_TEMPLATES = 1_000;
/** Maximum size of the compressed contents, in bytes: a row of the table holds 400 KB in all. */
const MAX_PACKED = 350 * 1024;
/** Maximum size of unpacked contents, in bytes: above anything that is ever packed. */
const MAX_UNPACKED = 16 * 1024 * 1024;

const summaryRows = defineRow<TemplateSummary>()({
  attributes: {
    id: id('emailTemplate'),
    organizationId: id('organization'),
    name: z.string(),
    subject: z.string(),
    format: z.enum(TEMPLATE_FORMATS),
    variables: z.array(
      z.object({ name: z.string(), example: z.string().optional(), description: z.string().optional() }),
    ),
    version: z.int(),
    createdAt: time,
    updatedAt: time,
  },
  key: (template) => KEYS.emailTemplate(template.id),
  index: ({ id, organizationId, createdAt }) => INDEX_KEYS.emailTemplatesOf(organizationId, isoTime(createdAt), id),
});

/** `html` is absent when it equals the source. */
const storedContents = z.object({ source: z.string(), html: z.string().optional(), text: z.string().optional() });
const contents = packedJson(
  MAX_UNPACKED,
  (json): TemplateContents => {
    const { source, html = source, text } = storedContents.parse(json);
    return { source, html, text };
  },
  ({ source, html, text }) => ({ source, ...(html === source ? {} : { html }), text }),
);
interface StoredContents {
  readonly organizationId: Id<'organization'>;
  readonly contents: TemplateContents;
}
const contentRows = defineRow<StoredContents>()({
  attributes: { organizationId: id('organization'), contents },
  rename: { contents: 'packed' },
  key: (_, templateId: Id<'emailTemplate'>) => KEYS.emailTemplateContent(templateId),
});

const nameKey = ({ organizationId, name }: TemplateSummary) =>
  KEYS.emailTemplateName(organizationId, name.normalize('NFC'));
const nameWrite = (template: TemplateSummary): WriteOp => ({
  put: { ...nameKey(template), org: template.organizationId, templateId: template.id },
  when: ABSENT,
});
const freeName = (template: TemplateSummary): WriteOp => ({
  delete: nameKey(template),
  when: { text: '#templateId = :id', values: { id: template.id } },
});

/** `also` starts with the contents, then the name if it is written; a failure of a later write is `otherwise`. */
const outcomeOf = (outcome: CommitOutcome, otherwise: SaveOutcome): SaveOutcome => {
  if (outcome.kind !== 'refused') return outcome;
  if (outcome.at > 1) return otherwise;
  return { kind: 'taken', templateId: id('emailTemplate').parse(outcome.row?.templateId) };
};

/** E-mail templates in the table of one stage: a summary, its contents in a row of their own, and a row that makes the name unique. */
export const emailTemplateStore = (table: Table): TemplateStore => {
  const save = async (
    template: EmailTemplate,
    over: number | undefined,
    also: readonly WriteOp[],
    otherwise: SaveOutcome,
  ): Promise<SaveOutcome> => {
    const { id, organizationId, source, html, text } = template;
    const content = contentRows.write({ organizationId, contents: { source, html, text } }, id);
    if (content.packed.byteLength > MAX_PACKED) return { kind: 'too_large' };
    const row = summaryRows.write(template);
    return outcomeOf(await commit(table, { row, over, also: [{ put: content }, ...also] }), otherwise);
  };
  const summaries = async (organizationId: Id<'organization'>, page: PageRequest): Promise<TemplateSummary[]> => {
    const partition = INDEX_KEYS.emailTemplatesOf(organizationId, '', '').gsi1pk;
    return (await newestPage(table, { index: 'gsi1', partition }, page)).map(summaryRows.read);
  };
  return {
    create(template) {
      const limit = { organizationId: template.organizationId, counted: 'emailTemplates', max: MAX_TEMPLATES } as const;
      const create = (count: WriteOp) =>
        save(template, undefined, [nameWrite(template), count], { kind: 'limit_reached' });
      return createWithin(table, limit, template.id, create, ({ kind }) => kind === 'limit_reached');
    },
    change(before, after) {
      const names = nameKey(before).pk === nameKey(after).pk ? [] : [nameWrite(after), freeName(before)];
      return save(after, before.version, names, { kind: 'conflict' });
    },
    async remove(template) {
      const { id, organizationId, version } = template;
      const outcome = await table.transact([
        { delete: KEYS.emailTemplate(id), when: atVersion(version) },
        { delete: KEYS.emailTemplateContent(id) },
        freeName(template),
        countDown(organizationId, 'emailTemplates', id),
      ]);
      return outcome.ok;
    },
    async read(organizationId, id) {
      const { rows } = await table.query({ partition: KEYS.emailTemplate(id).pk, consistent: true });
      const rowAt = ({ sk }: { sk: string }) => rows.find((row) => row.sk === sk && row.org === organizationId);
      const [summary, content] = [rowAt(KEYS.emailTemplate(id)), rowAt(KEYS.emailTemplateContent(id))];
      return summary && content ? { ...summaryRows.read(summary), ...contentRows.read(content).contents } : undefined;
    },
    named: (organizationId, name) =>
      readRow(table, KEYS.emailTemplateName(organizationId, name.normalize('NFC')), ({ templateId }) =>
        id('emailTemplate').parse(templateId),
      ),
    async page(organizationId, q, { skip, limit }) {
      if (q === undefined) {
        const [items, total] = await Promise.all([
          summaries(organizationId, { skip, limit }),
          readCount(table, organizationId, 'emailTemplates'),
        ]);
        return { items, total };
      }
      const wanted = foldText(q);
      const all = await summaries(organizationId, { skip: 0, limit: MAX_TEMPLATES });
      const found = all.filter(({ name }) => foldText(name).includes(wanted));
      return { items: found.slice(skip, skip + limit), total: found.length };
    },
  };
};
