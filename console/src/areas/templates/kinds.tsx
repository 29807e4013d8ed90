import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { Page } from '../../ui/page.tsx';
import { AppLink } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const PATHS = { whatsapp: '/templates', email: '/templates/email' } as const;
type Kind = keyof typeof PATHS;
const KINDS = Object.keys(PATHS) as Kind[];

/** The templates of one kind, from which one goes to those of the other. */
export const TemplatesPage = ({ kind: here, children }: { readonly kind: Kind; readonly children: ReactNode }) => {
  const t = useTexts(texts);
  const may = useMay();
  const create = may('templates:write') ? (
    <Button component={Link} to={`${PATHS[here]}/new`}>
      {t.create}
    </Button>
  ) : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Group component="nav" gap="md" aria-label={t.kinds}>
        {KINDS.map((kind) => (
          <AppLink
            key={kind}
            to={PATHS[kind]}
            underlined={kind !== here}
            aria-current={kind === here ? 'page' : undefined}
          >
            {t[kind]}
          </AppLink>
        ))}
      </Group>
      {children}
    </Page>
  );
};
