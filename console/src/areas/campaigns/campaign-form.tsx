import {
  Button,
  Group,
  MultiSelect,
  NumberInput,
  Paper,
  SegmentedControl,
  Stack,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { fromLocal, toLocal } from '../../app/local-time.ts';
import { useTexts } from '../../app/texts.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import { type Audience, type CampaignForm, NEW_MESSAGE, withVariants } from './form.ts';
import { MessageFields } from './message-fields.tsx';
import { texts } from './texts.ts';

interface PartProps {
  readonly form: CampaignForm;
  readonly onChange: (form: CampaignForm) => void;
}

const useGroups = () => {
  const lists = useQuery({
    queryKey: ['campaign-choices', 'lists'],
    queryFn: async ({ signal }) => (await api.lists.all({ signal })).items,
  });
  const segments = useQuery({
    queryKey: ['campaign-choices', 'segments'],
    queryFn: async ({ signal }) => (await api.segments.list({ limit: 200 }, { signal })).items,
  });
  return { lists: lists.data ?? [], segments: segments.data ?? [], error: lists.error ?? segments.error };
};

const AudienceFields = ({ form, onChange }: PartProps) => {
  const t = useTexts(texts);
  const { lists, segments, error } = useGroups();
  const { audience } = form;
  const [contacts, setContacts] = useState(() => (audience.contactIds ?? []).join('\n'));
  const set = (part: Audience) => onChange({ ...form, audience: { ...audience, ...part } });
  const fields = [
    ['listIds', t.lists, lists],
    ['segmentIds', t.segments, segments],
    ['excludeListIds', t.excludeLists, lists],
    ['excludeSegmentIds', t.excludeSegments, segments],
  ] as const;
  return (
    <Stack gap="sm" component="section" aria-label={t.audience}>
      <Title order={2} size="h4">
        {t.audience}
      </Title>
      <ProblemView error={error} />
      {fields.map(([field, label, items]) => (
        <MultiSelect
          key={field}
          label={label}
          searchable
          value={audience[field] ?? []}
          data={items.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(ids) => set({ [field]: ids })}
        />
      ))}
      <Textarea
        autosize
        maxRows={8}
        label={t.contacts}
        value={contacts}
        onChange={({ currentTarget: { value } }) => {
          setContacts(value);
          set({ contactIds: value.split(/\s+/).filter((id) => id !== '') });
        }}
      />
    </Stack>
  );
};

const VariantFields = ({ form, onChange, at }: PartProps & { readonly at: number }) => {
  const t = useTexts(texts);
  const { variants } = form;
  const variant = variants[at];
  if (!variant) return null;
  const change = (part: Partial<typeof variant>) =>
    onChange({ ...form, variants: variants.map((each, index) => (index === at ? { ...each, ...part } : each)) });
  return (
    <Paper withBorder p="sm" role="group" aria-label={t.variant(variant.name)}>
      <Group gap="sm" align="flex-end" mb="sm">
        <TextInput
          label={t.variantName}
          value={variant.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <NumberInput
          hideControls
          w="6rem"
          label={t.weight}
          value={variant.weight}
          onChange={(value) => change({ weight: Number(value) || 0 })}
        />
        {variants.length > 2 ? (
          <Button
            variant="subtle"
            onClick={() => onChange({ ...form, variants: variants.filter((_, index) => index !== at) })}
          >
            {t.removeVariant(variant.name)}
          </Button>
        ) : null}
      </Group>
      <MessageFields message={variant.message} onChange={(message) => change({ message })} />
    </Paper>
  );
};

const ContentFields = ({ form, onChange }: PartProps) => {
  const t = useTexts(texts);
  const { hasVariants, variants } = form;
  const [only] = variants;
  const add = () => {
    const name = String.fromCharCode(65 + variants.length);
    onChange({ ...form, variants: [...variants, { name, weight: 0, message: only?.message ?? NEW_MESSAGE }] });
  };
  return (
    <Stack gap="sm" component="section" aria-label={t.message}>
      <Title order={2} size="h4">
        {t.message}
      </Title>
      <SegmentedControl
        aria-label={t.variants}
        value={hasVariants ? 'variants' : 'one'}
        data={[
          { value: 'one', label: t.oneMessage },
          { value: 'variants', label: t.variants },
        ]}
        onChange={(value) => onChange(withVariants(form, value === 'variants'))}
      />
      {hasVariants ? (
        <>
          {variants.map((_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: its name changes while it is typed.
            <VariantFields key={at} form={form} onChange={onChange} at={at} />
          ))}
          {variants.length < 5 ? (
            <Button variant="default" onClick={add}>
              {t.addVariant}
            </Button>
          ) : null}
        </>
      ) : (
        <MessageFields
          message={only?.message ?? NEW_MESSAGE}
          onChange={(message) => onChange({ ...form, variants: [{ name: 'A', weight: 100, message }] })}
        />
      )}
    </Stack>
  );
};

const PaceFields = ({ form, onChange }: PartProps) => {
  const t = useTexts(texts);
  return (
    <Stack gap="sm" component="section" aria-label={t.pace}>
      <Title order={2} size="h4">
        {t.pace}
      </Title>
      <TextInput
        type="datetime-local"
        label={t.scheduledAt}
        value={toLocal(form.scheduledAt)}
        onChange={({ currentTarget: { value } }) => onChange({ ...form, scheduledAt: fromLocal(value) })}
      />
      <Group gap="sm" align="flex-end">
        {(['perMinute', 'maxCoins', 'capMessages', 'capDays'] as const).map((field) => (
          <NumberInput
            key={field}
            hideControls
            label={t[field]}
            value={form[field] ?? ''}
            onChange={(value) => onChange({ ...form, [field]: typeof value === 'number' ? value : undefined })}
          />
        ))}
      </Group>
      <TextInput
        label={t.campaignTag}
        value={form.campaignTag ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ ...form, campaignTag: value || undefined })}
      />
    </Stack>
  );
};

/** The fields of a campaign, as it is created and changed. */
export const CampaignFields = ({ form, onChange }: PartProps) => {
  const t = useTexts(texts);
  return (
    <Stack gap="lg" maw="48rem">
      <TextInput
        required
        label={t.name}
        value={form.name}
        onChange={({ currentTarget }) => onChange({ ...form, name: currentTarget.value })}
      />
      <AudienceFields form={form} onChange={onChange} />
      <ContentFields form={form} onChange={onChange} />
      <PaceFields form={form} onChange={onChange} />
    </Stack>
  );
};
