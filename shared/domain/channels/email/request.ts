import * as z from 'zod';
import { MAX_ADDRESS_LENGTH, MAX_MAILBOX_LENGTH, MAX_SUBJECT_LENGTH } from '../../core/email-address.ts';
import type { SendEnvelope } from '../../message/send-request.ts';

const part = (description: string, example: string) => z.string().min(1).max(6_000_000).meta({ description, example });

/** Fields of an e-mail send besides the common ones; shared by the e-mail operation and the unified ones. */
export const emailFields = {
  to: z
    .string()
    .max(MAX_ADDRESS_LENGTH)
    .meta({ description: 'The recipient, one address.', example: 'success@simulator.amazonses.com' }),
  subject: z.string().min(1).max(MAX_SUBJECT_LENGTH).optional().meta({
    description: 'One line; replaces the subject of the template, and is filled in the same way.',
    example: 'Seu pedido saiu para entrega',
  }),
  variables: z
    .record(z.string().min(1).max(64), z.union([z.string().max(10_000), z.number(), z.boolean()]))
    .optional()
    .meta({ description: "The values of the template's placeholders.", example: { nome: 'Ana' } }),
  html: part('The HTML part.', '<p>Seu pedido saiu para entrega.</p>').optional(),
  text: part('The plain-text part; made from html if absent.', 'Seu pedido saiu para entrega.').optional(),
  from: z.string().min(3).max(MAX_MAILBOX_LENGTH).optional().meta({
    description: "`address` or `Name <address>` of a verified sender; the organization's default when absent.",
    example: 'Loja Azul <ola@loja.example>',
  }),
  transactional: z.boolean().optional().meta({
    description:
      'True for passwords and orders: sent also to recipients that opted out, without an unsubscribe header. Absent means communication.',
    example: true,
  }),
};

/**
 * The parsed body of a send. `templateId`: a saved template's id; in unified operations also its name (docs/spec/email.md#sending-e-mail).
 */
export type EmailRequest = SendEnvelope &
  z.output<z.ZodObject<typeof emailFields>> & { readonly templateId?: string | undefined };
