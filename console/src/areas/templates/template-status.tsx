import { useTexts } from '../../app/texts.ts';
import type { Template } from '../../sdk.ts';
import { StateOf, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

export const LANGUAGES = ['pt-BR', 'en-US', 'es-ES'] as const satisfies readonly Template['language'][];

const TONES: Readonly<Record<Template['status'], Tone>> = {
  draft: 'neutral',
  submitted: 'pending',
  pending: 'pending',
  approved: 'good',
  rejected: 'bad',
  paused: 'bad',
  disabled: 'bad',
};
export const TemplateStatus = ({ status }: Pick<Template, 'status'>) => (
  <StateOf state={status} tones={TONES} words={useTexts(texts).statuses} />
);
