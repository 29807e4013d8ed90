import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import { texts } from './texts.ts';

interface SectionProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

/** A part of the settings. */
export const Section = ({ title, hint, children }: SectionProps) => (
  <Paper withBorder p="md" component="section" aria-label={title}>
    <Stack gap="sm">
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        {hint ? (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        ) : null}
      </div>
      {children}
    </Stack>
  </Paper>
);

interface SettingFormProps {
  readonly saving: {
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    readonly error: unknown;
  };
  readonly onSave: () => void;
  readonly children: ReactNode;
}

/** Fields that are saved together, by who may; whoever may not reads them. */
export const SettingForm = ({ saving, onSave, children }: SettingFormProps) => {
  const t = useTexts(texts);
  const mayWrite = useMay()('organization:write');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <fieldset className="setting-fields" disabled={!mayWrite}>
        <Stack gap="sm">
          {children}
          <ProblemView error={saving.error} />
          {mayWrite ? (
            <Group gap="sm">
              <Button type="submit" loading={saving.isPending}>
                {t.save}
              </Button>
              <span role="status">{saving.isSuccess ? t.saved : ''}</span>
            </Group>
          ) : null}
        </Stack>
      </fieldset>
    </form>
  );
};
