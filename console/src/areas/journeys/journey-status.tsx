import { useTexts } from '../../app/texts.ts';
import type { Journey, JourneyRun } from '../../sdk.ts';
import { StateOf, type Tone } from '../../ui/values.tsx';
import { runTexts } from './run-texts.ts';
import { texts } from './texts.ts';

const TONES: Readonly<Record<Journey['status'], Tone>> = {
  rascunho: 'neutral',
  ativa: 'good',
  pausada: 'pending',
  arquivada: 'neutral',
};
export const JourneyStatus = ({ status }: Pick<Journey, 'status'>) => (
  <StateOf state={status} tones={TONES} words={useTexts(texts).statuses} />
);

const RUN_TONES: Readonly<Record<JourneyRun['status'], Tone>> = {
  ativa: 'pending',
  concluida: 'good',
  cancelada: 'neutral',
  erro: 'bad',
};
export const RunStatus = ({ status }: Pick<JourneyRun, 'status'>) => (
  <StateOf state={status} tones={RUN_TONES} words={useTexts(runTexts).statuses} />
);
