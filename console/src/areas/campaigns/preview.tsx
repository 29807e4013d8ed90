import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { LOCALES, useLanguage, useTexts } from '../../app/texts.ts';
import type { CampaignPreview } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Coins, Fact, Facts } from '../../ui/values.tsx';
import { texts } from './texts.ts';

/** The effect of a start now; computed on request, since it reads the whole audience. */
export const usePreview = (id: string) =>
  useQuery({
    queryKey: ['campaign', id, 'preview'],
    queryFn: ({ signal }) => api.campaigns.preview(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Whom it reaches and what it costs. */
export const PreviewFigures = ({ preview }: { readonly preview: CampaignPreview }) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Stack gap="sm">
      <Facts>
        <Fact name={t.reach}>{format.number(preview.reach)}</Fact>
        <Fact name={t.price}>
          <Coins coins={preview.price.coins} />
        </Fact>
        <Fact name={t.wallet}>
          <Coins coins={preview.wallet.balanceCoins} />
        </Fact>
      </Facts>
      {preview.enough ? null : (
        <Alert color="yellow" variant="outline">
          {t.notEnough}
        </Alert>
      )}
      {preview.estimated ? <Text size="sm">{t.estimated}</Text> : null}
    </Stack>
  );
};

const EXCLUSIONS = ['optedOut', 'noAddress', 'sameAddress', 'frequencyCap', 'suppressed', 'maxCoins'] as const;

const Exclusions = ({ preview }: { readonly preview: CampaignPreview }) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <div>
      <Title order={3} size="h5">
        {t.left}
      </Title>
      <Facts>
        {EXCLUSIONS.map((reason) => {
          const count = preview.excluded[reason];
          if (count === undefined) return null;
          return (
            <Fact key={reason} name={t.excluded[reason]}>
              {format.number(count)}
            </Fact>
          );
        })}
      </Facts>
    </div>
  );
};

type Country = readonly [string, CampaignPreview['byCountry'][string]];

const Countries = ({ preview }: { readonly preview: CampaignPreview }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { language } = useLanguage();
  const names = new Intl.DisplayNames(LOCALES[language], { type: 'region', fallback: 'code' });
  const nameOf = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code);
  const rows = Object.entries(preview.byCountry);
  const columns: readonly Column<Country>[] = [
    { key: 'country', title: t.country, cell: ([code]) => nameOf(code) },
    {
      key: 'recipients',
      title: t.recipientsCount,
      alignEnd: true,
      cell: ([, { recipients }]) => format.number(recipients),
    },
    { key: 'coins', title: t.cost, alignEnd: true, cell: ([, { coins }]) => <Coins coins={coins} /> },
  ];
  if (rows.length === 0) return null;
  return (
    <div>
      <Title order={3} size="h5">
        {t.countries}
      </Title>
      <DataTable caption={t.countries} columns={columns} rows={rows} keyOf={([code]) => code} />
    </div>
  );
};

/** The values of a template whose text is not known. */
const Values = ({ of = {} }: { readonly of: CampaignPreview['samples'][number]['variables'] }) =>
  Object.entries(of).map(([name, value]) => (
    <Text key={name} size="xs" className="breakable">
      {name}: {String(value)}
    </Text>
  ));

const Samples = ({ preview }: { readonly preview: CampaignPreview }) => {
  const t = useTexts(texts);
  if (preview.samples.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t.samples}
      </Title>
      {preview.samples.map(({ contactId, channel, to, variant, subject, text, template, variables }) => (
        <Paper key={contactId} withBorder p="sm" maw="32rem">
          <Text size="xs" c="dimmed" className="breakable">
            {[channel, to, variant].filter(Boolean).join(' · ')}
          </Text>
          {subject ? (
            <Text size="sm" fw={600} className="breakable">
              {subject}
            </Text>
          ) : null}
          <Text size="sm" className="breakable" data-sample>
            {text ?? template}
          </Text>
          {text === undefined ? <Values of={variables} /> : null}
        </Paper>
      ))}
    </Stack>
  );
};

/** The effect of a start now, as exactly as possible. */
export const Preview = ({ id }: { readonly id: string }) => {
  const t = useTexts(texts);
  const { data, error, isFetching, isPending, refetch } = usePreview(id);
  return (
    <Stack component="section" aria-label={t.preview}>
      <Group justify="space-between">
        <div>
          <Title order={2} size="h4">
            {t.preview}
          </Title>
          <Text size="sm" c="dimmed">
            {t.previewHint}
          </Text>
        </div>
        <Button variant="default" size="xs" loading={isFetching} onClick={() => void refetch()}>
          {t.makePreview}
        </Button>
      </Group>
      <ProblemView error={error} />
      {isPending && !error ? <Loading rows={3} /> : null}
      {data ? (
        <>
          <PreviewFigures preview={data} />
          <Exclusions preview={data} />
          <Countries preview={data} />
          <Samples preview={data} />
        </>
      ) : null}
    </Stack>
  );
};
