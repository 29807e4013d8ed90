import { Button, Group, Stack } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAction } from './action.ts';
import { FieldErrors } from './fields.tsx';
import { ProblemView } from './problem-view.tsx';
import { UnsavedGuard } from './unsaved.tsx';

interface EditFormProps<F, R> {
  /** The form's first values. */
  readonly initial: F;
  /** The word of the button that saves. */
  readonly action: string;
  readonly save: (form: F) => Promise<R>;
  /** The queries whose answers it changes. */
  readonly invalidates: readonly QueryKey[];
  /** Where what was saved is shown. */
  readonly leadsTo: (saved: R) => string;
  /** Whether there is enough of it to be saved. */
  readonly isComplete?: (form: F) => boolean;
  /** Additional help for a problem. */
  readonly advice?: (error: unknown) => ReactNode;
  readonly children: (form: F, onChange: (form: F) => void) => ReactNode;
}

/** A thing that is created or changed on a page of its own: asks before changes are lost, saves them, and leads to what was saved. */
export const EditForm = <F, R>(props: EditFormProps<F, R>) => {
  const { initial, action, save, invalidates, leadsTo, isComplete, advice, children } = props;
  const navigate = useNavigate();
  const [before] = useState(initial);
  const [form, setForm] = useState(before);
  const saving = useAction(() => save(form), {
    invalidates,
    onDone: (saved) => navigate({ to: leadsTo(saved), ignoreBlocker: true }),
  });
  return (
    <>
      {/* Beside the form: what is submitted in its dialog would be submitted here as well. */}
      <UnsavedGuard when={JSON.stringify(form) !== JSON.stringify(before)} />
      <Stack
        component="form"
        gap="lg"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <FieldErrors value={saving.error}>{children(form, setForm)}</FieldErrors>
        <ProblemView error={saving.error} />
        {saving.error ? advice?.(saving.error) : null}
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={isComplete?.(form) === false}>
            {action}
          </Button>
        </Group>
      </Stack>
    </>
  );
};
