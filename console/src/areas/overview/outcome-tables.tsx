import { Text } from '@mantine/core';
import { useState } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { ChannelFigures, Metrics } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Section } from '../../ui/page.tsx';
import { Coins } from '../../ui/values.tsx';
import { deliveryRateOf, type Figures, failureRateOf, type Row, rowsOf, shareOf } from './figures.ts';
import { texts } from './texts.ts';
import { useLabelOf } from './time-labels.ts';

/** The columns of a channel's figures, with their rates. */
const useColumns = (): readonly Column<Figures>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  const rate = (share: number | null) => (share === null ? '—' : format.percent(share));
  const number = (key: 'total' | 'sent' | 'delivered' | 'read' | 'failed'): Column<Figures> => ({
    key,
    title: t.columns[key],
    alignEnd: true,
    cell: (row) => format.number(row[key]),
  });
  const share = (
    key: 'deliveryRate' | 'readRate' | 'failureRate',
    of: (row: Figures) => number | null,
  ): Column<Figures> => ({ key, title: t.columns[key], alignEnd: true, cell: (row) => rate(of(row)) });
  return [
    { key: 'channel', title: t.columns.channel, cell: ({ channel }) => t.channels[channel] },
    number('total'),
    number('sent'),
    number('delivered'),
    share('deliveryRate', deliveryRateOf),
    number('read'),
    share('readRate', ({ read, delivered }) => shareOf(read, delivered)),
    number('failed'),
    share('failureRate', failureRateOf),
    { key: 'coins', title: t.columns.coins, alignEnd: true, cell: ({ coins }) => <Coins coins={coins} /> },
  ];
};

const FiguresTable = ({ metrics }: { readonly metrics: Metrics }) => {
  const t = useTexts(texts);
  const labelOf = useLabelOf(metrics);
  const columns: readonly Column<Row>[] = [
    { key: 'time', title: t.columns.time, cell: (row) => <time dateTime={row.start}>{labelOf(row)}</time> },
    ...useColumns(),
  ];
  return (
    <DataTable
      caption={t.table}
      columns={columns}
      rows={rowsOf(metrics)}
      keyOf={({ start, channel }) => `${start} ${channel}`}
    />
  );
};

/** The figures of the charts as a table: for the keyboard, screen readers, and exact figures. It is rendered once it is opened. */
export const FiguresOfCharts = ({ metrics }: { readonly metrics: Metrics }) => {
  const t = useTexts(texts);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t.table}</summary>
      {isOpen ? <FiguresTable metrics={metrics} /> : null}
    </details>
  );
};

/** The figures of each channel over the whole period. */
export const ByChannel = ({ channels }: { readonly channels: readonly ChannelFigures[] }) => {
  const t = useTexts(texts);
  return (
    <Section title={t.byChannel}>
      <DataTable caption={t.byChannel} columns={useColumns()} rows={channels} keyOf={({ channel }) => channel} />
    </Section>
  );
};

/** Why messages failed, the most frequent reasons first. */
export const Failures = ({ failures }: Pick<Metrics, 'failures'>) => {
  const t = useTexts(texts);
  const format = useFormat();
  if (failures.length === 0) return null;
  return (
    <Section title={t.failures}>
      <DataTable
        caption={t.failures}
        rows={failures}
        keyOf={({ channel, reason }) => `${channel} ${reason}`}
        columns={[
          {
            key: 'reason',
            title: t.reason,
            cell: ({ reason }) => (
              <Text ff="monospace" size="sm">
                {reason}
              </Text>
            ),
          },
          { key: 'channel', title: t.columns.channel, cell: ({ channel }) => t.channels[channel] },
          { key: 'count', title: t.count, alignEnd: true, cell: ({ count }) => format.number(count) },
        ]}
      />
    </Section>
  );
};
