import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PlugZap } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Breaker, ChangeBreaker, ProviderHealth } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StateOf, Time, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const REFRESH_MS = 5_000;

/** A route of a provider, with its circuit breaker. */
interface Route extends Pick<ProviderHealth, 'channel' | 'provider' | 'updatedAt'> {
  readonly breaker: Breaker;
}

const TONES: Readonly<Record<Breaker['state'], Tone>> = { closed: 'good', half_open: 'pending', open: 'bad' };
const OFFERED: Readonly<Record<Breaker['state'], readonly ChangeBreaker['action'][]>> = {
  closed: [],
  half_open: ['reset'],
  open: ['probe', 'reset'],
};

const ChangeDialog = ({ change, onClose }: { readonly change: ChangeBreaker; readonly onClose: () => void }) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      title={t.provider[change.action]}
      hint={t.provider[`${change.action}Hint`](`${change.channel} · ${change.provider} · ${change.route}`)}
      act={() => api.operator.changeBreaker(change)}
      invalidates={[['operator', 'providers']]}
      onClose={onClose}
    />
  );
};

const Actions = ({
  route,
  onChange,
}: {
  readonly route: Route;
  readonly onChange: (change: ChangeBreaker) => void;
}) => {
  const t = useTexts(texts);
  const { channel, provider, breaker } = route;
  const offered = OFFERED[breaker.state];
  if (offered.length === 0) return null;
  return (
    <ActionMenu
      label={t.provider.actionsFor(`${provider} ${breaker.route}`)}
      items={offered.map((value) => ({ value, label: t.provider[value] }))}
      onChoose={(action) =>
        onChange({ channel: channel as ChangeBreaker['channel'], provider, route: breaker.route, action })
      }
    />
  );
};

const useColumns = (onChange: (change: ChangeBreaker) => void): readonly Column<Route>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    { key: 'provider', title: t.provider.name, cell: ({ channel, provider }) => `${provider} · ${channel}` },
    { key: 'route', title: t.provider.route, cell: ({ breaker }) => breaker.route },
    {
      key: 'state',
      title: t.provider.state,
      cell: ({ breaker }) => <StateOf state={breaker.state} tones={TONES} words={t.provider.states} />,
    },
    { key: 'since', title: t.provider.since, cell: ({ breaker }) => <Time at={breaker.since} /> },
    { key: 'until', title: t.provider.until, cell: ({ breaker }) => <Time at={breaker.until} /> },
    { key: 'lastProbeAt', title: t.provider.lastProbeAt, cell: ({ breaker }) => <Time at={breaker.lastProbeAt} /> },
    {
      key: 'calls',
      title: t.provider.calls,
      alignEnd: true,
      cell: ({ breaker }) => t.provider.callsOf(format.number(breaker.failures), format.number(breaker.successes)),
    },
    {
      key: 'actions',
      title: t.letter.actions,
      alignEnd: true,
      cell: (route) => <Actions route={route} onChange={onChange} />,
    },
  ];
};

/** The providers that are set up, with the circuit breaker of each route. */
export const Providers = () => {
  const t = useTexts(texts);
  const [change, setChange] = useState<ChangeBreaker>();
  const columns = useColumns(setChange);
  const providers = useQuery({
    queryKey: ['operator', 'providers'],
    queryFn: ({ signal }) => api.operator.listProviders({ signal }),
    refetchInterval: REFRESH_MS,
  });
  const rowsOf = (items: readonly ProviderHealth[]): Route[] =>
    items.flatMap(({ breakers, ...provider }) => breakers.map((breaker) => ({ ...provider, breaker })));
  return (
    <QueryView query={providers}>
      {({ items }) =>
        items.length > 0 ? (
          <Stack>
            <Text size="sm" c="dimmed">
              {t.provider.hint}
            </Text>
            <DataTable
              caption={t.tabs.providers}
              columns={columns}
              rows={rowsOf(items)}
              keyOf={({ channel, provider, breaker }) => `${channel} ${provider} ${breaker.route}`}
            />
            {change ? <ChangeDialog change={change} onClose={() => setChange(undefined)} /> : null}
          </Stack>
        ) : (
          <EmptyState icon={PlugZap} title={t.provider.emptyTitle}>
            {t.provider.empty}
          </EmptyState>
        )
      }
    </QueryView>
  );
};
