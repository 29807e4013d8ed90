import * as z from 'zod';
import type { MetaEvent } from '../../domain/message/meta-event.ts';

const templateNamed = z.object({
  message_template_id: z.union([z.string(), z.number()]).transform(String),
  message_template_name: z.string().min(1),
  message_template_language: z.string().min(1),
});
const named = (wabaId: string, value: z.infer<typeof templateNamed>) => ({
  wabaId,
  platformTemplateId: value.message_template_id,
  name: value.message_template_name,
  language: value.message_template_language,
});

/** Lock events. Their title gives the effect on sends: FIRST_PAUSE, SECOND_PAUSE, RATE_LIMITING_PAUSE, UNPAUSE, DISABLED. */
const LOCKS: ReadonlySet<string> = new Set(['LOCKED', 'UNLOCKED']);

/** webhooks/reference/message_template_status_update. */
export const status = templateNamed.extend({
  event: z.string().min(1),
  reason: z.string().nullish(),
  other_info: z.object({ title: z.string() }).optional().catch(undefined),
  rejection_info: z.object({ reason: z.string() }).optional().catch(undefined),
  message_template_category: z.string().optional().catch(undefined),
});
export const statusEvent = (wabaId: string, at: number, value: z.infer<typeof status>): MetaEvent => {
  const word = value.reason && value.reason !== 'NONE' ? value.reason : undefined;
  const reason = [word, value.rejection_info?.reason].filter((each) => each !== undefined).join(': ');
  const found = value.message_template_category;
  return {
    kind: 'platform',
    about: 'template',
    at,
    ...named(wabaId, value),
    event: (LOCKS.has(value.event) && value.other_info?.title) || value.event,
    ...(reason === '' ? {} : { reason }),
    ...(found === undefined ? {} : { category: found }),
  };
};

/**
 * webhooks/reference/template_category_update. `new_category` is the current category, even if the webhook only announces a change:
 * `correct_category` takes effect 24 hours later and is then reported again.
 */
export const category = templateNamed.extend({ new_category: z.string().min(1) });
export const categoryEvent = (wabaId: string, at: number, value: z.infer<typeof category>): MetaEvent => ({
  kind: 'platform',
  about: 'template_category',
  at,
  ...named(wabaId, value),
  category: value.new_category,
});

const button = z.object({
  message_template_button_type: z.string().min(1),
  message_template_button_text: z.string().optional(),
  message_template_button_url: z.string().optional(),
  message_template_button_phone_number: z.string().optional(),
});
/** webhooks/reference/message_template_components_update: the content of an edited template, without examples and media. */
export const components = templateNamed.extend({
  message_template_element: z.string().min(1),
  message_template_title: z.string().optional(),
  message_template_footer: z.string().optional(),
  message_template_buttons: z.array(button).optional(),
});
export const componentsEvent = (wabaId: string, at: number, value: z.infer<typeof components>): MetaEvent => ({
  kind: 'platform',
  about: 'template_components',
  at,
  ...named(wabaId, value),
  body: value.message_template_element,
  header: value.message_template_title,
  footer: value.message_template_footer,
  buttons: value.message_template_buttons?.map((each) => ({
    type: each.message_template_button_type,
    text: each.message_template_button_text,
    url: each.message_template_button_url,
    phoneNumber: each.message_template_button_phone_number,
  })),
});
