import { Button, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LayoutTemplate } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Template, TemplatePage, TemplatesListQuery } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { Paging, useSkip } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { Kinds } from './kinds.tsx';
import { CATEGORIES, LANGUAGES, TEMPLATE_STATUSES, TemplateStatus } from './template-status.tsx';
import { texts } from './texts.ts';

const LIMIT = 50;

const useColumns = (): readonly Column<Template>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    {
      key: 'name',
      title: t.columns.name,
      cell: ({ id, name }) => (
        <AppLink to={`/templates/${id}`} className="breakable">
          {name}
        </AppLink>
      ),
    },
    { key: 'status', title: t.columns.status, cell: ({ status }) => <TemplateStatus status={status} /> },
    { key: 'category', title: t.columns.category, cell: ({ category }) => t.categories[category] },
    { key: 'language', title: t.columns.language, cell: ({ language }) => language },
    { key: 'version', title: t.columns.version, alignEnd: true, cell: ({ version }) => format.number(version) },
    { key: 'updatedAt', title: t.columns.updatedAt, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

const useFields = (): readonly FilterField[] => {
  const t = useTexts(texts);
  return useMemo(
    () => [
      {
        name: 'status',
        label: t.columns.status,
        kind: 'choice',
        choices: TEMPLATE_STATUSES.map((value) => ({ value, label: t.statuses[value] })),
      },
      {
        name: 'category',
        label: t.columns.category,
        kind: 'choice',
        choices: CATEGORIES.map((value) => ({ value, label: t.categories[value] })),
      },
      {
        name: 'language',
        label: t.columns.language,
        kind: 'choice',
        choices: LANGUAGES.map((value) => ({ value, label: value })),
      },
    ],
    [t],
  );
};

/** The WhatsApp templates, whose texts go out on other channels too. */
export default function TemplatesPage() {
  const t = useTexts(texts);
  const may = useMay();
  const skip = useSkip(LIMIT);
  const columns = useColumns();
  const fields = useFields();
  const filters = useFilterValues(fields) as TemplatesListQuery;
  const list = useQuery<TemplatePage>({
    queryKey: ['templates', filters, skip],
    queryFn: async ({ signal }) => api.templates.list({ ...filters, skip, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
  const create = may('templates:write') ? (
    <Button component={Link} to="/templates/new">
      {t.create}
    </Button>
  ) : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Kinds here="whatsapp" />
      <Filters fields={fields} label={t.filters} />
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading /> : null}
      {list.data ? (
        <Stack>
          {list.data.items.length > 0 ? (
            <DataTable caption={t.title} columns={columns} rows={list.data.items} keyOf={({ id }) => id} />
          ) : (
            <EmptyState icon={LayoutTemplate} title={t.emptyTitle}>
              {Object.keys(filters).length > 0 ? t.emptyFiltered : t.empty}
            </EmptyState>
          )}
          <Paging limit={LIMIT} total={list.data.total} />
        </Stack>
      ) : null}
    </Page>
  );
}
