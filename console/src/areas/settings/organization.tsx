import { Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Organization } from '../../sdk.ts';
import { CopyText } from '../../ui/copy-text.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Fact, Facts, Time } from '../../ui/values.tsx';
import { Section, SettingForm } from './section.tsx';
import { texts } from './texts.ts';

const NameForm = ({ organization }: { readonly organization: Organization }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const [name, setName] = useState(organization.name);
  const saving = useMutation({
    mutationFn: () => api.organization.change({ name }),
    onSuccess: (saved) => queries.setQueryData(['organization'], saved),
  });
  return (
    <SettingForm saving={saving} onSave={() => saving.mutate()}>
      <TextInput required label={t.name} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
    </SettingForm>
  );
};

/** The organization's name, and what the operator set of it. */
export const OrganizationSettings = () => {
  const t = useTexts(texts);
  const format = useFormat();
  const organization = useQuery({
    queryKey: ['organization'],
    queryFn: ({ signal }) => api.organization.get({ signal }),
  });
  const { data, error } = organization;
  return (
    <Section title={t.organization}>
      <ProblemView error={error} onRetry={() => void organization.refetch()} />
      {organization.isPending && !error ? <Loading rows={2} /> : null}
      {data ? (
        <>
          <NameForm organization={data} />
          <Facts>
            <Fact name={t.id}>
              <CopyText text={data.id} label={t.id} />
            </Fact>
            <Fact name={t.createdAt}>
              <Time at={data.createdAt} />
            </Fact>
            {data.smsPerSecond === undefined ? null : (
              <Fact name={t.smsPerSecond}>{format.number(data.smsPerSecond)}</Fact>
            )}
            {data.sendsPerMinute === undefined ? null : (
              <Fact name={t.sendsPerMinute}>{format.number(data.sendsPerMinute)}</Fact>
            )}
          </Facts>
          <Text size="sm" c="dimmed">
            {t.limits}
          </Text>
        </>
      ) : null}
    </Section>
  );
};
