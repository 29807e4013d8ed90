import { useTexts } from '../../app/texts.ts';
import type { Template } from '../../sdk.ts';
import { Status, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

export const TEMPLATE_STATUSES = [
  'draft',
  'submitted',
  'pending',
  'approved',
  'rejected',
  'paused',
  'disabled',
] as const satisfies readonly Template['status'][];
export const CATEGORIES = ['marketing', 'utility', 'authentication'] as const satisfies readonly Template['category'][];
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
  <Status tone={TONES[status]}>{useTexts(texts).statuses[status]}</Status>
);
