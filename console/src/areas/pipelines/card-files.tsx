import { ActionIcon, Button, FileButton, Group, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { CardFile } from '../../sdk.ts';
import { useAction } from '../../ui/action.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { MemberName } from '../../ui/members.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

interface CardProps {
  readonly cardId: string;
}

/** Sends a file past the API: begins its upload, puts the bytes where it says, and registers them with the card. */
const upload = async (cardId: string, file: File, refused: string): Promise<CardFile> => {
  const mimeType = file.type === '' ? 'application/octet-stream' : file.type;
  const { uploadId, method, url, headers } = await api.cardFiles.beginUpload(cardId, {
    nome: file.name,
    mimeType,
    tamanho: file.size,
  });
  const answer = await fetch(url, { method, headers, body: file, credentials: 'omit' });
  if (!answer.ok) throw new Error(refused);
  return api.cardFiles.register(cardId, { uploadId });
};

const useFileAction = <T,>(cardId: string, act: (value: T) => Promise<unknown>) =>
  useAction(act, { invalidates: [['card', cardId, 'files']] });

const Actions = ({ cardId, file }: CardProps & { readonly file: CardFile }) => {
  const t = useTexts(texts);
  const may = useMay();
  const downloading = useMutation({
    mutationFn: () => api.cardFiles.download(cardId, file.id),
    // The answer is an attachment: the page stays.
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const deleting = useFileAction(cardId, () => api.cardFiles.delete(cardId, file.id));
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <ProblemView error={downloading.error ?? deleting.error} />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t.download(file.nome)}
        loading={downloading.isPending}
        onClick={() => downloading.mutate()}
      >
        <Download size={16} aria-hidden />
      </ActionIcon>
      {may('crm:delete') ? (
        <ActionIcon
          variant="subtle"
          color="red"
          size="lg"
          aria-label={t.removeFile(file.nome)}
          loading={deleting.isPending}
          onClick={() => deleting.mutate(undefined)}
        >
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      ) : null}
    </Group>
  );
};

const KILOBYTE = 1_000;

const useColumns = (cardId: string): readonly Column<CardFile>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    { key: 'nome', title: t.file, cell: ({ nome }) => <span className="breakable">{nome}</span> },
    {
      key: 'tamanho',
      title: t.size,
      alignEnd: true,
      cell: ({ tamanho }) => `${format.number(Math.max(1, Math.round(tamanho / KILOBYTE)))} kB`,
    },
    { key: 'by', title: t.by, cell: ({ criadoPorId }) => <MemberName id={criadoPorId} /> },
    { key: 'createdAt', title: t.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { key: 'actions', title: t.actions, alignEnd: true, cell: (file) => <Actions cardId={cardId} file={file} /> },
  ];
};

/** The files of a card. */
export const CardFiles = ({ cardId }: CardProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const columns = useColumns(cardId);
  const list = useQuery({
    queryKey: ['card', cardId, 'files'],
    queryFn: async ({ signal }) => (await api.cardFiles.list(cardId, { signal })).items,
  });
  const uploading = useFileAction(cardId, (file: File) => upload(cardId, file, t.uploadRefused));
  return (
    <Stack gap="sm">
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading rows={2} /> : null}
      {list.data?.length ? (
        <DataTable caption={t.files} columns={columns} rows={list.data} keyOf={({ id }) => id} />
      ) : null}
      {list.data?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.noFiles}
        </Text>
      ) : null}
      <ProblemView error={uploading.error} />
      {may('crm:write') ? (
        <Group>
          <FileButton onChange={(file) => (file ? uploading.mutate(file) : undefined)}>
            {(props) => (
              <Button {...props} variant="default" disabled={uploading.isPending}>
                {t.upload}
              </Button>
            )}
          </FileButton>
          {uploading.isPending ? <Loader size="sm" role="status" aria-label={t.uploading} /> : null}
        </Group>
      ) : null}
    </Stack>
  );
};
