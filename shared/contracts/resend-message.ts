import * as z from 'zod';
import { metadataSchema } from '../domain/core/json-values.ts';
import { payloadSchema } from '../domain/message/payload.ts';
import { closedObject, optionalBoundedText } from './common.ts';

/** The variables of a template message. */
export const templateVars = z
  .array(z.string().max(1_024))
  .max(100)
  .meta({
    description: "The template's variables, in the order of its numbers.",
    example: ['Ana', 'A-1842'],
  });

/** The changes that a resend makes to a message. */
export const ResendMessage = closedObject(
  'ResendMessage',
  'The corrections; absent fields stay. An e-mail needs its payload, since its body is not stored.',
  {
    to: optionalBoundedText(4_096, "The recipient, in the channel's own format.", '+5511999990005'),
    payload: payloadSchema.optional(),
    templateVars: templateVars.optional(),
    metadata: metadataSchema.optional(),
  },
);
