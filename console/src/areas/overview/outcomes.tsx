import { Group, NativeSelect, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Metrics } from '../../sdk.ts';
import { useSearchValues } from '../../ui/filters.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Coins } from '../../ui/values.tsx';
import { Charts } from './charts.tsx';
import { Figure } from './figure.tsx';
import { CHANNELS, channelOf, DEFAULT_RANGE, queryOf, RANGES, rangeOf } from './figures.ts';
import { FirstSend } from './first-send.tsx';
import { ByChannel, Failures, FiguresOfCharts } from './outcome-tables.tsx';
import { texts } from './texts.ts';

/** Counts are up to 20 s late: asking more often would show nothing more. */
const REFRESH_MS = 15_000;

const Totals = ({ totals }: Pick<Metrics, 'totals'>) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { total, sent, delivered, failed, coins, deliveryRate, failureRate } = totals;
  const rate = (share: number | null) => (share === null ? '—' : format.percent(share));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      <Figure name={t.messages} hint={t.messagesHint(format.number(sent))}>
        {format.number(total)}
      </Figure>
      <Figure name={t.delivery} hint={t.deliveryHint(format.number(delivered), format.number(sent))}>
        {rate(deliveryRate)}
      </Figure>
      <Figure name={t.failure} hint={t.failureHint(format.number(failed), format.number(total))}>
        {rate(failureRate)}
      </Figure>
      <Figure name={t.spent}>
        <Coins coins={coins} />
      </Figure>
    </SimpleGrid>
  );
};

const Picker = () => {
  const t = useTexts(texts);
  const [values, change] = useSearchValues();
  return (
    <Group align="flex-end" gap="sm">
      <SegmentedControl
        aria-label={t.range}
        value={rangeOf(values.range)}
        onChange={(range) => change({ range: range === DEFAULT_RANGE ? undefined : range })}
        data={RANGES.map((range) => ({ value: range, label: t.ranges[range] }))}
      />
      <NativeSelect
        label={t.channel}
        value={channelOf(values.channel) ?? ''}
        onChange={({ currentTarget }) => change({ channel: currentTarget.value })}
        data={[
          { value: '', label: t.allChannels },
          ...CHANNELS.map((name) => ({ value: name, label: t.channels[name] })),
        ]}
      />
    </Group>
  );
};

const OutcomesView = ({ metrics }: { readonly metrics: Metrics }) => {
  const t = useTexts(texts);
  if (metrics.totals.total === 0) return <FirstSend />;
  return (
    <Stack>
      <Totals totals={metrics.totals} />
      <Charts metrics={metrics} />
      <Text size="sm" c="dimmed">
        {metrics.granularity === 'hour' ? t.hours : t.days(metrics.timeZone)}
      </Text>
      <FiguresOfCharts metrics={metrics} />
      <ByChannel channels={metrics.channels} />
      <Failures failures={metrics.failures} />
    </Stack>
  );
};

/** Outcomes of messages in a period, by channel; the address holds both. */
export const Outcomes = () => {
  const t = useTexts(texts);
  const [values] = useSearchValues();
  const [range, channel] = [rangeOf(values.range), channelOf(values.channel)];
  const metrics = useQuery({
    queryKey: ['metrics', range, channel],
    queryFn: ({ signal }) => api.metrics.get(queryOf(range, channel, Date.now()), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  return (
    <Section title={t.outcomes}>
      <Picker />
      <ProblemView error={metrics.error} onRetry={() => void metrics.refetch()} />
      {metrics.isPending && !metrics.error ? <Loading /> : null}
      {metrics.data ? <OutcomesView metrics={metrics.data} /> : null}
    </Section>
  );
};
