import { Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** The purpose, and how to get the first item. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Shown for an empty list: what would be here, and how to get it. */
export const EmptyState = ({ icon: Icon, title, children, action }: EmptyStateProps) => (
  <Paper withBorder p="xl">
    <Stack align="center" gap="sm" ta="center" maw="36rem" mx="auto">
      <Icon size={36} aria-hidden strokeWidth={1.5} />
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" component="div">
        {children}
      </Text>
      {action}
    </Stack>
  </Paper>
);

/** The same, as lists take it. */
export const emptyState = (icon: LucideIcon, title: string, text: ReactNode): ReactNode => (
  <EmptyState icon={icon} title={title}>
    {text}
  </EmptyState>
);

/** Bars in the place of what is being loaded. */
export const Loading = ({ rows = 5 }: { readonly rows?: number }) => {
  const t = useTexts(shellTexts);
  return (
    <Stack gap="sm" role="status" aria-label={t.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have nothing but their place.
        <Skeleton key={row} height={36} />
      ))}
    </Stack>
  );
};
