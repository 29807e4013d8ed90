import { Button, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { CompaniesListQuery, CompanyItem, CompanyPage } from '../../sdk.ts';
import { useAmount } from '../../ui/amount.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues, useSearchValues } from '../../ui/filters.tsx';
import { useMembers } from '../../ui/members.tsx';
import { Page } from '../../ui/page.tsx';
import { Paging, useSkip } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { maskCnpj } from './cnpj.ts';
import { CreateCompanyDialog, useDefinitions } from './company-dialogs.tsx';
import { texts } from './texts.ts';

const LIMIT = 50;

const useFields = (): readonly FilterField[] => {
  const t = useTexts(texts);
  const members = useMembers();
  return useMemo(() => {
    const choices = members.map(({ id, name }) => ({ value: id, label: name }));
    return [{ name: 'responsavelId', label: t.responsavelId, kind: 'choice', choices }];
  }, [t, members]);
};

const useColumns = (): readonly Column<CompanyItem>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  const amount = useAmount();
  return [
    {
      key: 'nome',
      title: t.nome,
      cell: ({ id, nome }) => (
        <AppLink to={`/companies/${id}`} className="breakable">
          {nome}
        </AppLink>
      ),
    },
    { key: 'cnpj', title: t.cnpj, cell: ({ cnpj }) => (cnpj ? maskCnpj(cnpj) : '—') },
    { key: 'contatos', title: t.contatos, alignEnd: true, cell: ({ contagens }) => format.number(contagens.contatos) },
    {
      key: 'negocios',
      title: t.negociosAbertos,
      alignEnd: true,
      cell: ({ contagens }) => format.number(contagens.negociosAbertos),
    },
    { key: 'valor', title: t.valorAberto, alignEnd: true, cell: ({ contagens }) => amount(contagens.valorAberto) },
    {
      key: 'ultimaInteracao',
      title: t.ultimaInteracao,
      cell: ({ contagens }) => <Time at={contagens.ultimaInteracao ?? undefined} relative />,
    },
  ];
};

const PageActions = ({ onCreate }: { readonly onCreate: (() => void) | undefined }) => {
  const t = useTexts(texts);
  const may = useMay();
  return (
    <>
      <Button component={Link} to="/companies/attributes" variant="default">
        {t.attributes}
      </Button>
      {may('crm:write') ? (
        <>
          <Button component={Link} to="/companies/import" variant="default">
            {t.importTitle}
          </Button>
          <Button disabled={!onCreate} onClick={onCreate}>
            {t.create}
          </Button>
        </>
      ) : null}
    </>
  );
};

/** The companies, by their names. */
export default function CompaniesPage() {
  const t = useTexts(texts);
  const fields = useFields();
  const chosen = useFilterValues(fields);
  const [{ q }] = useSearchValues();
  const filters: CompaniesListQuery = { ...chosen, ...(q ? { q } : {}) };
  const skip = useSkip(LIMIT);
  const columns = useColumns();
  const definitions = useDefinitions();
  const [creating, setCreating] = useState(false);
  const list = useQuery<CompanyPage>({
    queryKey: ['companies', filters, skip],
    queryFn: async ({ signal }) => api.companies.list({ ...filters, skip, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={<PageActions onCreate={definitions.data ? () => setCreating(true) : undefined} />}
    >
      <SearchField label={t.q} busy={list.isPlaceholderData} />
      <Filters fields={fields} label={t.filters} />
      <ProblemView error={list.error ?? definitions.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading rows={8} /> : null}
      {list.data ? (
        <Stack>
          {list.data.items.length > 0 ? (
            <DataTable caption={t.title} columns={columns} rows={list.data.items} keyOf={({ id }) => id} />
          ) : (
            <EmptyState icon={Building2} title={t.emptyTitle}>
              {Object.keys(filters).length > 0 ? t.emptyFiltered : t.empty}
            </EmptyState>
          )}
          <Paging limit={LIMIT} total={list.data.total} />
        </Stack>
      ) : null}
      {creating && definitions.data ? (
        <CreateCompanyDialog definitions={definitions.data} onClose={() => setCreating(false)} />
      ) : null}
    </Page>
  );
}
