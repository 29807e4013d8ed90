import * as z from 'zod';
import { knownPlaceholders, placeholdersOf } from './placeholders.ts';
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

/** A button as the platform has it (WhatsApp Cloud API, template components). */
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

/** How many of a kind a template may have; ten in all. */
const MOST: Readonly<Record<TemplateButton['type'], number>> = {
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

type Fault = { readonly path: string; readonly message: string };

/** The address may end in one variable, for which an example is needed. */
const urlFault = ({ url: address, example }: Extract<TemplateButton, { type: 'URL' }>): Fault | undefined => {
  const found = placeholdersOf(address);
  if ('fault' in found) return { path: 'url', message: found.fault };
  if (found.names.length === 0) return undefined;
  if (found.names.length > 1 || !/\{\{\s*1\s*\}\}$/.test(address))
    return { path: 'url', message: 'may have one variable, at its end' };
  return example?.length === 1 ? undefined : { path: 'example', message: 'must have an example of the variable' };
};

/** Quick replies stand together: before the other buttons or after them. */
const areGrouped = (buttons: readonly TemplateButton[]): boolean => {
  const changes = buttons.filter(
    (each, at) => at > 0 && (each.type === 'QUICK_REPLY') !== (buttons[at - 1]?.type === 'QUICK_REPLY'),
  );
  return changes.length <= 1;
};

/** What is wrong with a template's buttons beyond their shapes. */
export const buttonFaults = (
  buttons: readonly TemplateButton[],
  category: TemplateCategory,
  path: string,
): readonly Fault[] => {
  const faults: Fault[] = [];
  for (const [type, most] of Object.entries(MOST))
    if (buttons.filter((each) => each.type === type).length > most)
      faults.push({ path, message: `must have at most ${most} of ${type}` });
  if (!areGrouped(buttons)) faults.push({ path, message: 'quick replies must stand together' });
  const isCode = category === 'authentication';
  if (buttons.some(({ type }) => (type === 'OTP') !== isCode))
    faults.push({ path, message: isCode ? 'must be one of OTP' : 'OTP belongs to authentication alone' });
  for (const [at, each] of buttons.entries()) {
    const fault = each.type === 'URL' ? urlFault(each) : undefined;
    if (fault) faults.push({ path: `${path}.${at}.${fault.path}`, message: fault.message });
  }
  return faults;
};

/** Whether a send gives a button a value: the end of its address, a coupon's code. */
export const takesValue = (each: TemplateButton): boolean =>
  each.type === 'COPY_CODE' || (each.type === 'URL' && knownPlaceholders(each.url).names.length > 0);
