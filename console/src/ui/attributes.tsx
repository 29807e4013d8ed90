import { Textarea } from '@mantine/core';

/** Free attributes, as companies and deals have them. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | string[]>>;
type Value = Attributes[string];

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A value as people write it: a text as it stands, unless it would be read as something else. */
export const attributeText = (value: Value): string =>
  typeof value === 'string' &&
  value !== '' &&
  value === value.trim() &&
  !/[\n"]/.test(value) &&
  parsed(value) === undefined
    ? value
    : JSON.stringify(value);

/** Attributes, one a line. */
export const attributeLines = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([key, value]) => `${key} = ${attributeText(value)}`)
    .join('\n');

/** Parses the output of `attributeLines`. A value that is valid JSON is parsed, else it is a text. A line without `=` is a key without a value. */
export const parseAttributeLines = (text: string): Record<string, Value> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const at = line.indexOf('=');
        const key = (at < 0 ? line : line.slice(0, at)).trim();
        const value = at < 0 ? '' : line.slice(at + 1).trim();
        // The service refuses invalid attributes.
        return [key, (value === '' ? null : (parsed(value) ?? value)) as Value];
      }),
  );

interface AttributesFieldProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Attributes without a definition, one a line. */
export const AttributesField = ({ label, description, value, onChange }: AttributesFieldProps) => (
  <Textarea
    label={label}
    description={description}
    autosize
    minRows={2}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);
