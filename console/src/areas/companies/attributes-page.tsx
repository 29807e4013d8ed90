import { ActionIcon, Button, Checkbox, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ListPlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { CompanyAttributeDefinition } from '../../sdk.ts';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useDefinitions } from './company-dialogs.tsx';
import { texts } from './texts.ts';

const TYPES = ['string', 'number', 'boolean', 'date'] as const satisfies readonly CompanyAttributeDefinition['type'][];

/** A definition on its way: known by a number of its own, since its key is typed. */
interface Row {
  readonly row: number;
  readonly key: string;
  readonly type: CompanyAttributeDefinition['type'];
  readonly label: string;
  readonly required: boolean;
}

interface RowFieldsProps {
  readonly value: Row;
  readonly onChange: (row: Row) => void;
  readonly onRemove: () => void;
  readonly disabled: boolean;
}

const RowFields = ({ value, onChange, onRemove, disabled }: RowFieldsProps) => {
  const t = useTexts(texts);
  return (
    <Paper withBorder p="sm" component="li">
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t.key}
          required
          disabled={disabled}
          value={value.key}
          onChange={({ currentTarget }) => onChange({ ...value, key: currentTarget.value })}
        />
        <TextInput
          label={t.label}
          disabled={disabled}
          value={value.label}
          onChange={({ currentTarget }) => onChange({ ...value, label: currentTarget.value })}
        />
        <NativeSelect
          label={t.type}
          disabled={disabled}
          value={value.type}
          onChange={({ currentTarget }) => onChange({ ...value, type: currentTarget.value as Row['type'] })}
          data={TYPES.map((type) => ({ value: type, label: t.types[type] }))}
        />
        <Checkbox
          label={t.required}
          disabled={disabled}
          mb={8}
          checked={value.required}
          onChange={({ currentTarget }) => onChange({ ...value, required: currentTarget.checked })}
        />
        {disabled ? null : (
          <ActionIcon
            variant="subtle"
            color="red"
            size="lg"
            aria-label={t.removeDefinition(value.label || value.key)}
            onClick={onRemove}
          >
            <Trash2 size={18} aria-hidden />
          </ActionIcon>
        )}
      </Group>
    </Paper>
  );
};

const rowsOf = (definitions: readonly CompanyAttributeDefinition[]): readonly Row[] =>
  definitions.map((definition, row) => ({ row, label: '', ...definition }));

const Definitions = ({ definitions }: { readonly definitions: readonly CompanyAttributeDefinition[] }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const readOnly = !useMay()('crm:write');
  const [rows, setRows] = useState(() => rowsOf(definitions));
  const saving = useMutation({
    mutationFn: () =>
      api.companies.setAttributes({
        defs: rows.map(({ key, type, label, required }) => ({
          key: key.trim(),
          type,
          required,
          ...(label.trim() === '' ? {} : { label: label.trim() }),
        })),
      }),
    onSuccess: ({ defs }) => queries.setQueryData(['company-definitions'], defs),
  });
  const add = () =>
    setRows([
      ...rows,
      { row: Math.max(-1, ...rows.map(({ row }) => row)) + 1, key: '', type: 'string', label: '', required: false },
    ]);
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      {rows.length === 0 ? (
        <EmptyState icon={ListPlus} title={t.noDefinitions}>
          {t.definitionsHint}
        </EmptyState>
      ) : (
        <Stack component="ul" gap="xs" p={0} m={0}>
          {rows.map((value) => (
            <RowFields
              key={value.row}
              value={value}
              disabled={readOnly}
              onChange={(changed) => setRows(rows.map((row) => (row.row === changed.row ? changed : row)))}
              onRemove={() => setRows(rows.filter(({ row }) => row !== value.row))}
            />
          ))}
        </Stack>
      )}
      <ProblemView error={saving.error} />
      <Text role="status">{saving.isSuccess ? t.saved : ''}</Text>
      {readOnly ? null : (
        <Group>
          <Button variant="default" onClick={add}>
            {t.addDefinition}
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {t.save}
          </Button>
        </Group>
      )}
    </Stack>
  );
};

/** The attributes of companies, and their types. */
export default function AttributesPage() {
  const t = useTexts(texts);
  const definitions = useDefinitions();
  return (
    <Page title={t.attributes} description={t.definitionsHint}>
      <QueryView query={definitions}>{(data) => <Definitions definitions={data} />}</QueryView>
    </Page>
  );
}
