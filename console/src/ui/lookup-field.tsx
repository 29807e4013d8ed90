import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { defineTexts, useTexts } from '../app/texts.ts';

const texts = defineTexts(
  { nothing: 'Nada encontrado', clear: 'Limpar' },
  { nothing: 'Nothing found', clear: 'Clear' },
);

/** One that can be chosen. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface LookupFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  /** The chosen id; empty where none is. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Begins the key of the searches in the cache. */
  readonly what: string;
  readonly search: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  /** How one is called whose id is set already. */
  readonly nameOf: (id: string, signal: AbortSignal) => Promise<string>;
  readonly required?: boolean;
}

const TYPING_MS = 250;

/** Chooses one of many by what one types: the service searches. */
export const LookupField = ({
  label,
  description,
  value,
  onChange,
  what,
  search,
  nameOf,
  required,
}: LookupFieldProps) => {
  const t = useTexts(texts);
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const [text] = useDebouncedValue(typed, TYPING_MS);
  const name = useQuery({
    queryKey: ['lookup', what, 'name', value],
    queryFn: ({ signal }) => nameOf(value, signal).catch(() => value),
    enabled: value !== '',
    staleTime: 60_000,
  });
  // The chosen item is shown in the field: it is not a search.
  const wanted = text === name.data ? '' : text;
  const found = useQuery({
    queryKey: ['lookup', what, wanted],
    queryFn: ({ signal }) => search(wanted, signal),
    // A field that is only shown asks for nothing.
    enabled: opened,
    placeholderData: keepPreviousData,
  });
  const choices = found.data ?? [];
  const chosen =
    value === '' || choices.some((choice) => choice.value === value) ? [] : [{ value, label: name.data ?? value }];
  return (
    <Select
      label={label}
      description={description}
      data={[...chosen, ...choices]}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `${t.clear}: ${label}` }}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpened(true)}
      // The service decides what matches.
      filter={({ options }) => options}
      nothingFoundMessage={found.isFetching ? '…' : t.nothing}
      required={required ?? false}
      comboboxProps={{ withinPortal: true }}
    />
  );
};
