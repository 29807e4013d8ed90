import * as z from 'zod';
import {
  TEMPLATE_CATEGORIES,
  TEMPLATE_LANGUAGES,
  TEMPLATE_STATUSES,
  type TemplateOutcome,
  type TemplateStore,
  type WhatsappTemplate,
} from '../domain/templates/template.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import { eventWrite } from './outbox.ts';
import type { Row, Table } from './table.ts';
import { atVersion, type CommitOutcome, commit, listPage } from './versioned.ts';

/** Templates that one organization may have: what the platform lets its largest accounts have. */
const MOST = 6_000;

const time = z.iso.datetime().transform((text) => Date.parse(text));
const templateRow = z.object({
  id: z.string(),
  org: z.string(),
  numberId: z.string(),
  wabaId: z.string(),
  name: z.string(),
  language: z.enum(TEMPLATE_LANGUAGES),
  category: z.enum(TEMPLATE_CATEGORIES),
  status: z.enum(TEMPLATE_STATUSES),
  /** JSON: what stands in them is the caller's, and comes back as it was sent. */
  components: z.string(),
  headerExampleUrl: z.string().optional(),
  platformTemplateId: z.string().optional(),
  rejectionReason: z.string().optional(),
  submittedFrom: z.enum(['draft', 'rejected']).optional(),
  archivedFrom: z.enum(TEMPLATE_STATUSES).optional(),
  heard: z.object({ at: z.int(), event: z.string() }).optional(),
  categoryHeard: z.object({ at: z.int(), event: z.string() }).optional(),
  wordsHeard: z.object({ at: z.int(), event: z.string() }).optional(),
  announced: z.string().optional(),
  contentVersion: z.int(),
  version: z.int(),
  createdAt: time,
  updatedAt: time,
});
const components = z.array(z.object({ type: z.string(), payload: z.unknown() }));

/** Reads a template's row; every field is checked. */
const parse = (row: Row): WhatsappTemplate => {
  const { org, contentVersion, version, components: packed, ...fields } = templateRow.parse(row);
  return {
    ...fields,
    organizationId: org,
    components: components.parse(JSON.parse(packed)),
    version: contentVersion,
    revision: version,
  } as unknown as WhatsappTemplate;
};

const rowOf = ({ organizationId: org, version: contentVersion, revision, ...template }: WhatsappTemplate) => {
  const createdAt = isoTime(template.createdAt);
  return {
    ...template,
    ...KEYS.template(template.id),
    ...FINDS.templatesOf(org, createdAt, template.id),
    org,
    components: JSON.stringify(template.components),
    contentVersion,
    version: revision,
    createdAt,
    updatedAt: isoTime(template.updatedAt),
  };
};

const nameKey = ({ organizationId, name, language, wabaId }: WhatsappTemplate) =>
  KEYS.templateName(organizationId, name, language, wabaId);
const nameWrite = (template: WhatsappTemplate): WriteOp => ({
  put: { ...nameKey(template), org: template.organizationId, templateId: template.id },
  when: { text: 'attribute_not_exists(#pk)' },
});
const freeName = (template: WhatsappTemplate): WriteOp => ({
  delete: nameKey(template),
  when: { text: '#templateId = :id', values: { id: template.id } },
});

/** The first of `also` is the name, where it is written at all; then comes the count. */
const outcomeOf = (outcome: CommitOutcome, named: boolean): TemplateOutcome => {
  if (outcome.kind !== 'refused') return outcome;
  if (named && outcome.at === 0) return { kind: 'taken', templateId: z.string().parse(outcome.row?.templateId) };
  return { kind: named ? 'full' : 'moved' };
};

/**
 * WhatsApp templates in the table of one stage: a row each, and one that makes name, language and account unique. `raised` is told the
 * ids of committed events, to hand them on early.
 */
export const templateStore = (table: Table, raised: (eventId: string) => void): TemplateStore => {
  const idsOf = async (organizationId: string, name: string): Promise<string[]> => {
    const partition = KEYS.templateName(organizationId, name, '', '').pk;
    const { rows } = await table.query({ partition, consistent: true });
    return rows.map(({ templateId }) => z.string().parse(templateId));
  };
  return {
    create: async (template) => {
      const count: WriteOp = {
        update: KEYS.organization(template.organizationId),
        add: { templates: 1 },
        when: {
          text: 'attribute_exists(#pk) AND (attribute_not_exists(#templates) OR #templates < :most)',
          values: { most: MOST },
        },
      };
      return outcomeOf(await commit(table, { row: rowOf(template), also: [nameWrite(template), count] }), true);
    },
    change: async (before, after, events = []) => {
      const renamed = nameKey(before).pk !== nameKey(after).pk || nameKey(before).sk !== nameKey(after).sk;
      const also = [...(renamed ? [nameWrite(after), freeName(before)] : []), ...events.map(eventWrite)];
      const outcome = outcomeOf(await commit(table, { row: rowOf(after), over: before.revision, also }), renamed);
      if (outcome.kind === 'saved') for (const { id } of events) raised(id);
      return outcome;
    },
    async remove(template) {
      const outcome = await table.transact([
        { delete: KEYS.template(template.id), when: atVersion(template.revision) },
        freeName(template),
        { update: KEYS.organization(template.organizationId), add: { templates: -1 } },
      ]);
      return outcome.ok;
    },
    async read(organizationId, id) {
      const row = await table.get(KEYS.template(id));
      return row && row.org === organizationId ? parse(row) : undefined;
    },
    async named(organizationId, name) {
      const ids = await idsOf(organizationId, name);
      const rows = await table.getMany(ids.map(KEYS.template), { consistent: true });
      return rows.flatMap((row) => (row && row.org === organizationId ? [parse(row)] : []));
    },
    async page(organizationId, { status, category, language, numberId }, page) {
      const partition = FINDS.templatesOf(organizationId, '', '').gsi1pk;
      const { rows, total } = await listPage(table, partition, { is: { status, category, language, numberId } }, page);
      return { items: rows.map(parse), total };
    },
  };
};
