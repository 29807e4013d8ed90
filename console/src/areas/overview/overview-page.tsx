import { Alert, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Wallet } from '../../sdk.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Coins } from '../../ui/values.tsx';
import { Figure } from './figure.tsx';
import { Outcomes } from './outcomes.tsx';
import { texts } from './texts.ts';

const WalletView = ({ wallet }: { readonly wallet: Wallet }) => {
  const t = useTexts(texts);
  const { balanceCoins, heldCoins, lowBalanceCoins } = wallet;
  return (
    <Section title={t.wallet}>
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
    </Section>
  );
};

const BandsView = ({ bands }: Pick<Wallet, 'bands'>) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Section title={t.bands}>
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
    </Section>
  );
};

/** The start page: what the wallet holds, and the outcomes of messages. */
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
      <Outcomes />
      {wallet.data ? <BandsView bands={wallet.data.bands} /> : null}
    </Page>
  );
}
