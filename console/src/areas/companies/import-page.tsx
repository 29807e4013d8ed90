import { Button, FileInput, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { ImportedCompanies } from '../../sdk.ts';
import { useSingleMutation } from '../../ui/action.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { companiesOf, onlyRows, type Sheet, sheetOf } from './import-rows.ts';
import { texts } from './texts.ts';

const MAX_ROWS = 500;

/** The results of the rows as they were sent, whatever the field contains now. */
interface Outcome {
  readonly sheet: Sheet;
  readonly answer: ImportedCompanies;
}

const Refused = ({ outcome, onKeep }: { readonly outcome: Outcome; readonly onKeep: (text: string) => void }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { sheet, answer } = outcome;
  const nameAt = sheet.titles.indexOf('nome');
  const columns: readonly Column<ImportedCompanies['erros'][number]>[] = [
    { key: 'linha', title: t.line, cell: ({ linha }) => format.number(linha) },
    {
      key: 'nome',
      title: t.nome,
      cell: ({ linha }) => <span className="breakable">{sheet.rows[linha - 1]?.[nameAt]}</span>,
    },
    { key: 'mensagem', title: t.problem, cell: ({ mensagem }) => <span className="breakable">{mensagem}</span> },
  ];
  return (
    <Stack>
      <Text role="status">
        {t.outcome(
          format.number(answer.criadas),
          format.number(answer.atualizadas),
          format.number(answer.erros.length),
        )}
      </Text>
      {answer.erros.length > 0 ? (
        <>
          <DataTable caption={t.problem} columns={columns} rows={answer.erros} keyOf={({ linha }) => String(linha)} />
          <Group>
            <Button
              variant="default"
              onClick={() =>
                onKeep(
                  onlyRows(
                    sheet,
                    answer.erros.map(({ linha }) => linha),
                  ),
                )
              }
            >
              {t.keepRefused}
            </Button>
          </Group>
        </>
      ) : null}
    </Stack>
  );
};

/** Takes companies out of a sheet, and says of each row that was refused why. */
export default function ImportPage() {
  const t = useTexts(texts);
  const format = useFormat();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const sheet = useMemo(() => sheetOf(text), [text]);
  const importing = useSingleMutation({
    mutationFn: async (given: Sheet): Promise<Outcome> => ({
      sheet: given,
      answer: await api.companies.import({ empresas: companiesOf(given) }),
    }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['companies'] }),
  });
  const count = sheet.rows.length;
  const lacks = count > 0 && !sheet.titles.includes('nome') ? t.noName : undefined;
  const problem = count > MAX_ROWS ? t.tooMany(format.number(count)) : lacks;
  return (
    <Page title={t.importTitle} description={t.importHint}>
      <Text size="sm">{t.importRules}</Text>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          importing.mutate(sheet);
        }}
      >
        <FileInput
          label={t.file}
          accept=".csv,.tsv,.txt,text/csv"
          onChange={(file) => void file?.text().then(setText)}
        />
        <Textarea
          label={t.rows}
          autosize
          minRows={6}
          maxRows={16}
          value={text}
          error={problem}
          placeholder={'nome;cnpj;segmento\nPadaria Sol;12.ABC.345/01DE-35;Alimentos'}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <ProblemView error={importing.error} />
        <Group>
          <Button type="submit" loading={importing.isPending} disabled={count === 0 || problem !== undefined}>
            {t.importNow(format.number(count))}
          </Button>
        </Group>
      </Stack>
      {importing.data ? <Refused outcome={importing.data} onKeep={setText} /> : null}
    </Page>
  );
}
