import { Alert, Button, FileInput, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import { type CreateContactImport, isProblem } from '../../sdk.ts';
import { useSingleMutation } from '../../ui/action.ts';
import { ChoiceField, choicesOf, FieldErrors } from '../../ui/fields.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { NotUtf8, previewSheet, type Sheet } from '../../ui/sheet.ts';
import { putFile, UploadFailed } from '../../ui/upload.ts';
import { AppLink } from '../../ui/values.tsx';
import { faultOf, guessTargets, mappingOf, type Target } from './import-mapping.ts';
import { ColumnsTable, PreviewTable } from './import-tables.tsx';
import { type ImportField, importTexts } from './import-texts.ts';
import { RecentImports } from './recent-imports.tsx';

const MAX_BYTES = 200_000_000;
const PREVIEW_ROWS = 5;

/** A file that was chosen, with its beginning. */
interface Chosen {
  readonly file: File;
  readonly sheet: Sheet;
}

/** Creates the import, sends its file, and starts it: answers its id. `onProgress`: the share of the file that went. */
const importFile = async (
  file: File,
  options: Pick<CreateContactImport, 'mapping' | 'onConflict'>,
  onProgress: (share: number) => void,
): Promise<string> => {
  const { id, upload } = await api.contactImports.create({ format: 'csv', size: file.size, ...options });
  if (!upload) throw new UploadFailed();
  await putFile(file, upload, onProgress);
  await api.contactImports.start(id);
  return id;
};

/** Why an import did not begin: the problem, and the way to the import that runs instead. */
const Fault = ({ error }: { readonly error: unknown }) => {
  const t = useTexts(importTexts);
  if (error instanceof UploadFailed)
    return (
      <Alert color="red" variant="outline" role="alert">
        {t.uploadFailed}
      </Alert>
    );
  const running = isProblem(error, 'CONFLICT') ? error.meta.jobId : undefined;
  return (
    <>
      <ProblemView error={error} />
      {running ? <AppLink to={`/contacts/import/${running}`}>{t.running}</AppLink> : null}
    </>
  );
};

const Mapping = ({ file, sheet }: Chosen) => {
  const t = useTexts(importTexts);
  const format = useFormat();
  const navigate = useNavigate();
  const fields = Object.keys(t.fields) as ImportField[];
  const [targets, setTargets] = useState<readonly Target[]>(() => guessTargets(sheet.header, fields));
  const [onConflict, setOnConflict] = useState<CreateContactImport['onConflict']>('update');
  const [sent, setSent] = useState(0);
  const importing = useSingleMutation({
    mutationFn: () => importFile(file, { onConflict, mapping: mappingOf(sheet.header, targets) }, setSent),
    onSuccess: (id) => navigate({ to: `/contacts/import/${id}` }),
  });
  const fault = faultOf(targets);
  return (
    <FieldErrors value={importing.error}>
      <Section title={t.columns}>
        <ColumnsTable sheet={sheet} targets={targets} onChange={setTargets} />
      </Section>
      <Section title={t.preview}>
        <PreviewTable sheet={sheet} targets={targets} />
      </Section>
      <ChoiceField
        name="onConflict"
        label={t.onConflict}
        value={onConflict}
        onChange={setOnConflict}
        choices={choicesOf(t.conflicts)}
      />
      <div role="status">
        {fault ? <Text size="sm">{t[fault]}</Text> : null}
        {importing.isPending ? (
          <>
            <Text size="sm">{t.uploading(format.percent(sent))}</Text>
            <Progress value={sent * 100} aria-label={t.file} />
          </>
        ) : null}
      </div>
      {importing.error ? <Fault error={importing.error} /> : null}
      <Button
        style={{ alignSelf: 'flex-start' }}
        disabled={fault !== undefined}
        loading={importing.isPending}
        onClick={() => importing.mutate()}
      >
        {t.start}
      </Button>
    </FieldErrors>
  );
};

/** Chooses a file and reads its beginning: no data leaves the browser before the import is started. */
export default function ImportPage() {
  const t = useTexts(importTexts);
  const [chosen, setChosen] = useState<Chosen>();
  const previewing = useMutation({
    mutationFn: async (file: File | null) => {
      if (!file) return undefined;
      if (file.size > MAX_BYTES) throw new RangeError(t.tooLarge);
      const sheet = await previewSheet(file, PREVIEW_ROWS);
      if (sheet.rows.length === 0) throw new RangeError(t.emptyFile);
      return { file, sheet };
    },
    onMutate: () => setChosen(undefined),
    onSuccess: setChosen,
  });
  const { error } = previewing;
  return (
    <Page title={t.title} description={t.description}>
      <Stack>
        <FileInput
          accept=".csv,.txt,text/csv"
          label={t.file}
          description={t.fileHint}
          placeholder={t.choose}
          leftSection={<FileUp size={16} aria-hidden />}
          error={error instanceof NotUtf8 ? t.notUtf8 : error?.message}
          onChange={(file) => previewing.mutate(file)}
        />
        {chosen ? <Mapping key={`${chosen.file.name} ${chosen.file.lastModified}`} {...chosen} /> : null}
      </Stack>
      <RecentImports />
    </Page>
  );
}
