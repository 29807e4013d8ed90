import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { QuietHours } from '../../sdk.ts';
import { QueryView } from '../../ui/lists.tsx';
import { Section, SettingForm } from './section.tsx';
import { texts } from './texts.ts';

const CHANNELS = ['whatsapp', 'email', 'sms', 'rcs', 'push', 'instagram'] as const;
const ZONES = Intl.supportedValuesOf('timeZone');

const QuietHoursForm = ({ hours }: { readonly hours: QuietHours }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const [from, setFrom] = useState(hours.inicio ?? '22:00');
  const [to, setTo] = useState(hours.fim ?? '08:00');
  const [zone, setZone] = useState(hours.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [channels, setChannels] = useState<readonly QuietHours['channels'][number][]>(hours.channels);
  const saving = useMutation({
    mutationFn: () =>
      api.organization.setQuietHours({ inicio: from, fim: to, timeZone: zone, channels: [...channels] }),
    onSuccess: (saved) => queries.setQueryData(['quiet-hours'], saved),
  });
  const zones = ZONES.includes(zone) ? ZONES : [zone, ...ZONES];
  return (
    <SettingForm saving={saving} onSave={() => saving.mutate()}>
      <Group gap="sm" align="flex-end">
        <TextInput
          type="time"
          required
          label={t.from}
          value={from}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
        />
        <TextInput
          type="time"
          required
          label={t.to}
          value={to}
          onChange={({ currentTarget }) => setTo(currentTarget.value)}
        />
        <NativeSelect
          label={t.timeZone}
          value={zone}
          data={zones}
          onChange={({ currentTarget }) => setZone(currentTarget.value)}
        />
      </Group>
      <Checkbox.Group
        label={t.channels}
        value={[...channels]}
        onChange={(next) => setChannels(next as QuietHours['channels'])}
      >
        <Group gap="sm" mt={4}>
          {CHANNELS.map((channel) => (
            <Checkbox key={channel} value={channel} label={channel} />
          ))}
        </Group>
      </Checkbox.Group>
    </SettingForm>
  );
};

/** When messages wait. */
export const QuietHoursSettings = () => {
  const t = useTexts(texts);
  const hours = useQuery({
    queryKey: ['quiet-hours'],
    queryFn: ({ signal }) => api.organization.getQuietHours({ signal }),
  });
  return (
    <Section title={t.quiet} hint={t.quietHint}>
      <QueryView query={hours} loadingRows={2}>
        {(data) => <QuietHoursForm hours={data} />}
      </QueryView>
    </Section>
  );
};
