import { NativeSelect, Stack, TagsInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Destinations } from '../../sdk.ts';
import { QueryView } from '../../ui/lists.tsx';
import { Section, SettingForm } from './section.tsx';
import { texts } from './texts.ts';

const CHANNELS = ['sms', 'rcs', 'whatsapp'] as const;
const NAMES = { sms: 'SMS', rcs: 'RCS', whatsapp: 'WhatsApp' } as const;
type Opened = Destinations[(typeof CHANNELS)[number]];

interface ChannelProps {
  readonly name: string;
  readonly opened: Opened;
  readonly onChange: (opened: Opened) => void;
}

const ChannelFields = ({ name, opened, onChange }: ChannelProps) => {
  const t = useTexts(texts);
  return (
    <Stack gap="xs">
      <NativeSelect
        maw="16rem"
        label={t.openOn(name)}
        value={opened.mode}
        data={(['all', 'only'] as const).map((value) => ({ value, label: t.modes[value] }))}
        onChange={({ currentTarget }) => onChange({ ...opened, mode: currentTarget.value as Opened['mode'] })}
      />
      {opened.mode === 'only' ? (
        <TagsInput
          maw="32rem"
          label={t.countriesOf(name)}
          description={t.countriesHint}
          acceptValueOnBlur
          value={opened.countries}
          onChange={(countries) => onChange({ ...opened, countries: countries.map((each) => each.toUpperCase()) })}
        />
      ) : null}
    </Stack>
  );
};

const DestinationsForm = ({ destinations }: { readonly destinations: Destinations }) => {
  const queries = useQueryClient();
  const [opened, setOpened] = useState(destinations);
  const saving = useMutation({
    mutationFn: () => api.organization.setDestinations(opened),
    onSuccess: (saved) => queries.setQueryData(['destinations'], saved),
  });
  return (
    <SettingForm saving={saving} onSave={() => saving.mutate()}>
      {CHANNELS.map((channel) => (
        <ChannelFields
          key={channel}
          name={NAMES[channel]}
          opened={opened[channel]}
          onChange={(next) => setOpened((before) => ({ ...before, [channel]: next }))}
        />
      ))}
    </SettingForm>
  );
};

/** The countries that the organization sends to. */
export const DestinationSettings = () => {
  const t = useTexts(texts);
  const destinations = useQuery({
    queryKey: ['destinations'],
    queryFn: ({ signal }) => api.organization.getDestinations({ signal }),
  });
  return (
    <Section title={t.destinations} hint={t.destinationsHint}>
      <QueryView query={destinations} loadingRows={3}>
        {(data) => <DestinationsForm destinations={data} />}
      </QueryView>
    </Section>
  );
};
