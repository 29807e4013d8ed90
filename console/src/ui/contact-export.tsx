import { Anchor, Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api.ts';
import { shellTexts } from '../app/shell-texts.ts';
import { defineTexts, useTexts } from '../app/texts.ts';
import type { ExportJob } from '../sdk.ts';
import { useAction } from './action.ts';
import { ActionDialog } from './action-dialog.tsx';
import { ChoiceField, choicesOf } from './fields.tsx';
import { QueryView } from './lists.tsx';
import { LongWorkView, useLongWork } from './long-work.tsx';
import { ProblemView } from './problem-view.tsx';

const texts = defineTexts(
  {
    title: 'Exportar contatos',
    hint: 'Um arquivo com todos eles, do mais novo ao mais antigo. Ele fica disponível por 7 dias.',
    format: 'Formato',
    formats: { csv: 'CSV, para planilhas', ndjson: 'NDJSON, um contato por linha' },
    statuses: { running: 'Em andamento', completed: 'Pronto', failed: 'Falhou', cancelled: 'Cancelado' },
    rows: 'Contatos no arquivo',
    masked: 'Telefones e endereços saem mascarados: seu papel não os mostra por inteiro.',
    download: 'Baixar o arquivo',
    cancel: 'Cancelar a exportação',
  },
  {
    title: 'Export contacts',
    hint: 'One file with all of them, newest first. It is there for 7 days.',
    format: 'Format',
    formats: { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, a contact a line' },
    statuses: { running: 'Running', completed: 'Ready', failed: 'Failed', cancelled: 'Cancelled' },
    rows: 'Contacts in the file',
    masked: 'Phones and addresses are masked: your role does not show them in full.',
    download: 'Download the file',
    cancel: 'Cancel the export',
  },
);

const isRunning = ({ status }: ExportJob): boolean => status === 'running';

const Running = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const shell = useTexts(shellTexts);
  const queryKey = ['export', id];
  const job = useLongWork({ queryKey, read: (signal) => api.exportJobs.get(id, { signal }), isRunning });
  const cancelling = useAction(() => api.exportJobs.cancel(id), { invalidates: [queryKey] });
  return (
    <Modal opened onClose={onClose} title={t.title} closeButtonProps={{ 'aria-label': shell.close }}>
      <QueryView query={job}>
        {(data) => (
          <LongWorkView
            title={t.title}
            status={t.statuses[data.status]}
            running={isRunning(data)}
            figures={[[t.rows, data.progress.rows]]}
          >
            {data.masked ? <Text size="sm">{t.masked}</Text> : null}
            <ProblemView error={cancelling.error} />
            <Group>
              {data.url ? <Anchor href={data.url}>{t.download}</Anchor> : null}
              {isRunning(data) ? (
                <Button variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
                  {t.cancel}
                </Button>
              ) : null}
            </Group>
          </LongWorkView>
        )}
      </QueryView>
    </Modal>
  );
};

interface ExportProps {
  readonly listId?: string;
  readonly segmentId?: string;
}

/** Exports all contacts, or those of a list or a segment, into a file, and shows how far that is. */
export const ContactExport = (of: ExportProps) => {
  const t = useTexts(texts);
  const [opened, setOpened] = useState(false);
  const [format, setFormat] = useState<ExportJob['format']>('csv');
  const close = () => setOpened(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {t.title}
      </Button>
      {opened ? (
        <ActionDialog
          title={t.title}
          hint={t.hint}
          act={() => api.exportJobs.create({ kind: 'contacts', format, ...of })}
          onClose={close}
          after={({ id }) => <Running id={id} onClose={close} />}
        >
          <ChoiceField
            name="format"
            label={t.format}
            value={format}
            onChange={setFormat}
            choices={choicesOf(t.formats)}
          />
        </ActionDialog>
      ) : null}
    </>
  );
};
