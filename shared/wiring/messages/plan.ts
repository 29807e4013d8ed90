import type { PlanPorts } from '../../domain/channels/registry.ts';
import { type Planner, planSend } from '../../domain/sending/plan.ts';
import type { ReadTemplateTexts } from '../../domain/sending/template-texts.ts';
import { emailPorts } from '../email/email.ts';
import { pushPlanPorts } from '../push/plan.ts';
import { smsPorts } from '../sending/ports.ts';
import { routePorts } from '../sending/route.ts';
import { senderOf } from '../sending/senders.ts';
import { templatePorts } from '../whatsapp/numbers.ts';

const channels: PlanPorts = { ...templatePorts, ...emailPorts, ...smsPorts, ...pushPlanPorts, senderOf };

/** Loaded by a preview alone: no send needs it. */
export const templateTexts: ReadTemplateTexts = async (tenant, request) =>
  (await import('../../domain/sending/template-texts.ts')).templateTexts(channels)(tenant, request);

/** Plans a request on any channel. */
export const plan: Planner = (tenant, request) => planSend({ ...routePorts, channels }, tenant, request);
