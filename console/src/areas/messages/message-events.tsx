import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { Attempts, DeliveryStatus } from '../../ui/attempts.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';
import type { Step } from './timeline.tsx';

interface DeliveryRef {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly at: string;
  readonly detail: string;
}

/** The deliveries that a timeline names, in the order of their events: each is named once when it begins, and once an attempt. */
const deliveriesOf = (steps: readonly Step[]): readonly DeliveryRef[] => {
  const found = new Map<string, DeliveryRef>();
  for (const { webhookId, deliveryId, at, detail } of steps)
    if (webhookId && deliveryId && !found.has(deliveryId)) found.set(deliveryId, { webhookId, deliveryId, at, detail });
  return [...found.values()];
};

const Details = ({ webhookId, deliveryId }: DeliveryRef) => {
  const delivery = useQuery({
    queryKey: ['delivery', webhookId, deliveryId],
    queryFn: ({ signal }) => api.webhooks.getDelivery(webhookId, deliveryId, { signal }),
  });
  if (delivery.data)
    return (
      <Stack gap="xs">
        <DeliveryStatus status={delivery.data.status} />
        <Attempts attempts={delivery.data.attempts} />
      </Stack>
    );
  return delivery.error ? <ProblemView error={delivery.error} /> : <Loading rows={2} />;
};

const DeliveryRow = ({ delivery }: { readonly delivery: DeliveryRef }) => {
  const t = useTexts(texts);
  const [opened, setOpened] = useState(false);
  const mayRead = useMay()('webhooks:read');
  return (
    <Paper withBorder p="sm" data-delivery={delivery.deliveryId}>
      <Stack gap="xs">
        <Group justify="space-between" gap="sm">
          <div>
            <Text size="sm" className="breakable">
              {delivery.detail}
            </Text>
            <Text size="xs" c="dimmed">
              <Time at={delivery.at} /> · <AppLink to={`/webhooks/${delivery.webhookId}`}>{delivery.webhookId}</AppLink>
            </Text>
          </div>
          {mayRead ? (
            <Button size="xs" variant="default" aria-expanded={opened} onClick={() => setOpened(!opened)}>
              {opened ? t.closeDelivery : t.openDelivery}
            </Button>
          ) : null}
        </Group>
        {opened ? <Details {...delivery} /> : null}
      </Stack>
    </Paper>
  );
};

/** The events of a message that were delivered to webhooks, with every attempt. */
export const MessageEvents = ({ steps }: { readonly steps: readonly Step[] }) => {
  const t = useTexts(texts);
  const deliveries = deliveriesOf(steps);
  if (deliveries.length === 0) return <Text c="dimmed">{t.noEvents}</Text>;
  return (
    <Stack gap="xs">
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.deliveryId} delivery={delivery} />
      ))}
    </Stack>
  );
};
