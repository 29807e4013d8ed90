import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../app/texts.ts';
import { valueAt, withValueAt } from './config.ts';
import type { FieldProps } from './field-props.ts';
import { stepTexts } from './step-texts.ts';

/** A value as JSON: what is typed counts as soon as it can be read. */
export const JsonField = ({ field: { path }, label, config, onChange, error }: FieldProps) => {
  const t = useTexts(stepTexts);
  const [text, setText] = useState(() => JSON.stringify(valueAt(config, path), undefined, 2));
  const [isRead, setIsRead] = useState(true);
  const set = (written: string) => {
    setText(written);
    try {
      onChange(withValueAt(config, path, JSON.parse(written)));
      setIsRead(true);
    } catch {
      setIsRead(false);
    }
  };
  return (
    <Textarea
      autosize
      minRows={4}
      maxRows={16}
      label={label}
      error={isRead ? error : t.notJson}
      value={text}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
};
