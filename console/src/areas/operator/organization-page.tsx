import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { OrganizationState } from '../../sdk.ts';
import { CopyText } from '../../ui/copy-text.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Coins, Fact, Facts, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const State = ({ state }: { readonly state: OrganizationState }) => {
  const t = useTexts(texts).organization;
  const format = useFormat();
  const { id, createdAt, emailFrom, wallet, limits, counts } = state;
  return (
    <Stack gap="xl">
      <Facts>
        <Fact name={t.id}>
          <CopyText text={id} />
        </Fact>
        <Fact name={t.createdAt}>
          <Time at={createdAt} />
        </Fact>
        {emailFrom ? <Fact name={t.emailFrom}>{emailFrom}</Fact> : null}
      </Facts>
      <Section title={t.wallet}>
        <Facts>
          <Fact name={t.balance}>
            <Coins coins={wallet.balanceCoins} />
          </Fact>
          <Fact name={t.held}>
            <Coins coins={wallet.heldCoins} />
          </Fact>
          <Fact name={t.lowBalance}>{wallet.lowBalanceCoins > 0 ? <Coins coins={wallet.lowBalanceCoins} /> : '—'}</Fact>
        </Facts>
      </Section>
      <Section title={t.limits}>
        <Facts>
          <Fact name={t.smsPerSecond}>
            {limits.smsPerSecond === null ? t.unlimited : format.number(limits.smsPerSecond)}
          </Fact>
          <Fact name={t.sendsPerMinute}>{format.number(limits.sendsPerMinute)}</Fact>
        </Facts>
      </Section>
      <Section title={t.counts}>
        <Facts>
          <Fact name={t.people}>{format.number(counts.accounts)}</Fact>
          <Fact name={t.keys}>{format.number(counts.keys)}</Fact>
          <Fact name={t.contacts}>{format.number(counts.contacts)}</Fact>
        </Facts>
      </Section>
    </Stack>
  );
};

/** An organization with its wallet, limits and counts. Each reading is entered in its audit log, so nothing reads it by itself. */
export default function OrganizationPage() {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const t = useTexts(texts);
  const organization = useQuery({
    queryKey: ['operator', 'organization', id],
    queryFn: ({ signal }) => api.operator.getOrganization(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Page title={organization.data?.name ?? t.organization.title} description={t.organization.hint}>
      <QueryView query={organization}>{(state) => <State state={state} />}</QueryView>
    </Page>
  );
}
