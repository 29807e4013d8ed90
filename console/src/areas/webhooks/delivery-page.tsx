import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { WebhookDelivery } from '../../sdk.ts';
import { useAction } from '../../ui/action.ts';
import { Attempts, DeliveryStatus } from '../../ui/attempts.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { AppLink, Fact, Facts, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const REFRESH_MS = 3_000;

const DeliveryFacts = ({ webhookId, delivery }: { readonly webhookId: string; readonly delivery: WebhookDelivery }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { type, status, sequence, eventId, nextAttemptAt, createdAt, id } = delivery;
  return (
    <Facts>
      <Fact name={t.deliveryColumns.status}>
        <DeliveryStatus status={status} />
      </Fact>
      <Fact name={t.deliveryColumns.type}>{type}</Fact>
      {sequence === undefined ? null : <Fact name={t.deliveryColumns.sequence}>{format.number(sequence)}</Fact>}
      <Fact name={t.deliveryColumns.at}>
        <Time at={createdAt} />
      </Fact>
      {nextAttemptAt ? (
        <Fact name={t.facts.next}>
          <Time at={nextAttemptAt} />
        </Fact>
      ) : null}
      <Fact name={t.facts.webhook}>
        <AppLink to={`/webhooks/${webhookId}`}>{webhookId}</AppLink>
      </Fact>
      <Fact name={t.facts.eventId}>
        <CopyText text={eventId} />
      </Fact>
      <Fact name={t.facts.id}>
        <CopyText text={id} />
      </Fact>
    </Facts>
  );
};

/** A delivery with all of its attempts, which can be made again. */
export default function DeliveryPage() {
  const t = useTexts(texts);
  const may = useMay();
  const { id = '', deliveryId = '' }: { id?: string; deliveryId?: string } = useParams({ strict: false });
  const queryKey = ['webhook', id, 'delivery', deliveryId];
  const delivery = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.webhooks.getDelivery(id, deliveryId, { signal }),
    refetchInterval: REFRESH_MS,
  });
  const replaying = useAction(() => api.webhooks.replayDelivery(id, deliveryId), { invalidates: [queryKey] });
  const replay = may('webhooks:replay') ? (
    <Button onClick={() => replaying.mutate()} loading={replaying.isPending}>
      {t.replay}
    </Button>
  ) : null;
  return (
    <Page title={t.delivery} actions={delivery.data ? replay : null}>
      <ProblemView error={delivery.error ?? replaying.error} onRetry={() => void delivery.refetch()} />
      {delivery.isPending && !delivery.error ? <Loading /> : null}
      {delivery.data ? (
        <Stack gap="xl">
          <DeliveryFacts webhookId={id} delivery={delivery.data} />
          <Section title={t.attempts}>
            <Attempts attempts={delivery.data.attempts} />
          </Section>
        </Stack>
      ) : null}
    </Page>
  );
}
