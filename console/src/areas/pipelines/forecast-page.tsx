import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { PipelineForecast } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AppLink, Fact, Facts } from '../../ui/values.tsx';
import { texts } from './texts.ts';

type Row = PipelineForecast['estagios'][number];

const Forecast = ({ estagios, totais }: PipelineForecast) => {
  const t = useTexts(texts);
  const format = useFormat();
  const columns: readonly Column<Row>[] = [
    { key: 'nome', title: t.stage, cell: ({ nome }) => <span className="breakable">{nome}</span> },
    { key: 'cartoes', title: t.cards, alignEnd: true, cell: ({ cartoes }) => format.number(cartoes) },
    {
      key: 'valor',
      title: t.value,
      alignEnd: true,
      cell: ({ valor, moeda }) => <Amount value={valor} currency={moeda} />,
    },
    {
      key: 'probabilidade',
      title: t.probability,
      alignEnd: true,
      cell: ({ probabilidade }) => format.percent(probabilidade / 100),
    },
    {
      key: 'ponderado',
      title: t.weighted,
      alignEnd: true,
      cell: ({ ponderado, moeda }) => <Amount value={ponderado} currency={moeda} />,
    },
  ];
  if (estagios.length === 0)
    return (
      <EmptyState icon={ChartColumn} title={t.noForecast}>
        {t.noForecastHint}
      </EmptyState>
    );
  return (
    <>
      <Facts>
        {totais.map(({ moeda, cartoes, valor, ponderado }) => (
          <Fact key={moeda} name={`${t.total} ${moeda} · ${t.cards}: ${format.number(cartoes)}`}>
            <Amount value={ponderado} currency={moeda} /> / <Amount value={valor} currency={moeda} />
          </Fact>
        ))}
      </Facts>
      <DataTable
        caption={t.forecast}
        columns={columns}
        rows={estagios}
        keyOf={({ estagioId, moeda }) => `${estagioId} ${moeda}`}
      />
    </>
  );
};

/** The forecast of the open cards of a pipeline. */
export default function ForecastPage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const forecast = useQuery({
    queryKey: ['board', id, 'forecast'],
    queryFn: ({ signal }) => api.pipelines.forecast(id, { signal }),
  });
  return (
    <Page
      title={t.forecast}
      description={t.forecastHint}
      actions={<AppLink to={`/pipelines/${id}`}>{t.backToBoard}</AppLink>}
    >
      <QueryView query={forecast}>{(data) => <Forecast {...data} />}</QueryView>
    </Page>
  );
}
