import * as z from 'zod';
import { isRefusal } from '../../core/errors.ts';
import { definedFields } from '../../core/patch.ts';
import { requestText, toChannelRequest } from '../../message/channel-request.ts';
import type { ChannelPlanning } from '../../message/define-channel.ts';
import type { SendRequest } from '../../message/send-request.ts';
import { type EmailPlanPorts, planEmail } from './plan.ts';
import { emailFields } from './request.ts';

type Planning = ChannelPlanning<'email', EmailPlanPorts>;

/** Fields of the e-mail operation; here a template may also be given by name. */
const Request = z.strictObject({ ...emailFields, templateId: z.string().min(1).max(512).optional() });
/** Subject and body; their content is validated as in the e-mail operation. */
const Payload = z.strictObject({ email: z.record(z.string(), z.unknown()) });

/** Default subject: the first line of the text, at most 78 characters (RFC 5322, 2.1.1). */
const firstLine = (text: unknown): string =>
  (typeof text === 'string' ? (text.trim().split('\n')[0] ?? '') : '').slice(0, 78).trim() || 'Mensagem';

const givenIn = ({ payload }: SendRequest): object | undefined =>
  typeof payload?.email === 'object' && payload.email !== null ? payload.email : undefined;

const contentOf = (request: SendRequest): object => {
  const { template, variables } = request;
  const given = givenIn(request);
  if (template !== undefined) return { ...given, templateId: template, variables };
  const text = requestText(request);
  return given ?? { text, subject: firstLine(text) };
};

export const payloadSchema: ChannelPlanning<'email', EmailPlanPorts>['payloadSchema'] = () => Payload;

/** The fields of the e-mail, which are in the payload; without one, the text alone is used. */
const CONTENT_FIELDS = ['subject', 'html', 'text', 'from', 'transactional'] as const;

export const fieldNames: NonNullable<Planning['fieldNames']> = ({ text, template, payload }) => {
  const said = text === undefined ? 'payload.text' : 'text';
  const email = payload?.email;
  // Unknown fields of the payload are reported as well.
  const given = typeof email === 'object' && email !== null ? Object.keys(email).filter((name) => name !== 'to') : [];
  return {
    ...Object.fromEntries(
      [...CONTENT_FIELDS, ...given].map((name) => [name, email === undefined ? said : `payload.email.${name}`]),
    ),
    ...(template === undefined ? { variables: 'payload.email.variables' } : { templateId: 'template' }),
  };
};

export const templateTexts: NonNullable<Planning['templateTexts']> = async (ports, { organizationId }, request) => {
  const { template = '', variables = {} } = request;
  const { subject: own } = (givenIn(request) ?? {}) as { readonly subject?: unknown };
  const subject = typeof own === 'string' ? own : undefined;
  const rendered = await ports.renderEmailTemplate(organizationId, template, variables, subject);
  return !rendered || isRefusal(rendered)
    ? {}
    : definedFields({ subject: rendered.subject, html: rendered.html, text: rendered.text });
};

export const plan: ChannelPlanning<'email', EmailPlanPorts>['plan'] = async (ports, tenant, request) => {
  const own = toChannelRequest(Request, request, contentOf(request));
  return isRefusal(own) ? own : planEmail(ports, tenant, own);
};
