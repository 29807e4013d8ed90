import { useBlocker } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';
import { guardUnsaved } from '../app/unsaved-guard.ts';
import { chunkOf } from './chunk.tsx';

// Loaded once something is asked.
const Confirm = chunkOf(async () => ({ default: (await import('./confirm.tsx')).Confirm }));

/**
 * Asks before what was edited is lost: by a link, by going back, by another environment or signing out. A reload and a closed tab are asked about
 * by the browser. What has been saved leaves with `ignoreBlocker`.
 */
export const UnsavedGuard = ({ when }: { readonly when: boolean }) => {
  const t = useTexts(shellTexts).unsaved;
  const [isAsking, setIsAsking] = useState(false);
  const answer = useRef<(leaves: boolean) => void>(undefined);
  const mayLeave = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        // Asked again meanwhile, as by a second press of Back: the last answer goes for all of it, since the router counts from where it was.
        answer.current = resolve;
        setIsAsking(true);
      }),
    [],
  );
  const decide = (leaves: boolean) => {
    setIsAsking(false);
    answer.current?.(leaves);
    answer.current = undefined;
  };
  useEffect(() => (when ? guardUnsaved(mayLeave) : undefined), [when, mayLeave]);
  useBlocker({
    // Its filters, tabs and anchors are of the same page.
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await mayLeave()),
    enableBeforeUnload: when,
    disabled: !when,
  });
  if (!isAsking) return null;
  return (
    <Confirm.Component
      opened
      dangerous
      onClose={() => decide(false)}
      title={t.title}
      hint={t.hint}
      action={t.leave}
      cancel={t.stay}
      onConfirm={() => decide(true)}
      busy={false}
      error={undefined}
    />
  );
};
