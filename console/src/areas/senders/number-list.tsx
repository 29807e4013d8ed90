import { Button, Group, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { MessageCircle } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { NumberPage, NumbersListQuery, WhatsappNumber } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { choicesOf, TextField } from '../../ui/fields.tsx';
import { choiceFilter, type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { emptyState } from '../../ui/states.tsx';
import { AppLink, StateOf, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

export const NUMBER_TONES: Readonly<Record<WhatsappNumber['status'], Tone>> = {
  connected: 'good',
  available: 'pending',
  pending: 'pending',
  flagged: 'bad',
  disconnected: 'bad',
};
export const QUALITY_TONES: Readonly<Record<WhatsappNumber['qualityRating'], Tone>> = {
  green: 'good',
  yellow: 'pending',
  red: 'bad',
  unknown: 'neutral',
};

const ConnectDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [phoneNumberId, setPhoneNumberId] = useState('');
  const [wabaId, setWabaId] = useState('');
  const [accessToken, setAccessToken] = useState('');
  return (
    <ActionDialog
      title={t.connect}
      hint={t.connectHint}
      act={() =>
        api.numbers.connect({
          phoneNumberId: phoneNumberId.trim(),
          wabaId: wabaId.trim(),
          accessToken: accessToken.trim(),
        })
      }
      invalidates={[['numbers']]}
      onDone={({ id }) => navigate({ to: `/senders/numbers/${id}` })}
      onClose={onClose}
    >
      <TextField
        name="phoneNumberId"
        label={t.phoneNumberId}
        required
        value={phoneNumberId}
        onChange={setPhoneNumberId}
      />
      <TextField name="wabaId" label={t.wabaId} required value={wabaId} onChange={setWabaId} />
      <TextField
        name="accessToken"
        label={t.accessToken}
        description={t.accessTokenHint}
        type="password"
        required
        value={accessToken}
        onChange={setAccessToken}
      />
    </ActionDialog>
  );
};

const useFields = (): readonly FilterField[] => {
  const t = useTexts(texts);
  return useMemo(
    () => [
      choiceFilter('status', t.status, choicesOf(t.numberStates)),
      choiceFilter('qualityRating', t.quality, choicesOf(t.qualities)),
    ],
    [t],
  );
};

const useColumns = (): readonly Column<WhatsappNumber>[] => {
  const t = useTexts(texts);
  return [
    {
      key: 'phone',
      title: t.phone,
      cell: ({ id, displayPhone }) => <AppLink to={`/senders/numbers/${id}`}>{displayPhone}</AppLink>,
    },
    {
      key: 'name',
      title: t.verifiedName,
      cell: ({ meta }) => <span className="breakable">{meta.verifiedName ?? '—'}</span>,
    },
    {
      key: 'status',
      title: t.status,
      cell: ({ status }) => <StateOf state={status} tones={NUMBER_TONES} words={t.numberStates} />,
    },
    {
      key: 'quality',
      title: t.quality,
      cell: ({ qualityRating }) => <StateOf state={qualityRating} tones={QUALITY_TONES} words={t.qualities} />,
    },
    { key: 'tier', title: t.tier, cell: ({ messagingTier }) => t.tiers[messagingTier] },
  ];
};

/** The WhatsApp numbers of the organization. */
export const NumberList = () => {
  const t = useTexts(texts);
  const may = useMay();
  const fields = useFields();
  const filters = useFilterValues(fields) as NumbersListQuery;
  const [connecting, setConnecting] = useState(false);
  const list = usePagedList<NumberPage, NumbersListQuery>({
    queryKey: ['numbers'],
    filters,
    read: (query, signal) => api.numbers.list(query, { signal }),
  });
  return (
    <Stack>
      {may('numbers:write') ? (
        <Group>
          <Button onClick={() => setConnecting(true)}>{t.connect}</Button>
        </Group>
      ) : null}
      <Filters fields={fields} label={t.filters} />
      <PagedList
        query={list}
        caption={t.tabs.numbers}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(MessageCircle, t.noNumbers, t.noNumbersHint)}
      />
      {connecting ? <ConnectDialog onClose={() => setConnecting(false)} /> : null}
    </Stack>
  );
};
