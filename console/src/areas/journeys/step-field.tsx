import { Checkbox, NativeSelect, NumberInput, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { useTexts } from '../../app/texts.ts';
import { BranchesField, ChannelsField, DurationField } from './composite-fields.tsx';
import { ConditionsField } from './conditions-field.tsx';
import { parsePairs, parseValue, valueAt, withValueAt, writeValue } from './config.ts';
import type { FieldProps } from './field-props.ts';
import { PickField } from './pick-field.tsx';
import type { Field } from './step-schema.ts';
import { stepTexts } from './step-texts.ts';

/** A field's value, and a change of it; undefined takes it away. */
const useValue = ({ field: { path }, config, onChange }: FieldProps) =>
  [valueAt(config, path), (value: unknown) => onChange(withValueAt(config, path, value))] as const;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** Fields that a step can do without: empty, they are not sent. */
const OPTIONAL = new Set(['rota', 'fallbackApos', 'assunto', 'html', 'ate.diaDaSemana', 'ate.data', 'criar.titulo']);

const TextField = (props: FieldProps) => {
  const { field, label, error, config, onChange } = props;
  const [value, change] = useValue(props);
  const type = field.kind === 'time' || field.kind === 'date' ? field.kind : 'text';
  const set = (text: string) => {
    // A card without a title is none.
    if (field.path === 'criar.titulo' && text === '') onChange(withValueAt(config, 'criar', undefined));
    else change(text === '' && OPTIONAL.has(field.path) ? undefined : text);
  };
  return (
    <TextInput
      type={type}
      label={label}
      error={error}
      value={textOf(value)}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
};

const AreaField = (props: FieldProps) => {
  const { field, label, error } = props;
  const [value, change] = useValue(props);
  return (
    <Textarea
      className="journey-area"
      label={label}
      error={error}
      value={textOf(value)}
      onChange={({ currentTarget: { value: text } }) =>
        change(text === '' && OPTIONAL.has(field.path) ? undefined : text)
      }
    />
  );
};

const NumberField = (props: FieldProps) => {
  const [value, change] = useValue(props);
  return (
    <NumberInput
      hideControls
      label={props.label}
      error={props.error}
      value={typeof value === 'number' ? value : ''}
      onChange={(number) => change(typeof number === 'number' ? number : undefined)}
    />
  );
};

const CheckField = (props: FieldProps) => {
  const [value, change] = useValue(props);
  return (
    <Checkbox
      label={props.label}
      error={props.error}
      checked={value === true}
      onChange={({ currentTarget }) => change(currentTarget.checked ? true : undefined)}
    />
  );
};

const ChoiceField = (props: FieldProps) => {
  const t = useTexts(stepTexts);
  const [value, change] = useValue(props);
  const names: Readonly<Record<string, string>> = t.choices;
  return (
    <NativeSelect
      label={props.label}
      error={props.error}
      value={textOf(value)}
      data={(props.field.choices ?? []).map((choice) => ({ value: choice, label: names[choice] ?? (choice || '—') }))}
      onChange={({ currentTarget }) => change(currentTarget.value || undefined)}
    />
  );
};

const ValueField = (props: FieldProps) => {
  const [value, change] = useValue(props);
  const [text, setText] = useState(() => writeValue(value));
  return (
    <TextInput
      label={props.label}
      error={props.error}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        change(parseValue(currentTarget.value));
      }}
    />
  );
};

const TagsField = (props: FieldProps) => {
  const [value, change] = useValue(props);
  const tags = Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)];
  return (
    <TagsInput
      label={props.label}
      error={props.error}
      value={tags}
      onChange={(next) => change(next.length > 0 ? next : undefined)}
      acceptValueOnBlur
    />
  );
};

/** Lines `name: value`, of an object (`pairs`) or of a list of headers. */
const PairsField = (props: FieldProps) => {
  const [value, change] = useValue(props);
  const isList = props.field.kind === 'headers';
  const [text, setText] = useState(() => {
    const pairs = Array.isArray(value)
      ? value.map((each: { readonly key: string; readonly value: string }) => [each.key, each.value] as const)
      : Object.entries((value ?? {}) as Record<string, unknown>);
    return pairs.map(([name, each]) => `${name}: ${String(each)}`).join('\n');
  });
  const set = (written: string) => {
    setText(written);
    const pairs = parsePairs(written);
    const next = isList ? pairs.map(([key, each]) => ({ key, value: each })) : Object.fromEntries(pairs);
    change(pairs.length === 0 ? undefined : next);
  };
  return (
    <Textarea
      className="journey-area"
      label={props.label}
      error={props.error}
      value={text}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
};

const FIELDS: Readonly<Record<Field['kind'], ComponentType<FieldProps>>> = {
  text: TextField,
  time: TextField,
  date: TextField,
  area: AreaField,
  number: NumberField,
  check: CheckField,
  choice: ChoiceField,
  pick: PickField,
  duration: DurationField,
  tags: TagsField,
  pairs: PairsField,
  headers: PairsField,
  value: ValueField,
  branches: BranchesField,
  conditions: ConditionsField,
  channels: ChannelsField,
};

/** The input of a field of a step's config. */
export const StepField = (props: Omit<FieldProps, 'label'>) => {
  const t = useTexts(stepTexts);
  const Input = FIELDS[props.field.kind];
  return <Input {...props} label={t.fields[props.field.label]} />;
};
