import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';
import { ProblemError } from '../sdk.ts';
import { CopyText } from './copy-text.tsx';

interface ProblemViewProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** An error as the person can act on it: what went wrong, what to do, and the id by which we find the call. */
export const ProblemView = ({ error, onRetry }: ProblemViewProps) => {
  const t = useTexts(shellTexts);
  if (!error) return null;
  const problem = error instanceof ProblemError ? error : undefined;
  return (
    <Alert
      color="red"
      variant="outline"
      icon={<TriangleAlert aria-hidden />}
      title={problem?.title ?? t.unreachable}
      role="alert"
    >
      <Stack gap="xs">
        <Text size="sm">{problem ? problem.detail : t.unreachableHint}</Text>
        {problem && problem.errors.length > 0 ? (
          <List size="sm">
            {problem.errors.map(({ path, message }) => (
              <List.Item key={`${path} ${message}`}>
                <Code>{path}</Code> {message}
              </List.Item>
            ))}
          </List>
        ) : null}
        {problem?.action ? (
          <Text size="sm">
            <b>{t.advice}:</b> {problem.action}
          </Text>
        ) : null}
        <Group gap="sm">
          {problem?.requestId ? (
            <Group gap={4}>
              <Text size="xs">{t.requestId}:</Text>
              <CopyText text={problem.requestId} />
            </Group>
          ) : null}
          {onRetry ? (
            <Button size="xs" variant="default" onClick={onRetry}>
              {t.retry}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Alert>
  );
};
