import './settings.css';
import { Stack } from '@mantine/core';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { Page } from '../../ui/page.tsx';
import { DestinationSettings } from './destinations.tsx';
import { OrganizationSettings } from './organization.tsx';
import { QuietHoursSettings } from './quiet-hours.tsx';
import { Sessions } from './sessions.tsx';
import { texts } from './texts.ts';

/** The organization's own settings, and the sessions of the person. */
export default function SettingsPage() {
  const t = useTexts(texts);
  const mayRead = useMay()('organization:read');
  return (
    <Page title={t.title} description={t.description}>
      <Stack maw="56rem">
        {mayRead ? (
          <>
            <OrganizationSettings />
            <QuietHoursSettings />
            <DestinationSettings />
          </>
        ) : null}
        <Sessions />
      </Stack>
    </Page>
  );
}
