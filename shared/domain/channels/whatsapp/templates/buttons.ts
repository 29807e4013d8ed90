import * as z from 'zod';
import type { FieldError } from '../../../core/errors.ts';
import { placeholdersOf, validPlaceholders } from './placeholders.ts';
import type { TemplateCategory } from './template.ts';

const label = z.string().min(1).max(25);
const quickReply = z.strictObject({ type: z.literal('QUICK_REPLY'), text: label });
const url = z.strictObject({
  type: z.literal('URL'),
  text: label,
  url: z
    .string()
    .regex(/^https?:\/\/[^\s]+$/, 'must be an http or https address')
    .max(2_000),
  example: z.array(z.string().min(1).max(2_000)).max(1).optional(),
});
const phoneNumber = z.strictObject({
  type: z.literal('PHONE_NUMBER'),
  text: label,
  phone_number: z
    .string()
    .regex(/^\+?\d{3,20}$/, 'must be digits, at most 20')
    .max(20),
});
const copyCode = z.strictObject({
  type: z.literal('COPY_CODE'),
  text: label.optional(),
  example: z.union([z.string().min(1).max(15), z.array(z.string().min(1).max(15)).length(1)]),
});
const flow = z.strictObject({
  type: z.literal('FLOW'),
  text: label,
  flow_id: z.string().min(1).max(64).optional(),
  flow_name: z.string().min(1).max(200).optional(),
  flow_action: z.enum(['navigate', 'data_exchange']).optional(),
  navigate_screen: z.string().min(1).max(80).optional(),
  icon: z.enum(['DOCUMENT', 'PROMOTION', 'REVIEW']).optional(),
});
const catalog = z.strictObject({ type: z.literal('CATALOG'), text: label });
const products = z.strictObject({ type: z.literal('MPM'), text: label });
const call = z.strictObject({ type: z.literal('VOICE_CALL'), text: label });
const app = z.strictObject({
  package_name: z.string().min(1).max(224),
  signature_hash: z.string().length(11),
});
const otp = z.strictObject({
  type: z.literal('OTP'),
  otp_type: z.enum(['COPY_CODE', 'ONE_TAP', 'ZERO_TAP']),
  text: label.optional(),
  autofill_text: label.optional(),
  zero_tap_terms_accepted: z.boolean().optional(),
  supported_apps: z.array(app).min(1).max(5).optional(),
});

/** A button in Meta's format (WhatsApp Cloud API, template components). */
const button = z.discriminatedUnion('type', [
  quickReply,
  url,
  phoneNumber,
  copyCode,
  flow,
  catalog,
  products,
  call,
  otp,
]);
export type TemplateButton = z.output<typeof button>;
export const buttonsSchema = z.strictObject({ buttons: z.array(button).min(1).max(10) });

/** Max. buttons per type; ten in all. */
const MAX_PER_TYPE: Readonly<Record<TemplateButton['type'], number>> = {
  QUICK_REPLY: 10,
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  FLOW: 1,
  CATALOG: 1,
  MPM: 1,
  VOICE_CALL: 1,
  OTP: 1,
};

/** A URL may end in one variable, which needs an example. */
const urlError = ({ url: address, example }: Extract<TemplateButton, { type: 'URL' }>): FieldError | undefined => {
  const found = placeholdersOf(address);
  if ('error' in found) return { path: 'url', message: found.error };
  if (found.names.length === 0) return undefined;
  if (found.names.length > 1 || !/\{\{\s*1\s*\}\}$/.test(address))
    return { path: 'url', message: 'may have one variable, at its end' };
  return example?.length === 1 ? undefined : { path: 'example', message: 'must have an example of the variable' };
};

/** Quick replies must be contiguous: before or after all other buttons. */
const areGrouped = (buttons: readonly TemplateButton[]): boolean => {
  const changes = buttons.filter(
    (each, at) => at > 0 && (each.type === 'QUICK_REPLY') !== (buttons[at - 1]?.type === 'QUICK_REPLY'),
  );
  return changes.length <= 1;
};

/** Errors of a template's buttons beyond their schema. */
export const buttonErrors = (
  buttons: readonly TemplateButton[],
  category: TemplateCategory,
  path: string,
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  for (const [type, max] of Object.entries(MAX_PER_TYPE))
    if (buttons.filter((each) => each.type === type).length > max)
      errors.push({ path, message: `must have at most ${max} of ${type}` });
  if (!areGrouped(buttons)) errors.push({ path, message: 'quick replies must be contiguous' });
  const isCode = category === 'authentication';
  if (buttons.some(({ type }) => (type === 'OTP') !== isCode))
    errors.push({ path, message: isCode ? 'must be one of OTP' : 'OTP is for authentication only' });
  for (const [at, each] of buttons.entries()) {
    const error = each.type === 'URL' ? urlError(each) : undefined;
    if (error) errors.push({ path: `${path}.${at}.${error.path}`, message: error.message });
  }
  return errors;
};

/** Whether a send provides a value for the button: the end of its URL or a coupon code. */
export const takesValue = (each: TemplateButton): boolean =>
  each.type === 'COPY_CODE' || (each.type === 'URL' && validPlaceholders(each.url).names.length > 0);
