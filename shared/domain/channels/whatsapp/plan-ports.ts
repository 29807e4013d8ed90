import type { MetaPlanPorts } from '../meta/compose.ts';
import type { TemplatePorts } from './templates/template.ts';

/** Ports of WhatsApp planning: sender and window, saved templates, and uploaded files. */
export type WhatsappPlanPorts = MetaPlanPorts & Pick<TemplatePorts, 'templates' | 'numbers' | 'findMedia'>;
