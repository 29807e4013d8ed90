import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { createContext, type HTMLInputTypeAttribute, use } from 'react';
import { ProblemError } from '../sdk.ts';

/** The error that the fields below it show in their places. */
export const FieldErrors = createContext<unknown>(undefined);

/** A problem's error at a field, by the field's path in the body (`name`, `filters.0.value`), or at a field within it. */
export const useFieldError = (path: string): string | undefined => {
  const error = use(FieldErrors);
  if (!(error instanceof ProblemError)) return undefined;
  return error.errors.find((each) => each.path === path || each.path.startsWith(`${path}.`))?.message;
};

interface FieldProps<T extends string> {
  /** Where its value stands in the body. */
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

interface TextFieldProps extends FieldProps<string> {
  readonly type?: HTMLInputTypeAttribute;
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** The field of a dialog that has the focus first. */
  readonly 'data-autofocus'?: boolean;
  /** Of a number: `any` takes every one, absent whole ones alone. */
  readonly step?: string;
}

/** A line of text, with what a problem says of it. */
export const TextField = ({ onChange, ...field }: TextFieldProps) => {
  const error = useFieldError(field.name);
  return <TextInput {...field} error={error} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
};

/** A longer text scrolls, unless the field says otherwise. */
const MAX_ROWS = 12;

/** A text of several lines, with what a problem says of it. */
export const TextAreaField = ({
  onChange,
  minRows = 3,
  maxRows = MAX_ROWS,
  ...field
}: TextFieldProps & { readonly minRows?: number; readonly maxRows?: number }) => {
  const error = useFieldError(field.name);
  return (
    <Textarea
      autosize
      minRows={minRows}
      maxRows={maxRows}
      {...field}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
};

/** A value and what it is called. */
export interface Choice<T extends string = string> {
  readonly value: T;
  readonly label: string;
}

/** Values by their words, in the order of these. */
export const choicesOf = <T extends string>(words: Readonly<Record<T, string>>): Choice<T>[] =>
  (Object.entries(words) as [T, string][]).map(([value, label]) => ({ value, label }));

/** One of some values, with what a problem says of it. */
export const ChoiceField = <T extends string>({
  onChange,
  choices,
  ...field
}: FieldProps<T> & { readonly choices: readonly Choice<T>[] }) => {
  const error = useFieldError(field.name);
  return (
    <NativeSelect
      {...field}
      error={error}
      data={[...choices]}
      onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
    />
  );
};
