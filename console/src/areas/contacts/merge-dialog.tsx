import { Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { LikelyDuplicate } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ContactField } from '../../ui/contact-field.tsx';
import { contactName } from '../../ui/contacts.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { pageTexts } from './page-texts.ts';

interface LikelyProps {
  readonly items: readonly LikelyDuplicate[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}

const Likely = ({ items, value, onChange }: LikelyProps) => {
  const t = useTexts(pageTexts).merge;
  if (items.length === 0) return <Text size="sm">{t.none}</Text>;
  return (
    <Radio.Group label={t.likely} value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {items.map(({ contact, by }) => (
          <Radio
            key={contact.id}
            value={contact.id}
            label={`${contactName(contact)} · ${contact.phone}`}
            description={by.map((why) => t.by[why]).join(', ')}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
};

/** Makes one contact of two: the one that is shown stays. */
export const MergeDialog = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const t = useTexts(pageTexts).merge;
  const [other, setOther] = useState('');
  const duplicates = useQuery({
    queryKey: ['contact', id, 'duplicates'],
    queryFn: ({ signal }) => api.contacts.duplicates(id, { signal }),
  });
  return (
    <ActionDialog
      dangerous
      title={t.title}
      hint={t.hint}
      action={t.action}
      act={() => api.contacts.merge(id, { contactId: other })}
      invalidates={[['contact', id], ['contacts'], ['lists'], ['list']]}
      onClose={onClose}
    >
      <QueryView query={duplicates} loadingRows={1}>
        {({ items }) => <Likely items={items} value={other} onChange={setOther} />}
      </QueryView>
      <ContactField label={t.other} value={other} onChange={setOther} />
    </ActionDialog>
  );
};
