import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFormat } from '../app/format.ts';
import { Fact, Facts } from './values.tsx';

const REFRESH_MS = 2_000;

interface LongWorkOptions<T> {
  readonly queryKey: QueryKey;
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** Whether it is still running: it is polled until it is not. */
  readonly isRunning: (work: T) => boolean;
}

/** Work that takes longer than a call, such as an import: read again and again until it is over. */
export const useLongWork = <T,>({ queryKey, read, isRunning }: LongWorkOptions<T>) =>
  useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    refetchInterval: ({ state }) => (state.data === undefined || isRunning(state.data) ? REFRESH_MS : false),
  });

interface LongWorkViewProps {
  readonly title: string;
  /** How it stands, in words. */
  readonly status: ReactNode;
  /** The completed part; without it, a bar that only shows that it is running. */
  readonly share?: number | undefined;
  readonly running: boolean;
  /** The results so far: names and numbers. */
  readonly figures: readonly (readonly [name: string, figure: number])[];
  /** The possible actions. */
  readonly children?: ReactNode;
}

/** How far long work is. */
export const LongWorkView = ({ title, status, share, running, figures, children }: LongWorkViewProps) => {
  const format = useFormat();
  const percent = share === undefined ? 100 : Math.min(100, Math.max(0, share * 100));
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600} className="breakable">
            {title}
          </Text>
          <div role="status">{status}</div>
        </Group>
        {running ? (
          <Progress value={percent} aria-label={title} striped={share === undefined} animated={share === undefined} />
        ) : null}
        <Facts>
          {figures.map(([name, figure]) => (
            <Fact key={name} name={name}>
              {format.number(figure)}
            </Fact>
          ))}
        </Facts>
        {children}
      </Stack>
    </Paper>
  );
};
