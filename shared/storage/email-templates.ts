import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import {
  type EmailTemplate,
  type SaveOutcome,
  TEMPLATE_FORMATS,
  type TemplateContents,
  type TemplateStore,
  type TemplateSummary,
} from '../domain/email/template.ts';
import { randomBase62 } from '../domain/ids.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import { fullRows, pageKeys } from './pages.ts';
import type { CancelReason, Row, Table } from './table.ts';

/** Templates that one organization may have: a search by name reads every one's summary. */
const MOST = 1_000;
/** The most that the compressed contents may take, in bytes: a row of the table holds 400 KB of everything. */
const MOST_PACKED = 350 * 1024;
/** The most that contents may take when they are unpacked, in bytes: beyond everything that was ever packed. */
const MOST_UNPACKED = 16 * 1024 * 1024;

const time = z.iso.datetime().transform((text) => Date.parse(text));
const summaryRow = z.object({
  id: z.string(),
  org: z.string(),
  name: z.string(),
  subject: z.string(),
  format: z.enum(TEMPLATE_FORMATS),
  variables: z.array(
    z.object({ name: z.string(), example: z.string().optional(), description: z.string().optional() }),
  ),
  version: z.int(),
  createdAt: time,
  updatedAt: time,
});
const contentRow = z.object({ packed: z.instanceof(Uint8Array) });
/** `html` is left out where it is the source itself. */
const contents = z.object({ source: z.string(), html: z.string().optional(), text: z.string().optional() });

const parseSummary = (row: Row): TemplateSummary => {
  const { org, ...fields } = summaryRow.parse(row);
  return { ...fields, organizationId: org } as unknown as TemplateSummary;
};

const pack = ({ source, html, text }: TemplateContents): Uint8Array =>
  gzipSync(JSON.stringify({ source, ...(html === source ? {} : { html }), text }));
const unpack = (row: Row): TemplateContents => {
  const { packed } = contentRow.parse(row);
  const {
    source,
    html = source,
    text,
  } = contents.parse(JSON.parse(gunzipSync(packed, { maxOutputLength: MOST_UNPACKED }).toString('utf8')));
  return { source, html, text };
};

/** `mark` is the save's own: by it a save knows that it was committed though its answer was lost. */
const summaryOf = (template: TemplateSummary, mark: string) => {
  const { id, organizationId: org, name, subject, format, variables, version } = template;
  const createdAt = isoTime(template.createdAt);
  return {
    ...KEYS.emailTemplate(id),
    ...FINDS.emailTemplatesOf(org, createdAt, id),
    id,
    org,
    name,
    subject,
    format,
    variables,
    version,
    mark,
    createdAt,
    updatedAt: isoTime(template.updatedAt),
  };
};

const ABSENT = { text: 'attribute_not_exists(#pk)' } as const;
const nameKey = ({ organizationId, name }: TemplateSummary) =>
  KEYS.emailTemplateName(organizationId, name.normalize('NFC'));

type Part = 'summary' | 'contents' | 'name' | 'old name' | 'count';
type Named = { readonly part: Part; readonly write: WriteOp };

const nameWrite = (template: TemplateSummary): Named => ({
  part: 'name',
  write: { put: { ...nameKey(template), org: template.organizationId, templateId: template.id }, when: ABSENT },
});
const freeName = (template: TemplateSummary): Named => ({
  part: 'old name',
  write: { delete: nameKey(template), when: { text: '#templateId = :id', values: { id: template.id } } },
});
const contentsWrite = ({ id, organizationId: org }: TemplateSummary, packed: Uint8Array): Named => ({
  part: 'contents',
  write: { put: { ...KEYS.emailTemplateContent(id), org, packed } },
});

/** What a cancelled save means. */
const verdictOf = (mark: string, named: readonly Named[], reasons: readonly CancelReason[]): SaveOutcome => {
  const failed = (part: Part) => {
    const reason = reasons[named.findIndex((entry) => entry.part === part)];
    return reason?.conditionFailed ? reason : undefined;
  };
  const summary = failed('summary');
  if (summary) return { kind: summary.row?.mark === mark ? 'saved' : 'moved' };
  const name = failed('name');
  if (name) return { kind: 'taken', templateId: z.string().parse(name.row?.templateId) };
  return failed('count') ? { kind: 'full' } : { kind: 'moved' };
};

