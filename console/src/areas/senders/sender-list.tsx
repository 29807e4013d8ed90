import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { AtSign } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Sender } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ChoiceField, choicesOf, TextField } from '../../ui/fields.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StateOf, Time, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const TONES: Readonly<Record<Sender['status'], Tone>> = { pending: 'pending', verified: 'good', rejected: 'bad' };
const KEY = ['senders'];
const REFRESH_MS = 15_000;

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const [channel, setChannel] = useState<Sender['channel']>('email');
  const [value, setValue] = useState('');
  return (
    <ActionDialog
      title={t.newSender}
      hint={t.newSenderHint}
      act={() => api.senders.create({ channel, value: value.trim() })}
      invalidates={[KEY]}
      onClose={onClose}
    >
      <ChoiceField<Sender['channel']>
        name="channel"
        label={t.channel}
        value={channel}
        onChange={setChannel}
        choices={choicesOf(t.channels)}
      />
      <TextField
        name="value"
        label={t.value}
        description={t.valueHints[channel]}
        required
        value={value}
        onChange={setValue}
      />
    </ActionDialog>
  );
};

/** The records that prove a domain, each to be copied, while they are waited for. */
const Records = ({ sender }: { readonly sender: Sender }) => {
  const t = useTexts(texts);
  const records = sender.verification?.records ?? [];
  if (records.length === 0) return null;
  return (
    <Stack component="section" gap="xs" aria-label={t.recordsOf(sender.value)}>
      <Text fw={600}>{t.recordsOf(sender.value)}</Text>
      <Text size="sm" c="dimmed">
        {t.recordsHint}
      </Text>
      <DataTable
        caption={t.recordsOf(sender.value)}
        columns={[
          { key: 'type', title: t.recordType, cell: ({ type }) => type },
          { key: 'name', title: t.recordName, cell: ({ name }) => <CopyText text={name} label={t.recordName} /> },
          { key: 'value', title: t.recordValue, cell: ({ value }) => <CopyText text={value} label={t.recordValue} /> },
        ]}
        rows={records}
        keyOf={({ name }) => name}
      />
    </Stack>
  );
};

const ACTS = {
  verify: (id: string) => api.senders.verify(id),
  makeDefault: (id: string) => api.senders.change(id, { isDefault: true }),
  unmakeDefault: (id: string) => api.senders.change(id, { isDefault: false }),
  remove: (id: string) => api.senders.delete(id),
} as const;
type Act = keyof typeof ACTS;

const isDomain = ({ channel, value }: Sender): boolean => channel === 'email' && !value.includes('@');

const actsOf = (sender: Sender): readonly Act[] => {
  if (sender.status !== 'verified') return ['verify', 'remove'];
  if (isDomain(sender)) return ['remove'];
  return [sender.isDefault ? 'unmakeDefault' : 'makeDefault', 'remove'];
};

const Actions = ({ sender }: { readonly sender: Sender }) => {
  const t = useTexts(texts);
  const [act, setAct] = useState<Act>();
  return (
    <>
      <ActionMenu
        label={t.actionsOf(sender.value)}
        items={actsOf(sender).map((value) => ({ value, label: t.acts[value] }))}
        onChoose={setAct}
      />
      {act ? (
        <ActionDialog
          title={`${t.acts[act]}: ${sender.value}`}
          hint={t.actHints[act]}
          action={t.acts[act]}
          dangerous={act === 'remove'}
          act={(): Promise<unknown> => ACTS[act](sender.id)}
          invalidates={[KEY]}
          onClose={() => setAct(undefined)}
        />
      ) : null}
    </>
  );
};

const useColumns = (): readonly Column<Sender>[] => {
  const t = useTexts(texts);
  const may = useMay();
  return [
    { key: 'value', title: t.sender, cell: ({ value }) => <span className="breakable">{value}</span> },
    { key: 'channel', title: t.channel, cell: ({ channel }) => t.channels[channel] },
    {
      key: 'status',
      title: t.status,
      cell: ({ status }) => <StateOf state={status} tones={TONES} words={t.senderStates} />,
    },
    { key: 'default', title: t.isDefault, cell: ({ isDefault }) => (isDefault ? t.yes : '—') },
    { key: 'createdAt', title: t.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ...(may('senders:write')
      ? [
          {
            key: 'actions',
            title: t.actions,
            alignEnd: true,
            cell: (sender: Sender) => <Actions sender={sender} />,
          },
        ]
      : []),
  ];
};

/** The senders of e-mails, SMS and RCS, and their proofs. */
export const SenderList = () => {
  const t = useTexts(texts);
  const may = useMay();
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const list = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await api.senders.list({ signal })).items,
    // A proof is found sooner or later.
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'pending') ? REFRESH_MS : false),
  });
  return (
    <Stack>
      {may('senders:write') ? (
        <Group>
          <Button onClick={() => setCreating(true)}>{t.newSender}</Button>
        </Group>
      ) : null}
      <QueryView query={list}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={AtSign} title={t.noSenders}>
              {t.noSendersHint}
            </EmptyState>
          ) : (
            <>
              <DataTable caption={t.tabs.senders} columns={columns} rows={items} keyOf={({ id }) => id} />
              {items
                .filter(({ status }) => status !== 'verified')
                .map((sender) => (
                  <Records key={sender.id} sender={sender} />
                ))}
            </>
          )
        }
      </QueryView>
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </Stack>
  );
};
