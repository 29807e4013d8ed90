import * as z from 'zod';
import type { SendEnvelope } from '../../message/send-request.ts';
import { SMS_ROUTES } from './content.ts';

export const route = z.enum(SMS_ROUTES).meta({
  description:
    '`premium` for communication, `otp` for transactional texts; `la_dedicada` has no list price and answers 412.',
  example: 'premium',
});
/** Fields of an SMS send besides the common ones; shared by the SMS operation and the operations for all channels. */
export const smsFields = {
  to: z.string().max(64).meta({ description: 'The recipient in E.164.', example: '+5511999990005' }),
  body: z.string().min(1).max(10_000).meta({ description: 'The text.', example: 'Seu pedido saiu para entrega.' }),
  senderId: z
    .string()
    .regex(/^(?:\+?[0-9]{3,15}|[A-Za-z0-9 ]{1,11})$/, 'must be a number, a short code or 1 to 11 letters and digits')
    .optional()
    .meta({ description: 'The sender to show, if the route allows one.', example: 'LOJA' }),
  route,
  trackLinks: z.boolean().optional().meta({
    description:
      'True replaces each URL with a short link and raises sms.clicked for each click. `{{codigo}}` in a URL becomes the code of its short link: in the prefilled text of a wa.me URL it is returned as `origemDoLink.codigo` of the inbound message.',
    example: false,
  }),
};

/** The parsed body of a send (docs/spec/sms.md#sending-an-sms). */
export type SmsRequest = SendEnvelope & z.output<z.ZodObject<typeof smsFields>>;