const atVersion = ({ version }: TemplateSummary) => ({ text: '#version = :version', values: { version } });
/** A text as a search compares it: without case or accents. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** E-mail templates in the table of one stage: a summary, its contents beside it, and a row that makes the name unique. */
export const emailTemplateStore = (table: Table): TemplateStore => {
  const save = async (
    after: EmailTemplate,
    writes: (packed: Uint8Array, mark: string) => readonly Named[],
  ): Promise<SaveOutcome> => {
    const packed = pack(after);
    if (packed.byteLength > MOST_PACKED) return { kind: 'too_large' };
    const mark = randomBase62(16);
    const named = writes(packed, mark);
    const outcome = await table.transact(named.map(({ write }) => write));
    return outcome.ok ? { kind: 'saved' } : verdictOf(mark, named, outcome.reasons);
  };
  const summaries = async (organizationId: string, skip: number, limit: number): Promise<TemplateSummary[]> => {
    const partition = FINDS.emailTemplatesOf(organizationId, '', '').gsi1pk;
    const keys = await pageKeys(table, { index: 'gsi1', partition, newestFirst: true }, skip, limit);
    return (await fullRows(table, keys)).map(parseSummary);
  };
  return {
    create: (template) =>
      save(template, (packed, mark) => [
        { part: 'summary', write: { put: summaryOf(template, mark), when: ABSENT } },
        contentsWrite(template, packed),
        nameWrite(template),
        {
          part: 'count',
          write: {
            update: KEYS.organization(template.organizationId),
            add: { emailTemplates: 1 },
            when: {
              text: 'attribute_exists(#pk) AND (attribute_not_exists(#emailTemplates) OR #emailTemplates < :most)',
              values: { most: MOST },
            },
          },
        },
      ]),
    change: (before, after) =>
      save(after, (packed, mark) => [
        { part: 'summary', write: { put: summaryOf(after, mark), when: atVersion(before) } },
        contentsWrite(after, packed),
        ...(nameKey(before).pk === nameKey(after).pk ? [] : [nameWrite(after), freeName(before)]),
      ]),
    async remove(template) {
      const { id, organizationId } = template;
      const outcome = await table.transact([
        { delete: KEYS.emailTemplate(id), when: atVersion(template) },
        { delete: KEYS.emailTemplateContent(id) },
        freeName(template).write,
        { update: KEYS.organization(organizationId), add: { emailTemplates: -1 } },
      ]);
      return outcome.ok;
    },
    async read(organizationId, id) {
      const { rows } = await table.query({ partition: KEYS.emailTemplate(id).pk, consistent: true });
      const rowAt = ({ sk }: { sk: string }) => rows.find((row) => row.sk === sk && row.org === organizationId);
      const [summary, content] = [rowAt(KEYS.emailTemplate(id)), rowAt(KEYS.emailTemplateContent(id))];
      return summary && content ? { ...parseSummary(summary), ...unpack(content) } : undefined;
    },
    async named(organizationId, name) {
      const row = await table.get(KEYS.emailTemplateName(organizationId, name.normalize('NFC')));
      return row && z.string().parse(row.templateId);
    },
    async page(organizationId, q, { skip, limit }) {
      if (q === undefined) {
        const [items, row] = await Promise.all([
          summaries(organizationId, skip, limit),
          table.get(KEYS.organization(organizationId), { only: ['emailTemplates'] }),
        ]);
        return { items, total: z.int().default(0).parse(row?.emailTemplates) };
      }
      const wanted = folded(q);
      const found = (await summaries(organizationId, 0, MOST)).filter(({ name }) => folded(name).includes(wanted));
      return { items: found.slice(skip, skip + limit), total: found.length };
    },
  };
};
