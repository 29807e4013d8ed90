import { ActionIcon, Button, Group, Input, NativeSelect, Paper, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { SegmentFilter, SegmentFilterTree } from '../../sdk.ts';
import { parseValue, writeValue } from './config.ts';
import type { FieldProps } from './field-props.ts';
import { JsonField } from './json-field.tsx';
import { stepTexts } from './step-texts.ts';

const OPERATORS: Readonly<Record<SegmentFilter['field'], readonly SegmentFilter['operator'][]>> = {
  tag: ['is', 'isNot'],
  attribute: ['is', 'isNot', 'contains', 'gt', 'lt', 'exists'],
  optIn: ['is'],
  lastInteraction: ['before', 'after', 'withinDays', 'olderThanDays'],
  channel: ['has', 'hasNot'],
};
const FIELDS = Object.keys(OPERATORS) as readonly SegmentFilter['field'][];
/** Whose value is a text, also where it reads as a number. */
const TEXTS = new Set<SegmentFilter['field']>(['tag', 'optIn', 'channel']);
const NEW: SegmentFilter = { field: 'tag', operator: 'is', value: '' };

const leafOf = (filter: SegmentFilter): SegmentFilterTree => ({ kind: 'leaf', filter });
/** The conditions of a tree that is one of them, or one group; undefined where groups are in groups. */
const flat = (tree: SegmentFilterTree): readonly SegmentFilter[] | undefined => {
  const nodes = tree.kind === 'group' ? (tree.nodes ?? []) : [tree];
  const filters = nodes.flatMap(({ kind, filter }) => (kind === 'leaf' && filter ? [filter] : []));
  return filters.length === nodes.length ? filters : undefined;
};

interface ConditionProps {
  readonly filter: SegmentFilter;
  readonly label: string;
  readonly onChange: (filter: SegmentFilter) => void;
  readonly onRemove: (() => void) | undefined;
}

const Condition = ({ filter, label, onChange, onRemove }: ConditionProps) => {
  const t = useTexts(stepTexts);
  const { field, operator, key, value } = filter;
  const begin = (next: SegmentFilter['field']) => onChange({ field: next, operator: OPERATORS[next][0] ?? 'is' });
  const written = (text: string) => (TEXTS.has(field) ? text : ((parseValue(text) as string | number | boolean) ?? ''));
  return (
    <Paper withBorder p="xs" role="group" aria-label={label}>
      <Stack gap={4}>
        <NativeSelect
          label={t.filterField}
          value={field}
          data={FIELDS.map((each) => ({ value: each, label: t.filterFields[each] }))}
          onChange={({ currentTarget }) => begin(currentTarget.value as SegmentFilter['field'])}
        />
        {field === 'attribute' ? (
          <TextInput
            label={t.filterKey}
            value={key ?? ''}
            onChange={({ currentTarget }) => onChange({ ...filter, key: currentTarget.value })}
          />
        ) : null}
        <NativeSelect
          label={t.operator}
          value={operator}
          data={OPERATORS[field].map((each) => ({ value: each, label: t.operators[each] }))}
          onChange={({ currentTarget }) =>
            onChange({ ...filter, operator: currentTarget.value as SegmentFilter['operator'] })
          }
        />
        <TextInput
          label={t.filterValue}
          value={writeValue(value)}
          onChange={({ currentTarget }) => onChange({ ...filter, value: written(currentTarget.value) })}
        />
        {onRemove ? (
          <Group justify="flex-end">
            <ActionIcon variant="subtle" color="gray" aria-label={`${t.removeCondition}: ${label}`} onClick={onRemove}>
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ) : null}
      </Stack>
    </Paper>
  );
};

/** Conditions that all, or any, have to hold. Groups within groups are edited as JSON, since most steps have none. */
export const ConditionsField = (props: FieldProps) => {
  const t = useTexts(stepTexts);
  const format = useFormat();
  const { config, onChange, error, label } = props;
  const tree = (config.filterTree ?? leafOf(NEW)) as SegmentFilterTree;
  const filters = flat(tree);
  if (!filters) return <JsonField {...props} label={t.asJson} />;
  const operator = tree.operator ?? 'and';
  const set = (next: readonly SegmentFilter[], join: 'and' | 'or' = operator) => {
    const [only] = next;
    const isLeaf = next.length === 1 && only !== undefined;
    const filterTree = isLeaf ? leafOf(only) : { kind: 'group', operator: join, nodes: next.map(leafOf) };
    onChange({ ...config, filterTree });
  };
  return (
    <Stack gap="xs" component="fieldset" className="plain-fieldset">
      <Input.Label component="legend">{label}</Input.Label>
      {error ? <Input.Error>{error}</Input.Error> : null}
      {filters.length > 1 ? (
        <NativeSelect
          label={t.joined}
          value={operator}
          data={(['and', 'or'] as const).map((each) => ({ value: each, label: t.join[each] }))}
          onChange={({ currentTarget }) => set(filters, currentTarget.value as 'and' | 'or')}
        />
      ) : null}
      {filters.map((filter, at) => (
        <Condition
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have nothing but their place.
          key={at}
          filter={filter}
          label={t.condition(format.number(at + 1))}
          onChange={(next) => set(filters.map((each, index) => (index === at ? next : each)))}
          onRemove={filters.length > 1 ? () => set(filters.filter((_, index) => index !== at)) : undefined}
        />
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => set([...filters, NEW])}
      >
        {t.addCondition}
      </Button>
    </Stack>
  );
};
