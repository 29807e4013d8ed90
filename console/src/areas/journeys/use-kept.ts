import { replaceEqualDeep } from '@tanstack/react-query';
import { useRef } from 'react';

/** Keeps the identity of all in a value that did not change: a keystroke renders the edited step again, not all of them. */
export const useKept = <T>(value: T): T => {
  const kept = useRef(value);
  kept.current = replaceEqualDeep(kept.current, value);
  return kept.current;
};
