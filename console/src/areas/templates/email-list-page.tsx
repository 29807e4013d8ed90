import { Button, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { EmailTemplatePage, EmailTemplateSummary } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Paging, useSkip } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { Kinds } from './kinds.tsx';
import { texts } from './texts.ts';

const LIMIT = 50;

const useColumns = (): readonly Column<EmailTemplateSummary>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    {
      key: 'name',
      title: t.columns.name,
      cell: ({ id, name }) => (
        <AppLink to={`/templates/email/${id}`} className="breakable">
          {name}
        </AppLink>
      ),
    },
    { key: 'subject', title: t.columns.subject, cell: ({ subject }) => <span className="breakable">{subject}</span> },
    { key: 'version', title: t.columns.version, alignEnd: true, cell: ({ version }) => format.number(version) },
    { key: 'updatedAt', title: t.columns.updatedAt, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

/** The e-mail templates. */
export default function EmailTemplatesPage() {
  const t = useTexts(texts);
  const may = useMay();
  const skip = useSkip(LIMIT);
  const columns = useColumns();
  const list = useQuery<EmailTemplatePage>({
    queryKey: ['email-templates', skip],
    queryFn: async ({ signal }) => api.emailTemplates.list({ skip, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
  const create = may('templates:write') ? (
    <Button component={Link} to="/templates/email/new">
      {t.create}
    </Button>
  ) : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Kinds here="email" />
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading /> : null}
      {list.data ? (
        <Stack>
          {list.data.items.length > 0 ? (
            <DataTable caption={t.title} columns={columns} rows={list.data.items} keyOf={({ id }) => id} />
          ) : (
            <EmptyState icon={Mail} title={t.emailEmptyTitle}>
              {t.emailEmpty}
            </EmptyState>
          )}
          <Paging limit={LIMIT} total={list.data.total} />
        </Stack>
      ) : null}
    </Page>
  );
}
