import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { Page } from '../../ui/page.tsx';
import { AddressTabs, type Tab } from '../../ui/tabs.tsx';
import { NumberList } from './number-list.tsx';
import { PushApps } from './push-apps.tsx';
import { SenderList } from './sender-list.tsx';
import { SmppAccounts } from './smpp-accounts.tsx';
import { texts } from './texts.ts';

/** The senders of messages, channel by channel. */
export default function SendersPage() {
  const t = useTexts(texts);
  const may = useMay();
  const tabs: readonly (Tab | false)[] = [
    { value: 'senders', label: t.tabs.senders, content: () => <SenderList /> },
    may('numbers:read') && { value: 'numbers', label: t.tabs.numbers, content: () => <NumberList /> },
    may('push:read') && { value: 'push', label: t.tabs.push, content: () => <PushApps /> },
    may('keys:read') && { value: 'smpp', label: t.tabs.smpp, content: () => <SmppAccounts /> },
  ];
  return (
    <Page title={t.title} description={t.description}>
      <AddressTabs tabs={tabs.filter((tab) => tab !== false)} label={t.title} />
    </Page>
  );
}
