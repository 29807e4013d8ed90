import { useTexts } from '../../app/texts.ts';
import type { Webhook } from '../../sdk.ts';
import { Status, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

export const WEBHOOK_STATUSES = [
  'active',
  'failing',
  'paused',
  'revoked',
] as const satisfies readonly Webhook['status'][];
const TONES: Readonly<Record<Webhook['status'], Tone>> = {
  active: 'good',
  failing: 'bad',
  paused: 'pending',
  revoked: 'neutral',
};

export const WebhookStatus = ({ status }: Pick<Webhook, 'status'>) => (
  <Status tone={TONES[status]}>{useTexts(texts).statuses[status]}</Status>
);
