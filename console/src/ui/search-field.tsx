import { CloseButton, Loader, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';
import { useSearchValues } from './filters.tsx';

/** A search begins so long after the last key, in ms. */
const PAUSE_MS = 300;

/** A value that follows another once that has stood still for a moment. */
export const useSettled = <T,>(value: T, pauseMs = PAUSE_MS): T => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
};

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder?: string;
  /** The parameter of the address that holds the text; `q` unless it is given. */
  readonly name?: string;
  /** Whether its results are on their way. */
  readonly busy?: boolean;
}

/** Searches while the person types: the text goes into the URL, from which the page reads it, and the list starts from the beginning. */
export const SearchField = ({ label, placeholder = '', name = 'q', busy = false }: SearchFieldProps) => {
  const t = useTexts(shellTexts);
  const [values, change] = useSearchValues();
  const [text, setText] = useState(values[name] ?? '');
  const settled = useSettled(text);
  const written = useRef(values[name] ?? '');
  const set = values[name] ?? '';
  // Typed text goes into the URL; a URL that changes otherwise, for example by a link, goes into the field.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once what is typed has settled.
  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    change({ [name]: settled, page: undefined });
  }, [settled]);
  useEffect(() => {
    if (set === written.current) return;
    written.current = set;
    setText(set);
  }, [set]);
  const clear = <CloseButton size="sm" aria-label={t.clearSearch} onClick={() => setText('')} />;
  return (
    <TextInput
      type="search"
      role="searchbox"
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      leftSection={busy ? <Loader size={16} aria-hidden /> : <Search size={16} aria-hidden />}
      rightSection={text === '' ? null : clear}
    />
  );
};
