import { Button, Group, NativeSelect, Paper, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { memo, type SyntheticEvent, useCallback, useMemo, useState } from 'react';
import { fromLocal, toLocal } from '../app/local-time.ts';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';
import type { Choice } from './fields.tsx';

/** A filter of a list, by the name that it has in the operation's query. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** `moment`: ISO 8601 in the query, the person's own time in the field. */
  readonly kind: 'choice' | 'text' | 'moment';
  readonly choices?: readonly Choice[];
  readonly placeholder?: string;
}

/** A filter that is one of some values. */
export const choiceFilter = (name: string, label: string, choices: readonly Choice[]): FilterField => ({
  name,
  label,
  kind: 'choice',
  choices,
});

type Values = Readonly<Record<string, string>>;

/** The search parameters of the page, which say all that it shows: an address that is shared shows the same. */
export const useSearchValues = (): readonly [
  Values,
  (change: Readonly<Record<string, string | undefined>>) => void,
] => {
  const values = useSearch({ strict: false }) as Values;
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Readonly<Record<string, string | undefined>>) => {
      const next = (before: Values) =>
        Object.fromEntries(
          Object.entries({ ...before, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
        );
      void navigate({ to: '.', search: next as never, replace: true, resetScroll: false });
    },
    [navigate],
  );
  return [values, change];
};

/** The values of these filters that are set, as the operation's query takes them. */
export const useFilterValues = (fields: readonly FilterField[]): Values => {
  const [values] = useSearchValues();
  return useMemo(
    () => Object.fromEntries(fields.flatMap(({ name }) => (values[name] ? [[name, values[name]]] : []))),
    [fields, values],
  );
};

interface FieldProps {
  readonly field: FilterField;
  readonly value: string | undefined;
  readonly onChange: (name: string, value: string) => void;
}

/** Memoized: it may have a thousand choices. */
const Field = memo(({ field, value, onChange }: FieldProps) => {
  const t = useTexts(shellTexts);
  const { name, label, kind, choices = [], placeholder } = field;
  if (kind === 'choice')
    return (
      <NativeSelect
        name={name}
        label={label}
        value={value ?? ''}
        onChange={(event) => onChange(name, event.currentTarget.value)}
        data={[{ value: '', label: t.all }, ...choices]}
      />
    );
  const isMoment = kind === 'moment';
  return (
    <TextInput
      // A value that is set elsewhere, for example by a link, is shown in the field too.
      key={value}
      name={name}
      label={label}
      type={isMoment ? 'datetime-local' : 'text'}
      defaultValue={isMoment ? toLocal(value) : value}
      {...(placeholder ? { placeholder } : {})}
    />
  );
});

interface FiltersProps {
  readonly fields: readonly FilterField[];
  readonly label: string;
}

/** The filters of a list. A choice applies at once; what is typed, when it is sent. Memoized: an answer of the list renders none of them again. */
export const Filters = memo(({ fields, label }: FiltersProps) => {
  const t = useTexts(shellTexts);
  const [values, change] = useSearchValues();
  const isSet = fields.some(({ name }) => values[name]);
  // On a phone they would fill the first screen.
  const [startsOpen] = useState(() => window.matchMedia('(min-width: 48em)').matches);
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const textOf = ({ name, kind }: FilterField) => {
      const text = String(data.get(name) ?? '').trim();
      return kind === 'moment' ? fromLocal(text) : text;
    };
    change({ ...Object.fromEntries(fields.map((field) => [field.name, textOf(field)])), page: undefined });
  };
  const choose = useCallback((name: string, value: string) => change({ [name]: value, page: undefined }), [change]);
  const clear = () => change({ ...Object.fromEntries(fields.map(({ name }) => [name, undefined])), page: undefined });
  return (
    <Paper component="form" onSubmit={submit} withBorder p="sm" role="search" aria-label={label}>
      <details open={startsOpen || isSet}>
        <summary>{label}</summary>
        <Group align="flex-end" gap="sm" mt="sm">
          {fields.map((field) => (
            <Field key={field.name} field={field} value={values[field.name]} onChange={choose} />
          ))}
          {fields.some(({ kind }) => kind !== 'choice') ? (
            <Button type="submit" variant="default">
              {t.apply}
            </Button>
          ) : null}
          {isSet ? (
            <Button variant="subtle" onClick={clear}>
              {t.clearFilters}
            </Button>
          ) : null}
        </Group>
      </details>
    </Paper>
  );
});
