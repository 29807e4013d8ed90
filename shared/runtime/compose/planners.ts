import type * as z from 'zod';
import { SendEmailByName } from '../../contracts/email.ts';
import { SendRcs } from '../../contracts/rcs.ts';
import { SendSms } from '../../contracts/sms.ts';
import { planEmail } from '../../domain/email/send.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/errors.ts';
import type { Planned, Planner, Planners } from '../../domain/messages/plan.ts';
import { withTemplateText } from '../../domain/messages/template-text.ts';
import type { SendRequest, UnifiedRequest } from '../../domain/messages/unified.ts';
import { type PlatformPorts, planInstagram, planPush, planWhatsapp } from '../../domain/platforms/plan.ts';
import { planRcs } from '../../domain/rcs/send.ts';
import { planSms } from '../../domain/sms/send.ts';
import { withSavedTemplate } from '../../domain/templates/send.ts';
import { emailPorts } from './email.ts';
import { templatePorts } from './numbers.ts';
import { senderOf } from './platform-accounts.ts';
import { sendPorts } from './send.ts';
import { smsPorts } from './sms.ts';

const noText = refuse('VALIDATION_ERROR', {
  detail: 'The payload has no text.',
  errors: [{ path: 'payload.text', message: 'must be a text' }],
});

/** What every plan takes from a unified request besides its content. */
const carried = ({ to, contactId, campaignId, metadata }: SendRequest) => ({ to, contactId, campaignId, metadata });

const later = (planned: Planned, { priority, scheduledAt, labels }: UnifiedRequest): Planned =>
  isRefusal(planned)
    ? planned
    : { ...planned, plan: { ...planned.plan, priority, scheduledAt, labels: planned.plan.labels ?? labels } };

/** A unified request as the channel's own contract has it: one set of rules, whichever operation asks. */
const asOwn = <S extends z.ZodType>(schema: S, body: unknown): z.output<S> | Refusal<'VALIDATION_ERROR'> => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  return refuse('VALIDATION_ERROR', { detail: 'The message breaks the contract of its channel.', errors });
};

const textOf = ({ text, payload }: UnifiedRequest): unknown => text ?? payload?.text;

const sms: Planner = async (tenant, request, ...keyed) => {
  const text = textOf(request);
  if (text === undefined) return noText;
  const body = asOwn(SendSms, { ...carried(request), body: text, route: request.route ?? 'premium' });
  return isRefusal(body) ? body : planSms(smsPorts, tenant, body, ...keyed);
};

const rcs: Planner = async (tenant, request, ...keyed) => {
  const [text, card] = [textOf(request), request.payload?.card];
  if (text === undefined && card === undefined) return noText;
  const body = asOwn(SendRcs, {
    ...carried(request),
    route: request.route ?? 'easy_rcs',
    content: { ...(text === undefined ? {} : { text }), ...(card === undefined ? {} : { card }) },
    fallback: request.payload?.fallback,
  });
  return isRefusal(body) ? body : planRcs(sendPorts, tenant, body, ...keyed);
};

/** The first line of a text, as the subject of who gives none; at most 78 characters (RFC 5322, 2.1.1). */
const firstLine = (text: unknown): string =>
  (typeof text === 'string' ? (text.trim().split('\n')[0] ?? '') : '').slice(0, 78).trim() || 'Mensagem';

const emailContent = (request: UnifiedRequest): object => {
  const { template, variables, payload } = request;
  const given = typeof payload?.email === 'object' ? payload.email : undefined;
  if (template !== undefined) return { ...given, templateId: template, variables };
  const text = textOf(request);
  return given ?? { text, subject: firstLine(text) };
};

const email: Planner = async (tenant, request, ...keyed) => {
  const body = asOwn(SendEmailByName, { ...carried(request), ...emailContent(request) });
  if (isRefusal(body)) return body;
  const planned = await planEmail(emailPorts, tenant, body, ...keyed);
  return isRefusal(planned) ? planned : { plan: planned.plan, body: JSON.stringify(planned.content) };
};

const platformPorts: PlatformPorts = { ...sendPorts, senderOf };

const whatsapp: Planner = async (tenant, request, ...keyed) => {
  const known = await withSavedTemplate(templatePorts, tenant.organizationId, request);
  return isRefusal(known) ? known : planWhatsapp(platformPorts, tenant, known, ...keyed);
};

/** The planner of a channel that has no templates of its own: a template's body leaves as its text. */
const sayingTemplates =
  (plan: Planner): Planner =>
  async (tenant, request, ...keyed) => {
    const said = await withTemplateText(templatePorts, tenant, request);
    if (isRefusal(said)) return said;
    const planned = await plan(tenant, said, ...keyed);
    if (isRefusal(planned) || said === request) return planned;
    const labels = { ...said.labels, ...planned.plan.labels };
    return { ...planned, plan: { ...planned.plan, type: 'template', labels } };
  };

const ofChannel: Planners = {
  sms: sayingTemplates(sms),
  rcs: sayingTemplates(rcs),
  email,
  whatsapp,
  push: sayingTemplates((...given) => planPush(platformPorts, ...given)),
  instagram: sayingTemplates((...given) => planInstagram(platformPorts, ...given)),
};

/** How each channel makes a plan of a unified request. */
export const planners = Object.fromEntries(
  Object.entries(ofChannel).map(([channel, plan]) => [
    channel,
    async (...given: Parameters<Planner>) => later(await plan(...given), given[1]),
  ]),
) as unknown as Planners;
