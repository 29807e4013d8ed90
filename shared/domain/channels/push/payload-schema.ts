import * as z from 'zod';
import { PUSH_LIMITS } from './message.ts';

const said = z.string().min(1).max(PUSH_LIMITS.body);
const link = z.string().min(1).max(PUSH_LIMITS.url);
const action = z.strictObject({ label: z.string().min(1).max(PUSH_LIMITS.label), link: link.optional() });

/** Payload of a push to one device: the fields of a push message; the text as either `text` or `body`. */
export const pushPayloadSchema = z
  .strictObject({
    text: said.optional(),
    body: said.optional(),
    title: z.string().min(1).max(PUSH_LIMITS.title).optional(),
    deepLink: link.optional(),
    imageUrl: z
      .url({ protocol: /^https$/ })
      .max(PUSH_LIMITS.url)
      .optional(),
    actions: z.array(action).max(PUSH_LIMITS.actions).optional(),
    silent: z.boolean().optional(),
  })
  .refine(({ text, body }) => (text === undefined) !== (body === undefined), {
    message: 'must be given, or body: exactly one of the two',
    path: ['text'],
  });
