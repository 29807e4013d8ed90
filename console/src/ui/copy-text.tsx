import { ActionIcon, Code, Group } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';

/** A text in fixed width, with a button that copies it. */
export const CopyText = ({ text, label }: { readonly text: string; readonly label?: string }) => {
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  const t = useTexts(shellTexts);
  const action = copied ? t.copied : `${t.copy}${label ? ` ${label}` : ''}`;
  return (
    <Group gap={2} wrap="nowrap" maw="100%">
      <Code className="breakable">{text}</Code>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={action} title={action} onClick={() => copy(text)}>
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </ActionIcon>
    </Group>
  );
};
