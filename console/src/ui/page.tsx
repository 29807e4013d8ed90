import { Group, Stack, Text, Title } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

/** A part of a page, under a heading of its own. */
export const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Stack component="section" gap="sm" aria-label={title}>
    <Title order={2} size="h4">
      {title}
    </Title>
    {children}
  </Stack>
);

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons of the page, beside the title. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

let visited = false;

/** A page: its title is the document's, and takes the focus when one navigates to it, so that a screen reader reads it. */
export const Page = ({ title, description, actions, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page of the same component takes the focus too.
  useEffect(() => {
    // Not at the first page: the browser begins at its top by itself.
    // The router scrolls already; scrolling here would force a layout of the incomplete page.
    if (visited) heading.current?.focus({ preventScroll: true });
    visited = true;
  }, [pathname]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} size="h2" ref={heading} tabIndex={-1} data-page-title>
            {title}
          </Title>
          {description ? <Text c="dimmed">{description}</Text> : null}
        </div>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </Group>
      {children}
    </Stack>
  );
};
