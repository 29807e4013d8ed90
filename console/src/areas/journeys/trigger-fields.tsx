import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { JourneyTrigger, SegmentPage } from '../../sdk.ts';
import { texts } from './texts.ts';

const KINDS = ['manual', 'evento', 'lista', 'segmento', 'etiqueta', 'mensagem'] as const;

interface TriggerProps {
  readonly trigger: JourneyTrigger;
  readonly onChange: (trigger: JourneyTrigger) => void;
}

const useNamed = (kind: JourneyTrigger['tipo']): readonly { readonly id: string; readonly name: string }[] => {
  const may = useMay()('contacts:read');
  const lists = useQuery({
    queryKey: ['journey-choices', 'lists'],
    queryFn: async ({ signal }) => (await api.lists.all({ signal })).items,
    enabled: may && kind === 'lista',
  });
  const segments = useQuery<SegmentPage>({
    queryKey: ['journey-choices', 'segments'],
    queryFn: async ({ signal }) => api.segments.list({ limit: 200 }, { signal }),
    enabled: may && kind === 'segmento',
  });
  return (kind === 'lista' ? lists.data : segments.data?.items) ?? [];
};

/** Lists and segments by name; by id for who may not read them. */
const NamedField = ({ trigger, onChange }: TriggerProps) => {
  const t = useTexts(texts);
  const items = useNamed(trigger.tipo);
  const isList = trigger.tipo === 'lista';
  const value = (isList ? trigger.listId : trigger.segmentId) ?? '';
  const known = items.some(({ id }) => id === value) || value === '' ? [] : [{ value, label: value }];
  return (
    <NativeSelect
      required
      label={isList ? t.triggerOf.lista : t.triggerOf.segmento}
      value={value}
      data={[{ value: '', label: t.choose }, ...known, ...items.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={({ currentTarget: { value: id } }) =>
        onChange(isList ? { tipo: 'lista', listId: id } : { tipo: 'segmento', segmentId: id })
      }
    />
  );
};

/** The trigger that lets a contact into a journey. */
export const TriggerFields = (props: TriggerProps) => {
  const { trigger, onChange } = props;
  const t = useTexts(texts);
  const { tipo, nome = '' } = trigger;
  return (
    <>
      <NativeSelect
        label={t.trigger}
        value={tipo}
        data={KINDS.map((kind) => ({ value: kind, label: t.triggers[kind] }))}
        onChange={({ currentTarget }) => onChange({ tipo: currentTarget.value as JourneyTrigger['tipo'] })}
      />
      {tipo === 'lista' || tipo === 'segmento' ? <NamedField {...props} /> : null}
      {tipo === 'evento' || tipo === 'mensagem' || tipo === 'etiqueta' ? (
        <TextInput
          required={tipo !== 'mensagem'}
          label={t.triggerOf[tipo]}
          value={nome}
          onChange={({ currentTarget: { value } }) => onChange(value === '' ? { tipo } : { tipo, nome: value })}
        />
      ) : null}
    </>
  );
};
