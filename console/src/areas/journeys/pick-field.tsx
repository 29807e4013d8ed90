import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline, PipelinePage, TemplatePage } from '../../sdk.ts';
import { valueAt, withValueAt } from './config.ts';
import type { FieldProps } from './field-props.ts';
import type { Config, Step } from './graph.ts';
import type { Source } from './step-schema.ts';
import { stepTexts } from './step-texts.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}
/** The most that a list operation answers at once. */
const LIMIT = 200;

const usePipelines = (wanted: boolean): readonly Pipeline[] => {
  const { data } = useQuery<PipelinePage>({
    queryKey: ['journey-choices', 'pipelines'],
    queryFn: async ({ signal }) => api.pipelines.list({ limit: LIMIT }, { signal }),
    enabled: wanted,
  });
  return data?.items ?? [];
};

const useTemplates = (wanted: boolean, isEmail: boolean): readonly Choice[] => {
  const whatsapp = useQuery<TemplatePage>({
    queryKey: ['journey-choices', 'templates'],
    queryFn: async ({ signal }) => api.templates.list({ status: 'approved', limit: LIMIT }, { signal }),
    enabled: wanted && !isEmail,
  });
  const email = useQuery({
    queryKey: ['journey-choices', 'email-templates'],
    queryFn: async ({ signal }) => (await api.emailTemplates.list({ limit: LIMIT }, { signal })).items,
    enabled: wanted && isEmail,
  });
  if (isEmail) return (email.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (whatsapp.data?.items ?? []).map(({ id, name, language }) => ({ value: id, label: `${name} · ${language}` }));
};

const sendingSteps = (steps: readonly Step[]): readonly Choice[] =>
  steps
    .filter(({ tipo }) => tipo === 'enviar')
    .map(({ chave, rotulo }) => ({ value: chave, label: rotulo ? `${rotulo} (${chave})` : chave }));

const useChoices = (from: Source | undefined, config: Config, steps: readonly Step[]): readonly Choice[] => {
  const pipelines = usePipelines(from === 'pipelines' || from === 'stages');
  const templates = useTemplates(from === 'templates', config.canal === 'email');
  if (from === 'templates') return templates;
  if (from === 'sending') return sendingSteps(steps);
  if (from === 'pipelines') return pipelines.map(({ id, nome }) => ({ value: id, label: nome }));
  const stages = pipelines.find(({ id }) => id === config.pipelineId)?.estagios ?? [];
  return stages.map(({ id, nome }) => ({ value: id, label: nome }));
};

/** Names something that there is. What the step names stays among the choices, also where it is not one of them. */
export const PickField = ({ field: { path, from }, label, config, onChange, error, steps }: FieldProps) => {
  const t = useTexts(stepTexts);
  const value = String(valueAt(config, path) ?? '');
  const choices = useChoices(from, config, steps);
  const others = value === '' || choices.some((each) => each.value === value) ? [] : [{ value, label: value }];
  return (
    <NativeSelect
      label={label}
      error={error}
      value={value}
      data={[{ value: '', label: t.choose }, ...others, ...choices]}
      onChange={({ currentTarget }) => onChange(withValueAt(config, path, currentTarget.value))}
    />
  );
};
