import { useTexts } from '../../app/texts.ts';
import type { Webhook } from '../../sdk.ts';
import { StateOf, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const TONES: Readonly<Record<Webhook['status'], Tone>> = {
  active: 'good',
  failing: 'bad',
  paused: 'pending',
  revoked: 'neutral',
};

export const WebhookStatus = ({ status }: Pick<Webhook, 'status'>) => (
  <StateOf state={status} tones={TONES} words={useTexts(texts).statuses} />
);
