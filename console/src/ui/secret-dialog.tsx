import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';
import { CopyText } from './copy-text.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly secret: string;
  /** Says that the person has kept it: nothing else closes the dialog by accident. */
  readonly done: string;
  readonly onClose: () => void;
}

/** Shows a secret that is shown once. */
export const SecretDialog = ({ title, label, hint, secret, done, onClose }: SecretDialogProps) => {
  const t = useTexts(shellTexts);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <Stack>
        <Text size="sm">{hint}</Text>
        <div>
          <Text size="sm" fw={600}>
            {label}
          </Text>
          <CopyText text={secret} label={label} />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose}>{done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
};
