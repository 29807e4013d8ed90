import * as z from 'zod';
import {
  TEMPLATE_CATEGORIES,
  TEMPLATE_LANGUAGES,
  TEMPLATE_STATUSES,
  type TemplateComponent,
  type TemplateOutcome,
  type TemplateStore,
  type WhatsappTemplate,
} from '../../domain/channels/whatsapp/templates/template.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { KEYS } from '../access-patterns.ts';
import { id, jsonText, time } from '../client/attributes.ts';
import { ABSENT, equal } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import { newestPageOf } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import { sharedRead } from '../client/shared-read.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readOwnRow } from '../read-row.ts';

/** Templates per organization: Meta's limit for its largest accounts. */
const MAX_TEMPLATES = 6_000;

const heard = z.object({ at: z.int(), event: z.string() }).optional();
const components = z.array(z.object({ type: z.string(), payload: z.unknown() }));
const templateRows = defineRow<WhatsappTemplate>()({
  attributes: {
    id: id('template'),
    organizationId: id('organization'),
    numberId: id('number'),
    wabaId: z.string(),
    name: z.string(),
    language: z.enum(TEMPLATE_LANGUAGES),
    category: z.enum(TEMPLATE_CATEGORIES),
    status: z.enum(TEMPLATE_STATUSES),
    components: jsonText((json): readonly TemplateComponent[] => components.parse(json)),
    headerExampleUrl: z.string().optional(),
    platformTemplateId: z.string().optional(),
    rejectionReason: z.string().optional(),
    submittedFrom: z.enum(['draft', 'rejected']).optional(),
    archivedFrom: z.enum(TEMPLATE_STATUSES).optional(),
    heard,
    categoryHeard: heard,
    wordsHeard: heard,
    announced: z.string().optional(),
    version: z.int(),
    revision: z.int(),
    createdAt: time,
    updatedAt: time,
  },
  // The attribute `version` counts every change, as `commit` expects.
  rename: { version: 'contentVersion', revision: 'version' },
  key: (template) => KEYS.template(template.id),
  index: (template) => INDEX_KEYS.templatesOf(template.organizationId, isoTime(template.createdAt), template.id),
});

const nameKey = ({ organizationId, name, language, wabaId }: WhatsappTemplate) =>
  KEYS.templateName(organizationId, name, language, wabaId);
const nameWrite = (template: WhatsappTemplate): WriteOp => ({
  put: { ...nameKey(template), org: template.organizationId, templateId: template.id },
  when: ABSENT,
});
const freeName = (template: WhatsappTemplate): WriteOp => ({
  delete: nameKey(template),
  when: { text: '#templateId = :id', values: { id: template.id } },
});

/** The first of `also` is the name, if it is written; then comes the count. */
const outcomeOf = (outcome: CommitOutcome, named: boolean): TemplateOutcome => {
  if (outcome.kind !== 'refused') return outcome;
  if (named && outcome.at === 0) return { kind: 'taken', templateId: id('template').parse(outcome.row?.templateId) };
  return { kind: named ? 'limit_reached' : 'conflict' };
};

/**
 * WhatsApp templates in the table of one stage: one row each, and one that makes name, language and account unique. `raised` receives
 * committed events, to publish them early.
 */
export const templateStore = (table: Table, raised: (event: DomainEvent) => void): TemplateStore => {
  const idsOf = async (organizationId: Id<'organization'>, name: string): Promise<Id<'template'>[]> => {
    const partition = KEYS.templateName(organizationId, name, '', '').pk;
    const { rows } = await sharedRead(table, partition, () => table.query({ partition, consistent: true }));
    return rows.map(({ templateId }) => id('template').parse(templateId));
  };
  return {
    create(template) {
      const limit = { organizationId: template.organizationId, counted: 'templates', max: MAX_TEMPLATES } as const;
      const save = async (count: WriteOp) => {
        const also = [nameWrite(template), count];
        return outcomeOf(await commit(table, { row: templateRows.write(template), also }), true);
      };
      return createWithin(table, limit, template.id, save, ({ kind }) => kind === 'limit_reached');
    },
    change: async (before, after, events = []) => {
      const renamed = nameKey(before).pk !== nameKey(after).pk || nameKey(before).sk !== nameKey(after).sk;
      const also = [...(renamed ? [nameWrite(after), freeName(before)] : []), ...events.map(eventWrite)];
      const outcome = outcomeOf(
        await commit(table, { row: templateRows.write(after), over: before.revision, also }),
        renamed,
      );
      if (outcome.kind === 'saved') for (const event of events) raised(event);
      return outcome;
    },
    async remove(template) {
      const outcome = await table.transact([
        { delete: KEYS.template(template.id), when: atVersion(template.revision) },
        freeName(template),
        countDown(template.organizationId, 'templates', template.id),
      ]);
      return outcome.ok;
    },
    read: (organizationId, id) => readOwnRow(table, organizationId, KEYS.template(id), templateRows.read),
    async named(organizationId, name) {
      const ids = await idsOf(organizationId, name);
      const rows = await table.getMany(ids.map(KEYS.template), { consistent: true });
      return rows.flatMap((row) => (row && row.org === organizationId ? [templateRows.read(row)] : []));
    },
    page(organizationId, { status, category, language, numberId }, page) {
      const partition = INDEX_KEYS.templatesOf(organizationId, '', '').gsi1pk;
      const range = { index: 'gsi1', partition, filter: equal({ status, category, language, numberId }) } as const;
      return newestPageOf(table, range, page, templateRows.read);
    },
  };
};
