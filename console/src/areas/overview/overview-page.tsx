import { Alert, Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Wallet } from '../../sdk.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Coins } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const Figure = ({ name, children, hint }: { name: string; children: ReactNode; hint?: string }) => (
  <Card withBorder>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Text size="xl" fw={650}>
      {children}
    </Text>
    {hint ? (
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    ) : null}
  </Card>
);

const WalletView = ({ wallet }: { readonly wallet: Wallet }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { balanceCoins, heldCoins, lowBalanceCoins, bands } = wallet;
  return (
    <Stack>
      <Title order={2} size="h4">
        {t.wallet}
      </Title>
      {balanceCoins < lowBalanceCoins ? (
        <Alert color="yellow" variant="outline">
          {t.low}
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Figure name={t.balance}>
          <Coins coins={balanceCoins} />
        </Figure>
        <Figure name={t.held} hint={t.heldHint}>
          <Coins coins={heldCoins} />
        </Figure>
        <Figure name={t.lowBalance}>{lowBalanceCoins > 0 ? <Coins coins={lowBalanceCoins} /> : t.off}</Figure>
      </SimpleGrid>
      <Title order={2} size="h4">
        {t.bands}
      </Title>
      <DataTable
        caption={t.bands}
        rows={bands}
        keyOf={({ channel, route }) => `${channel} ${route}`}
        columns={[
          { key: 'route', title: t.route, cell: ({ channel, route }) => `${channel} · ${route}` },
          { key: 'segments', title: t.segments, alignEnd: true, cell: ({ segments }) => format.number(segments) },
          { key: 'price', title: t.price, alignEnd: true, cell: ({ band }) => <Coins coins={band.coins} /> },
          {
            key: 'upTo',
            title: t.upTo,
            alignEnd: true,
            cell: ({ band }) => (band.upTo === null ? t.noEnd : format.number(band.upTo)),
          },
        ]}
      />
    </Stack>
  );
};

/** The start page: what the wallet holds. */
export default function OverviewPage() {
  const t = useTexts(texts);
  const wallet = useQuery({
    queryKey: ['wallet'],
    queryFn: ({ signal }) => api.wallet.get({ signal }),
    refetchInterval: 30_000,
  });
  return (
    <Page title={t.title}>
      <ProblemView error={wallet.error} onRetry={() => void wallet.refetch()} />
      {wallet.isPending ? <Loading /> : null}
      {wallet.data ? <WalletView wallet={wallet.data} /> : null}
    </Page>
  );
}
