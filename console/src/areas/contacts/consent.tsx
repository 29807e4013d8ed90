import { Button, Group, Stack, Text } from '@mantine/core';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ConsentChange, Contact } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Consent } from '../../ui/contacts.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { TextField } from '../../ui/fields.tsx';
import { CursorList, useCursorList } from '../../ui/lists.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { pageTexts } from './page-texts.ts';

interface DialogProps {
  readonly id: string;
  readonly onClose: () => void;
}
const changed = (id: string) => [['contact', id], ['contacts']];

const OptInDialog = ({ id, onClose }: DialogProps) => {
  const t = useTexts(pageTexts).consents;
  const [source, setSource] = useState('');
  return (
    <ActionDialog
      title={t.optIn}
      hint={t.optInHint}
      act={() => api.contacts.optIn(id, { source })}
      invalidates={changed(id)}
      onClose={onClose}
    >
      <TextField name="source" required label={t.source} value={source} onChange={setSource} />
    </ActionDialog>
  );
};

const OptOutDialog = ({ id, onClose }: DialogProps) => {
  const t = useTexts(pageTexts).consents;
  const [reason, setReason] = useState('');
  return (
    <ActionDialog
      dangerous
      title={t.optOut}
      hint={t.optOutHint}
      act={() => api.contacts.optOut(id, reason === '' ? {} : { reason })}
      invalidates={changed(id)}
      onClose={onClose}
    >
      <TextField name="reason" label={t.reason} value={reason} onChange={setReason} />
    </ActionDialog>
  );
};

const DIALOGS = { optIn: OptInDialog, optOut: OptOutDialog } as const;

const useColumns = (): readonly Column<ConsentChange>[] => {
  const t = useTexts(pageTexts).consents;
  return [
    { key: 'at', title: t.at, cell: ({ at }) => <Time at={at} /> },
    { key: 'status', title: t.status, cell: ({ status }) => <Consent status={status} /> },
    {
      key: 'how',
      title: t.how,
      cell: ({ source, reason, ip, userAgent }) => (
        <span className="breakable">
          {[source, reason, ip, userAgent].filter((each) => each !== undefined).join(' · ') || '—'}
        </span>
      ),
    },
  ];
};

/** A person's consent, and every change to it. */
export const ConsentHistory = ({ contact }: { readonly contact: Contact }) => {
  const t = useTexts(pageTexts).consents;
  const may = useMay();
  const [dialog, setDialog] = useState<keyof typeof DIALOGS>();
  const Dialog = dialog && DIALOGS[dialog];
  const { id, optIn } = contact;
  const changes = useCursorList<ConsentChange>({
    queryKey: ['contact', id, 'consents'],
    read: async (paging, signal) => api.contacts.consents(id, paging, { signal }),
  });
  const offered = (['optIn', 'optOut'] as const).filter(
    (each) => optIn.status !== (each === 'optIn' ? 'granted' : 'denied'),
  );
  return (
    <Stack>
      <Group>
        <Consent status={optIn.status} />
        <Text size="sm">{t.everyChannel}</Text>
        {may('contacts:write')
          ? offered.map((each) => (
              <Button key={each} variant="default" onClick={() => setDialog(each)}>
                {t[each]}
              </Button>
            ))
          : null}
      </Group>
      <CursorList
        query={changes}
        caption={t.status}
        columns={useColumns()}
        keyOf={({ at, status }) => `${at} ${status}`}
        empty={emptyState(ShieldCheck, t.emptyTitle, t.empty)}
      />
      {Dialog ? <Dialog id={id} onClose={() => setDialog(undefined)} /> : null}
    </Stack>
  );
};
