import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';
import { FieldErrors } from './fields.tsx';
import { ProblemView } from './problem-view.tsx';

interface ConfirmProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** A description of the action, shown before it is done. */
  readonly hint?: string;
  readonly action: string;
  /** The word of the button that does nothing; `Cancel` unless it is given. */
  readonly cancel?: string;
  readonly onConfirm: () => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly dangerous?: boolean;
  /** Fields of what is confirmed. */
  readonly children?: ReactNode;
}

/** Asks before something is done that cannot be taken back, or takes what it needs. */
export const Confirm = ({
  opened,
  onClose,
  title,
  hint,
  action,
  cancel,
  onConfirm,
  busy,
  error,
  dangerous,
  children,
}: ConfirmProps) => {
  const t = useTexts(shellTexts);
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t.close }}>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        {hint ? <Text size="sm">{hint}</Text> : null}
        <FieldErrors value={error}>{children}</FieldErrors>
        <ProblemView error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {cancel ?? t.cancel}
          </Button>
          <Button type="submit" color={dangerous ? 'red' : 'blue'} loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
};
