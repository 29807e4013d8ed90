import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { ContactImport } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { LongWorkView, useLongWork } from '../../ui/long-work.tsx';
import { Page } from '../../ui/page.tsx';
import { StateOf } from '../../ui/values.tsx';
import { importTexts } from './import-texts.ts';
import { IMPORT_TONES } from './recent-imports.tsx';

const isRunning = ({ status }: ContactImport): boolean => status === 'running' || status === 'cancelling';
const FIGURES = ['rows', 'created', 'updated', 'ignored', 'errors'] as const;

const Problem = ({ problem }: { readonly problem: NonNullable<ContactImport['problem']> }) => {
  const t = useTexts(importTexts);
  const format = useFormat();
  return (
    <Alert color="red" variant="outline" role="alert" title={t.failed}>
      {problem.detail}
      {problem.at === undefined ? null : ` (${t.at(format.number(problem.at))})`}
    </Alert>
  );
};

const Job = ({ job }: { readonly job: ContactImport }) => {
  const t = useTexts(importTexts);
  const [cancelling, setCancelling] = useState(false);
  const { id, status, progress, size, errorFile, problem } = job;
  return (
    <Stack>
      <LongWorkView
        title={t.job}
        status={<StateOf state={status} tones={IMPORT_TONES} words={t.statuses} />}
        running={isRunning(job)}
        share={progress.bytes / size}
        figures={FIGURES.map((name) => [t.figures[name], progress[name]])}
      >
        {status === 'awaiting_upload' ? <Text size="sm">{t.awaiting}</Text> : null}
        {problem ? <Problem problem={problem} /> : null}
        {errorFile && progress.errors > 0 ? (
          <div>
            <Anchor href={errorFile.url}>{t.errors}</Anchor>
            <Text size="sm" c="dimmed">
              {t.errorsHint}
            </Text>
          </div>
        ) : null}
        {status === 'running' ? (
          <Button variant="default" style={{ alignSelf: 'flex-start' }} onClick={() => setCancelling(true)}>
            {t.cancel}
          </Button>
        ) : null}
      </LongWorkView>
      {cancelling ? (
        <ActionDialog
          title={t.cancel}
          hint={t.cancelHint}
          act={() => api.contactImports.cancel(id)}
          invalidates={[['import', id]]}
          onClose={() => setCancelling(false)}
        />
      ) : null}
    </Stack>
  );
};

/** The progress of an import, the results of its rows, and the refused rows. */
export default function ImportJobPage() {
  const t = useTexts(importTexts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const job = useLongWork({
    queryKey: ['import', id],
    read: (signal) => api.contactImports.get(id, { signal }),
    isRunning,
  });
  const again = (
    <Button variant="default" component={Link} to="/contacts/import">
      {t.again}
    </Button>
  );
  return (
    <Page title={t.title} actions={again}>
      <QueryView query={job}>{(data) => <Job job={data} />}</QueryView>
    </Page>
  );
}
