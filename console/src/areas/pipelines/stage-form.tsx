import { Checkbox, Group, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useTexts } from '../../app/texts.ts';
import type { ChangeStage, CreateStage, Stage } from '../../sdk.ts';
import { texts } from './texts.ts';

const KINDS = ['aberto', 'ganho', 'perdido'] as const satisfies readonly Stage['tipo'][];
const REQUIRABLE = ['valor', 'dataPrevista', 'responsavelId', 'contatoId', 'empresaId'] as const;
const ATTRIBUTE = 'atributos.';

/** A stage as one types it. */
export interface StageDraft {
  readonly nome: string;
  readonly tipo: Stage['tipo'];
  readonly probabilidade: string;
  readonly tempoMaximoDias: string;
  /** Required fields of every card. */
  readonly fields: readonly string[];
  /** Keys of required attributes, one a line. */
  readonly attributes: string;
}

export const stageDraft = (stage: Partial<Stage>): StageDraft => {
  const required = stage.camposObrigatorios ?? [];
  return {
    nome: stage.nome ?? '',
    tipo: stage.tipo ?? 'aberto',
    probabilidade: stage.probabilidade === undefined ? '' : String(stage.probabilidade),
    tempoMaximoDias: stage.tempoMaximoDias === undefined ? '' : String(stage.tempoMaximoDias),
    fields: required.filter((field) => !field.startsWith(ATTRIBUTE)),
    attributes: required
      .filter((field) => field.startsWith(ATTRIBUTE))
      .map((field) => field.slice(ATTRIBUTE.length))
      .join('\n'),
  };
};

const requiredOf = ({ fields, attributes }: StageDraft): string[] => [
  ...fields,
  ...attributes
    .split('\n')
    .map((key) => key.trim())
    .filter((key) => key !== '')
    .map((key) => `${ATTRIBUTE}${key}`),
];
const numberOf = (text: string): number | null => (text === '' ? null : Number(text));

/** A new stage: what was left empty stays out. */
export const newStage = (draft: StageDraft): CreateStage => {
  const { probabilidade, tempoMaximoDias } = draft;
  return {
    nome: draft.nome.trim(),
    tipo: draft.tipo,
    ...(probabilidade === '' ? {} : { probabilidade: Number(probabilidade) }),
    ...(tempoMaximoDias === '' ? {} : { tempoMaximoDias: Number(tempoMaximoDias) }),
    camposObrigatorios: requiredOf(draft),
  };
};

/** Only the changed fields: most of a stage cannot change while it has cards. */
export const stageChanges = (stage: Stage, draft: StageDraft): ChangeStage => {
  const before = stageDraft(stage);
  const required = requiredOf(draft);
  return {
    ...(draft.nome.trim() === before.nome ? {} : { nome: draft.nome.trim() }),
    ...(draft.tipo === before.tipo ? {} : { tipo: draft.tipo }),
    ...(draft.probabilidade === before.probabilidade ? {} : { probabilidade: numberOf(draft.probabilidade) }),
    ...(draft.tempoMaximoDias === before.tempoMaximoDias ? {} : { tempoMaximoDias: numberOf(draft.tempoMaximoDias) }),
    ...(required.join() === requiredOf(before).join() ? {} : { camposObrigatorios: required }),
  };
};

interface StageFieldsProps {
  readonly draft: StageDraft;
  readonly onChange: (draft: StageDraft) => void;
}

/** The fields of a stage. */
export const StageFields = ({ draft, onChange }: StageFieldsProps) => {
  const t = useTexts(texts);
  const text = (name: 'nome' | 'probabilidade' | 'tempoMaximoDias') => ({
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onChange({ ...draft, [name]: currentTarget.value }),
  });
  return (
    <>
      <TextInput {...text('nome')} label={t.nome} required data-autofocus />
      <NativeSelect
        label={t.stageKind}
        value={draft.tipo}
        onChange={({ currentTarget }) => onChange({ ...draft, tipo: currentTarget.value as Stage['tipo'] })}
        data={KINDS.map((value) => ({ value, label: t.statuses[value] }))}
      />
      <TextInput {...text('probabilidade')} label={t.probabilityField} type="number" min={0} max={100} />
      <TextInput {...text('tempoMaximoDias')} label={t.longest} type="number" min={1} max={365} />
      <Checkbox.Group
        label={t.required}
        description={t.requiredHint}
        value={[...draft.fields]}
        onChange={(fields) => onChange({ ...draft, fields })}
      >
        <Group mt="xs">
          {REQUIRABLE.map((field) => (
            <Checkbox key={field} value={field} label={t.fields[field]} />
          ))}
        </Group>
      </Checkbox.Group>
      <Textarea
        label={t.requiredAttributes}
        autosize
        minRows={1}
        value={draft.attributes}
        onChange={({ currentTarget }) => onChange({ ...draft, attributes: currentTarget.value })}
      />
    </>
  );
};
