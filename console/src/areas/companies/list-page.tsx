import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { CompaniesListQuery, CompanyItem, CompanyPage } from '../../sdk.ts';
import { useAmount } from '../../ui/amount.tsx';
import { type Column, nameColumn } from '../../ui/data-table.tsx';
import { choiceFilter, type FilterField, Filters, useFilterValues, useSearchValues } from '../../ui/filters.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { useMembers } from '../../ui/members.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { maskCnpj } from './cnpj.ts';
import { CreateCompanyDialog, useDefinitions } from './company-dialogs.tsx';
import { texts } from './texts.ts';

const useFields = (): readonly FilterField[] => {
  const t = useTexts(texts);
  const members = useMembers();
  return useMemo(() => {
    const choices = members.map(({ id, name }) => ({ value: id, label: name }));
    return [choiceFilter('responsavelId', t.responsavelId, choices)];
  }, [t, members]);
};

const useColumns = (): readonly Column<CompanyItem>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  const amount = useAmount();
  return [
    nameColumn(t.nome, '/companies', 'nome'),
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
  const isFiltered = Object.keys(filters).length > 0;
  const definitions = useDefinitions();
  const [creating, setCreating] = useState(false);
  const list = usePagedList<CompanyPage, CompaniesListQuery>({
    queryKey: ['companies'],
    filters,
    read: (query, signal) => api.companies.list(query, { signal }),
  });
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={<PageActions onCreate={definitions.data ? () => setCreating(true) : undefined} />}
    >
      <SearchField label={t.q} busy={list.isPlaceholderData} />
      <Filters fields={fields} label={t.filters} />
      <ProblemView error={definitions.error} onRetry={() => void definitions.refetch()} />
      <PagedList
        query={list}
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(Building2, t.emptyTitle, isFiltered ? t.emptyFiltered : t.empty)}
      />
      {creating && definitions.data ? (
        <CreateCompanyDialog definitions={definitions.data} onClose={() => setCreating(false)} />
      ) : null}
    </Page>
  );
}
