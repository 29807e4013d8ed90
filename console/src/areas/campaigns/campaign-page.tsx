import { Alert, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Campaign, CampaignMessage } from '../../sdk.ts';
import { CopyText } from '../../ui/copy-text.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { Coins, Fact, Facts, Time } from '../../ui/values.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignStatus, canChange } from './campaign-status.tsx';
import { Preview } from './preview.tsx';
import { Recipients } from './recipients.tsx';
import { texts } from './texts.ts';

/** While it sends, and while nothing happens by itself. */
const REFRESH_MS = { running: 2_000, other: 10_000 } as const;
const FIGURES = ['total', 'queued', 'sent', 'delivered', 'read', 'clicked', 'failed', 'skipped'] as const;

const CampaignFacts = ({ campaign }: { readonly campaign: Campaign }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const moments = (['createdAt', 'scheduledAt', 'startedAt', 'completedAt', 'cancelledAt'] as const).filter(
    (name) => campaign[name] !== undefined,
  );
  return (
    <Facts>
      <Fact name={t.columns.status}>
        <CampaignStatus status={campaign.status} />
      </Fact>
      {moments.map((name) => (
        <Fact key={name} name={t[name]}>
          <Time at={campaign[name]} />
        </Fact>
      ))}
      {campaign.perMinute === undefined ? null : <Fact name={t.perMinute}>{format.number(campaign.perMinute)}</Fact>}
      {campaign.maxCoins === undefined ? null : (
        <Fact name={t.maxCoins}>
          <Coins coins={campaign.maxCoins} />
        </Fact>
      )}
      {campaign.campaignTag ? <Fact name={t.campaignTag}>{campaign.campaignTag}</Fact> : null}
      <Fact name={t.id}>
        <CopyText text={campaign.id} />
      </Fact>
    </Facts>
  );
};

/** How far it is: of its recipients, those who need nothing more. */
const Figures = ({ campaign: { progress, coins } }: { readonly campaign: Campaign }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const done = progress.sent + progress.failed + progress.skipped;
  const share = progress.total === 0 ? 0 : Math.min(done / progress.total, 1);
  return (
    <Stack component="section" aria-label={t.progress} gap="sm">
      <Title order={2} size="h4">
        {t.progress}
      </Title>
      <Progress value={share * 100} size="lg" aria-label={`${t.progress}: ${format.percent(share)}`} />
      <Facts>
        {FIGURES.map((name) => (
          <Fact key={name} name={t.figures[name]}>
            <span data-figure={name}>{format.number(progress[name])}</span>
          </Fact>
        ))}
        <Fact name={t.captured}>
          <Coins coins={coins.captured} />
        </Fact>
        <Fact name={t.held}>
          <Coins coins={coins.held} />
        </Fact>
      </Facts>
    </Stack>
  );
};

const Message = ({ title, message }: { readonly title: string; readonly message: CampaignMessage }) => (
  <Paper withBorder p="sm" maw="32rem">
    <Text size="xs" c="dimmed" className="breakable">
      {`${title} · ${message.channel}`}
    </Text>
    <Text size="sm" className="breakable">
      {message.text ?? message.template}
    </Text>
  </Paper>
);

const Content = ({ campaign: { message, variants = [] } }: { readonly campaign: Campaign }) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Stack component="section" aria-label={t.message} gap="sm">
      <Title order={2} size="h4">
        {t.message}
      </Title>
      {message ? <Message title={t.message} message={message} /> : null}
      {variants.map((variant) => (
        <Message
          key={variant.name}
          title={`${t.variant(variant.name)} · ${format.percent(variant.weight / 100)}`}
          message={variant.message}
        />
      ))}
    </Stack>
  );
};

/** A campaign: what it would do, or how far it is, and with whom. */
export default function CampaignPageView() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const campaign = useQuery({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => api.campaigns.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? REFRESH_MS.running : REFRESH_MS.other),
  });
  return (
    <Page
      title={campaign.data?.name ?? t.title}
      actions={campaign.data ? <CampaignActions campaign={campaign.data} /> : null}
    >
      <QueryView query={campaign}>
        {(data) => (
          <Stack gap="xl">
            {data.pausedBy ? (
              <Alert color="yellow" variant="outline" title={t.pausedBy[data.pausedBy.reason]} role="status">
                <Time at={data.pausedBy.at} />
              </Alert>
            ) : null}
            <CampaignFacts campaign={data} />
            <Content campaign={data} />
            {canChange(data) ? (
              <Preview id={id} />
            ) : (
              <>
                <Figures campaign={data} />
                <Recipients campaign={data} />
              </>
            )}
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
