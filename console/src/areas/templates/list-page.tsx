import { LayoutTemplate } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Template, TemplatePage, TemplatesListQuery } from '../../sdk.ts';
import { type Column, nameColumn } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import { choiceFilter, Filters, useFilterValues } from '../../ui/filters.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { TemplatesPage } from './kinds.tsx';
import { LANGUAGES, TemplateStatus } from './template-status.tsx';
import { texts } from './texts.ts';

const useColumns = (): readonly Column<Template>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    nameColumn(t.columns.name, '/templates', 'name'),
    { key: 'status', title: t.columns.status, cell: ({ status }) => <TemplateStatus status={status} /> },
    { key: 'category', title: t.columns.category, cell: ({ category }) => t.categories[category] },
    { key: 'language', title: t.columns.language, cell: ({ language }) => language },
    { key: 'version', title: t.columns.version, alignEnd: true, cell: ({ version }) => format.number(version) },
    { key: 'updatedAt', title: t.columns.updatedAt, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

/** The WhatsApp templates, whose texts go out on other channels too. */
export default function WhatsappTemplatesPage() {
  const t = useTexts(texts);
  const fields = useMemo(() => {
    const languages = LANGUAGES.map((value) => ({ value, label: value }));
    return [
      choiceFilter('status', t.columns.status, choicesOf(t.statuses)),
      choiceFilter('category', t.columns.category, choicesOf(t.categories)),
      choiceFilter('language', t.columns.language, languages),
    ];
  }, [t]);
  const filters = useFilterValues(fields) as TemplatesListQuery;
  const list = usePagedList<TemplatePage, TemplatesListQuery>({
    queryKey: ['templates'],
    filters,
    read: (query, signal) => api.templates.list(query, { signal }),
  });
  return (
    <TemplatesPage kind="whatsapp">
      <Filters fields={fields} label={t.filters} />
      <PagedList
        query={list}
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(LayoutTemplate, t.emptyTitle, Object.keys(filters).length > 0 ? t.emptyFiltered : t.empty)}
      />
    </TemplatesPage>
  );
}
