import { Group, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core';
import { useTexts } from '../../app/texts.ts';
import type { Draft } from './graph.ts';
import { texts } from './texts.ts';
import { TriggerFields } from './trigger-fields.tsx';

interface RulesProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

const numberOf = (value: number | string): number | undefined => (typeof value === 'number' ? value : undefined);

/** The draft with a field, or without it. */
const withField = <K extends keyof Draft>(draft: Draft, field: K, value: Draft[K] | undefined): Draft => {
  const { [field]: _, ...rest } = draft;
  return (value === undefined ? rest : { ...rest, [field]: value }) as Draft;
};

const Reentry = ({ draft, onChange }: RulesProps) => {
  const t = useTexts(texts);
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label={t.reentry}
        value={draft.reentrada}
        data={(['nunca', 'apos_concluir'] as const).map((each) => ({ value: each, label: t.reentries[each] }))}
        onChange={({ currentTarget }) => {
          const reentrada = currentTarget.value as Draft['reentrada'];
          const next = { ...draft, reentrada };
          onChange(reentrada === 'nunca' ? withField(next, 'intervaloReentradaHoras', undefined) : next);
        }}
      />
      {draft.reentrada === 'apos_concluir' ? (
        <NumberInput
          hideControls
          label={t.interval}
          value={draft.intervaloReentradaHoras ?? ''}
          onChange={(value) => onChange(withField(draft, 'intervaloReentradaHoras', numberOf(value)))}
        />
      ) : null}
    </Group>
  );
};

const Silence = ({ draft, onChange }: RulesProps) => {
  const t = useTexts(texts);
  const { inicio = '', fim = '' } = draft.silencio ?? {};
  const set = (from: string, to: string) =>
    onChange(withField(draft, 'silencio', from === '' && to === '' ? undefined : { inicio: from, fim: to }));
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        type="time"
        label={t.silenceFrom}
        value={inicio}
        onChange={({ currentTarget }) => set(currentTarget.value, fim)}
      />
      <TextInput
        type="time"
        label={t.silenceTo}
        value={fim}
        onChange={({ currentTarget }) => set(inicio, currentTarget.value)}
      />
    </Group>
  );
};

const Cap = ({ draft, onChange }: RulesProps) => {
  const t = useTexts(texts);
  const cap: { readonly mensagens?: number; readonly dias?: number } = draft.tetoDeFrequencia ?? {};
  const set = (change: { mensagens?: number | undefined; dias?: number | undefined }) => {
    const { mensagens, dias } = { ...cap, ...change };
    const next = mensagens === undefined && dias === undefined ? undefined : { mensagens, dias };
    onChange(withField(draft, 'tetoDeFrequencia', next as Draft['tetoDeFrequencia']));
  };
  return (
    <Group align="flex-end" gap="sm">
      <NumberInput
        hideControls
        label={t.capMessages}
        value={cap.mensagens ?? ''}
        onChange={(value) => set({ mensagens: numberOf(value) })}
      />
      <NumberInput
        hideControls
        label={t.capDays}
        value={cap.dias ?? ''}
        onChange={(value) => set({ dias: numberOf(value) })}
      />
    </Group>
  );
};

/** Who enters, how often, when it is silent, and what its goal is. */
export default function Rules(props: RulesProps) {
  const { draft, onChange } = props;
  const t = useTexts(texts);
  return (
    <Stack gap="sm" mt="sm" maw="40rem">
      <TextInput
        required
        label={t.name}
        value={draft.name}
        onChange={({ currentTarget }) => onChange({ ...draft, name: currentTarget.value })}
      />
      <TriggerFields trigger={draft.gatilho} onChange={(gatilho) => onChange({ ...draft, gatilho })} />
      <Reentry {...props} />
      <Silence {...props} />
      <Cap {...props} />
      <TextInput
        label={t.goal}
        value={draft.meta?.evento ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange(withField(draft, 'meta', value === '' ? undefined : { evento: value }))
        }
      />
    </Stack>
  );
}
