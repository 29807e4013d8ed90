import { useMemo } from 'react';
import { useTexts } from '../../app/texts.ts';
import { Page } from '../../ui/page.tsx';
import { AddressTabs } from '../../ui/tabs.tsx';
import { Organizations } from './organizations.tsx';
import { Providers } from './providers.tsx';
import { Queues } from './queues.tsx';
import { texts } from './texts.ts';
import { Work } from './work.tsx';

/** The stage itself, for its operators: queues, stuck work, providers, organizations. */
export default function OperatorPage() {
  const t = useTexts(texts);
  const tabs = useMemo(
    () => [
      { value: 'queues', label: t.tabs.queues, content: () => <Queues /> },
      { value: 'work', label: t.tabs.work, content: () => <Work /> },
      { value: 'providers', label: t.tabs.providers, content: () => <Providers /> },
      { value: 'organizations', label: t.tabs.organizations, content: () => <Organizations /> },
    ],
    [t],
  );
  return (
    <Page title={t.title} description={t.description}>
      <AddressTabs tabs={tabs} label={t.title} />
    </Page>
  );
}
