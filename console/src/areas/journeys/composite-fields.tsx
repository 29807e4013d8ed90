import { ActionIcon, Button, Checkbox, Group, Input, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useTexts } from '../../app/texts.ts';
import { valueAt, withValueAt } from './config.ts';
import type { FieldProps } from './field-props.ts';
import { type Config, UNITS } from './graph.ts';
import { JsonField } from './json-field.tsx';
import { CHANNELS } from './step-schema.ts';
import { stepTexts } from './step-texts.ts';

type Unit = (typeof UNITS)[number];

/** A whole number of one unit, in the config itself or below a path. */
export const DurationField = ({ field: { path }, label, config, onChange, error }: FieldProps) => {
  const t = useTexts(stepTexts);
  const duration = (path === '' ? config : (valueAt(config, path) ?? {})) as Config;
  const unit: Unit = UNITS.find((each) => each in duration) ?? 'horas';
  const value = duration[unit];
  const set = (number: number | undefined, of: Unit) => {
    const { segundos: _s, minutos: _m, horas: _h, dias: _d, ...others } = duration;
    const next = { ...others, [of]: number ?? 1 };
    onChange(path === '' ? next : withValueAt(config, path, next));
  };
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <NumberInput
        label={label}
        error={error}
        hideControls
        min={1}
        allowDecimal={false}
        value={typeof value === 'number' ? value : ''}
        onChange={(number) => set(typeof number === 'number' ? number : undefined, unit)}
      />
      <NativeSelect
        aria-label={`${label}, ${t.units[unit]}`}
        value={unit}
        data={UNITS.map((each) => ({ value: each, label: t.units[each] }))}
        onChange={({ currentTarget }) =>
          set(typeof value === 'number' ? value : undefined, currentTarget.value as Unit)
        }
      />
    </Group>
  );
};

interface Branch {
  readonly nome: string;
  readonly peso: number;
}

export const BranchesField = ({ config, onChange, error, label }: FieldProps) => {
  const t = useTexts(stepTexts);
  const branches = (Array.isArray(config.ramos) ? config.ramos : []) as readonly Branch[];
  const set = (ramos: readonly Branch[]) => onChange({ ...config, ramos });
  const change = (at: number, part: Partial<Branch>) =>
    set(branches.map((branch, index) => (index === at ? { ...branch, ...part } : branch)));
  return (
    <Stack gap="xs" component="fieldset" className="plain-fieldset">
      <Input.Label component="legend">{label}</Input.Label>
      {error ? <Input.Error>{error}</Input.Error> : null}
      {branches.map(({ nome, peso }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its name changes while it is typed.
        <Group key={at} gap="xs" wrap="nowrap" align="flex-end">
          <TextInput
            label={t.branch}
            value={nome}
            onChange={({ currentTarget }) => change(at, { nome: currentTarget.value })}
          />
          <NumberInput
            label={t.weight}
            hideControls
            w="5rem"
            value={peso}
            onChange={(number) => change(at, { peso: Number(number) || 0 })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t.removeBranch(nome)}
            onClick={() => set(branches.filter((_, index) => index !== at))}
          >
            <X size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => set([...branches, { nome: String.fromCharCode(65 + branches.length), peso: 0 }])}
      >
        {t.addBranch}
      </Button>
    </Stack>
  );
};

/** Channels in the order in which they are ticked; fallbacks with texts of their own are edited as JSON. */
export const ChannelsField = (props: FieldProps) => {
  const { field, label, config, onChange, error } = props;
  const value = valueAt(config, field.path) ?? [];
  const isPlain = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (!isPlain) return <JsonField {...props} />;
  return (
    <Checkbox.Group
      label={label}
      error={error}
      value={value}
      onChange={(next) => onChange(withValueAt(config, field.path, next.length > 0 ? next : undefined))}
    >
      <Group gap="sm" mt={4}>
        {CHANNELS.map((channel) => (
          <Checkbox key={channel} value={channel} label={channel} />
        ))}
      </Group>
    </Checkbox.Group>
  );
};
