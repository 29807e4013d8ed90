import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Contact } from '../../sdk.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import { texts } from './texts.ts';

/** The contact's value for a variable with the name of a contact field. */
const FIELDS: Readonly<Record<string, (contact: Contact) => string | undefined>> = {
  nome: ({ name }) => name,
  name: ({ name }) => name,
  primeiro_nome: ({ name }) => name?.split(' ')[0],
  first_name: ({ name }) => name?.split(' ')[0],
  telefone: ({ phone }) => phone,
  phone: ({ phone }) => phone,
  email: ({ email }) => email,
};

/** The values of variables that a contact has; numbered variables begin with its name. */
export const valuesOf = (contact: Contact, variables: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    variables.flatMap((variable): [string, string][] => {
      const attribute = contact.attributes[variable];
      const field = FIELDS[variable === '1' ? 'nome' : variable]?.(contact);
      const value = attribute === undefined || attribute === null ? field : String(attribute);
      return value === undefined ? [] : [[variable, value]];
    }),
  );

interface ContactFillProps {
  readonly onFill: (contact: Contact) => void;
}

/** Reads a contact, whose data then fill the variables. */
export const ContactFill = ({ onFill }: ContactFillProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const [id, setId] = useState('');
  const reading = useMutation({ mutationFn: () => api.contacts.get(id), onSuccess: onFill });
  if (!may('contacts:read')) return null;
  return (
    <Stack gap="xs" component="section" aria-label={t.contact}>
      <Group
        component="form"
        gap="xs"
        align="flex-end"
        onSubmit={(event) => {
          event.preventDefault();
          reading.mutate();
        }}
      >
        <TextInput
          required
          label={t.contactHint}
          placeholder="cnt_…"
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value.trim())}
        />
        <Button type="submit" variant="default" loading={reading.isPending}>
          {t.fill}
        </Button>
      </Group>
      <ProblemView error={reading.error} />
      {reading.data ? (
        <Text size="sm" role="status" className="breakable">
          {t.filledWith(reading.data.name ?? reading.data.phone)}
        </Text>
      ) : null}
    </Stack>
  );
};
