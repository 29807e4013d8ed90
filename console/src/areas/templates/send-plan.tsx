import { Alert, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Contact, Template } from '../../sdk.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Coins, Fact, Facts, Time } from '../../ui/values.tsx';
import type { Device } from './devices.tsx';
import { texts } from './texts.ts';

interface SendPlanProps {
  readonly template: Template;
  readonly contact: Contact;
  readonly device: Device;
  readonly values: Readonly<Record<string, string>>;
}

/** The effect and cost of sending a template to a contact; nothing is sent. */
export const SendPlanView = ({ template, contact, device, values }: SendPlanProps) => {
  const t = useTexts(texts);
  const plan = useQuery({
    queryKey: ['template-plan', template.id, contact.id, device, values],
    queryFn: ({ signal }) =>
      api.v1.preview(
        { channel: device, to: contact.phone, template: template.id, variables: { ...values } },
        { signal },
      ),
    retry: false,
  });
  const [hop] = plan.data?.hops ?? [];
  return (
    <Stack gap="xs" component="section" aria-label={t.plan}>
      <Title order={3} size="h5">
        {t.plan}
      </Title>
      <ProblemView error={plan.error} />
      {hop?.refusal ? (
        <Alert color="yellow" variant="outline" title={t.refusal}>
          {hop.refusal.detail}
        </Alert>
      ) : null}
      {hop ? (
        <Facts>
          <Fact name={t.to}>{hop.to ?? '—'}</Fact>
          {hop.price ? (
            <Fact name={t.price}>
              <Coins coins={hop.price.coins} />
            </Fact>
          ) : null}
          {hop.leavesAt ? (
            <Fact name={t.leavesAt}>
              <Time at={hop.leavesAt} />
            </Fact>
          ) : null}
        </Facts>
      ) : null}
    </Stack>
  );
};
