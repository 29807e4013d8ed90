import { Group } from '@mantine/core';
import { useTexts } from '../../app/texts.ts';
import { AppLink } from '../../ui/values.tsx';
import { texts } from './texts.ts';

/** From the templates of one kind to those of the other. */
export const Kinds = ({ here }: { readonly here: 'whatsapp' | 'email' }) => {
  const t = useTexts(texts);
  const kinds = [
    ['whatsapp', '/templates'],
    ['email', '/templates/email'],
  ] as const;
  return (
    <Group component="nav" gap="md" aria-label={t.kinds}>
      {kinds.map(([kind, to]) => (
        <AppLink
          key={kind}
          to={to}
          fw={kind === here ? 650 : 400}
          underline={kind === here ? 'never' : 'always'}
          aria-current={kind === here ? 'page' : undefined}
        >
          {t[kind]}
        </AppLink>
      ))}
    </Group>
  );
};
