import { Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  readonly name: string;
  readonly children: ReactNode;
  readonly hint?: string;
}

/** A figure of the overview, with its name and how to read it. */
export const Figure = ({ name, children, hint }: FigureProps) => (
  <Card withBorder data-figure={name}>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Text size="xl" fw={650}>
      {children}
    </Text>
    {hint ? (
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    ) : null}
  </Card>
);
