import { useTexts } from '../../app/texts.ts';
import type { Journey, JourneyRun } from '../../sdk.ts';
import { Status, type Tone } from '../../ui/values.tsx';
import { runTexts } from './run-texts.ts';
import { texts } from './texts.ts';

export const JOURNEY_STATUSES = [
  'rascunho',
  'ativa',
  'pausada',
  'arquivada',
] as const satisfies readonly Journey['status'][];
const TONES: Readonly<Record<Journey['status'], Tone>> = {
  rascunho: 'neutral',
  ativa: 'good',
  pausada: 'pending',
  arquivada: 'neutral',
};
export const JourneyStatus = ({ status }: Pick<Journey, 'status'>) => (
  <Status tone={TONES[status]}>{useTexts(texts).statuses[status]}</Status>
);

export const RUN_STATUSES = [
  'ativa',
  'concluida',
  'cancelada',
  'erro',
] as const satisfies readonly JourneyRun['status'][];
const RUN_TONES: Readonly<Record<JourneyRun['status'], Tone>> = {
  ativa: 'pending',
  concluida: 'good',
  cancelada: 'neutral',
  erro: 'bad',
};
export const RunStatus = ({ status }: Pick<JourneyRun, 'status'>) => (
  <Status tone={RUN_TONES[status]}>{useTexts(runTexts).statuses[status]}</Status>
);
