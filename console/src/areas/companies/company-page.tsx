import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Company, CompanyAttributeDefinition } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import { attributeText } from '../../ui/attributes.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { MemberName } from '../../ui/members.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { AppLink, Fact, Facts, Time } from '../../ui/values.tsx';
import { maskCnpj } from './cnpj.ts';
import { DeleteCompanyDialog, EditCompanyDialog, useDefinitions } from './company-dialogs.tsx';
import { CompanyCards, CompanyContacts, CompanyMessages, useCompanyCards } from './company-lists.tsx';
import { texts } from './texts.ts';

const Counts = ({ contagens }: Pick<Company, 'contagens'>) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <>
      <Fact name={t.contatos}>{format.number(contagens.contatos)}</Fact>
      <Fact name={t.negociosAbertos}>{format.number(contagens.negociosAbertos)}</Fact>
      <Fact name={t.valorAberto}>
        <span title={t.notConverted}>
          <Amount value={contagens.valorAberto} />
        </span>
      </Fact>
      <Fact name={t.negociosGanhos}>{format.number(contagens.negociosGanhos)}</Fact>
      <Fact name={t.valorGanho}>
        <span title={t.notConverted}>
          <Amount value={contagens.valorGanho} />
        </span>
      </Fact>
      <Fact name={t.ultimaInteracao}>
        <Time at={contagens.ultimaInteracao ?? undefined} relative />
      </Fact>
    </>
  );
};

/** An address that was stored leads nowhere but to the web. */
const Site = ({ site }: { readonly site: string }) =>
  /^https?:\/\//i.test(site) ? (
    <a href={site} target="_blank" rel="noreferrer noopener">
      {site}
    </a>
  ) : (
    site
  );

interface FactListProps {
  readonly company: Company;
  readonly definitions: readonly CompanyAttributeDefinition[];
}

const FactList = ({ company, definitions }: FactListProps) => {
  const t = useTexts(texts);
  const { cnpj, segmento, site, endereco, responsavelId, contatoPrincipalId, atributos = {}, contagens } = company;
  const labels = new Map(definitions.map(({ key, label }) => [key, label ?? key]));
  const optional: readonly (readonly [string, ReactNode])[] = [
    [t.cnpj, cnpj && maskCnpj(cnpj)],
    [t.segmento, segmento],
    [t.site, site && <Site site={site} />],
    [t.endereco, endereco],
    [t.responsavelId, responsavelId && <MemberName id={responsavelId} />],
    [
      t.contatoPrincipalId,
      contatoPrincipalId && <AppLink to={`/contacts/${contatoPrincipalId}`}>{contatoPrincipalId}</AppLink>,
    ],
    ...Object.entries(atributos).map(([key, value]) => [labels.get(key) ?? key, attributeText(value)] as const),
  ];
  return (
    <Stack>
      <Facts>
        <Counts contagens={contagens} />
      </Facts>
      <Facts>
        {optional.map(([name, value], index) =>
          value ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: an attribute may be called as a field is.
            <Fact key={`${index} ${name}`} name={name}>
              {value}
            </Fact>
          ) : null,
        )}
        <Fact name={t.createdAt}>
          <Time at={company.createdAt} />
        </Fact>
        <Fact name={t.createdById}>
          <MemberName id={company.createdById} />
        </Fact>
        <Fact name={t.updatedAt}>
          <Time at={company.updatedAt} />
        </Fact>
        <Fact name="ID">
          <CopyText text={company.id} />
        </Fact>
      </Facts>
    </Stack>
  );
};

const CompanyActions = ({ company, definitions }: FactListProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const cards = useCompanyCards(company.id);
  const [action, setAction] = useState<'edit' | 'remove'>();
  const close = () => setAction(undefined);
  return (
    <>
      {may('crm:write') ? <Button onClick={() => setAction('edit')}>{t.edit}</Button> : null}
      {may('crm:delete') ? (
        <Button variant="default" disabled={!cards.data} onClick={() => setAction('remove')}>
          {t.remove}
        </Button>
      ) : null}
      {action === 'edit' ? <EditCompanyDialog company={company} definitions={definitions} onClose={close} /> : null}
      {action === 'remove' && cards.data ? (
        <DeleteCompanyDialog company={company} cards={cards.data.total} onClose={close} />
      ) : null}
    </>
  );
};

/** A company: what is known of it, who works there, what is dealt with it, and what was written lately. */
export default function CompanyPage() {
  const t = useTexts(texts);
  const may = useMay();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const definitions = useDefinitions();
  const company = useQuery({
    queryKey: ['company', id],
    queryFn: ({ signal }) => api.companies.get(id, { signal }),
  });
  const known = company.data && definitions.data ? { company: company.data, definitions: definitions.data } : undefined;
  return (
    <Page title={company.data?.nome ?? t.company} actions={known ? <CompanyActions {...known} /> : null}>
      <ProblemView error={company.error ?? definitions.error} onRetry={() => void company.refetch()} />
      {known || company.error || definitions.error ? null : <Loading />}
      {known ? (
        <Stack gap="xl">
          <FactList {...known} />
          <Section title={t.contatos}>
            {may('contacts:read') ? <CompanyContacts id={id} /> : <Text size="sm">—</Text>}
          </Section>
          <Section title={t.cards}>
            <CompanyCards id={id} />
          </Section>
          <Section title={t.messages}>
            {may('messages:read') ? <CompanyMessages id={id} /> : <Text size="sm">—</Text>}
          </Section>
        </Stack>
      ) : null}
    </Page>
  );
}
