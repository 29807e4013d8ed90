import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { useMay, useSession } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { texts } from './texts.ts';

const commandOf = (text: string): string => `curl ${window.location.origin}/v1/messages \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: first-one" \\
  -d '${JSON.stringify({ channel: 'sms', to: '+5511999990005', text })}'`;

/** Stands where there is nothing to count yet: how one sends the first message. */
export const FirstSend = () => {
  const t = useTexts(texts);
  const may = useMay();
  const { environment } = useSession();
  return (
    <EmptyState
      icon={ChartColumn}
      title={t.emptyTitle}
      action={
        <Group justify="center">
          {may('messages:send') ? (
            <Button component={Link} to="/composer">
              {t.compose}
            </Button>
          ) : null}
          {may('keys:read') ? (
            <Button component={Link} to="/keys" variant="default">
              {t.keys}
            </Button>
          ) : null}
        </Group>
      }
    >
      <Stack gap="sm">
        <Text inherit>{t.empty}</Text>
        {environment === 'test' ? <Text inherit>{t.emptyTest}</Text> : null}
        {may('messages:send') ? (
          <>
            <Text inherit>{t.emptyCode}</Text>
            <Text component="div" ta="start">
              <CodeBlock label={t.emptyCode}>{commandOf(t.exampleText)}</CodeBlock>
            </Text>
          </>
        ) : null}
      </Stack>
    </EmptyState>
  );
};
