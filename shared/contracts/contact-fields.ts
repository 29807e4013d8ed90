import * as z from 'zod';
import { isAvatar, MAX_AVATAR_DATA_BYTES } from '../domain/contacts/avatar.ts';
import {
  COMPANY_ROLES,
  CONTACT_SOURCES,
  DEBT_STATUSES,
  EXTERNAL_SYSTEMS,
  OPT_IN_STATUSES,
} from '../domain/contacts/contact.ts';
import { MAX_DEBTS, MAX_TAG_LENGTH, MAX_TAGS } from '../domain/contacts/input.ts';
import { idSchema, linkId } from '../domain/core/id-schema.ts';

/** The fields of a contact, shared by bodies and responses. */

/** One line of text: control characters could break headers or lists of values. */
export const line = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters');

export const name = line(200).meta({ description: "The person's name.", example: 'Ana Souza' });
export const avatarUrl = z
  .string()
  .max(MAX_AVATAR_DATA_BYTES)
  .refine(isAvatar, 'must be an http(s) address, or an image as a data URI of at most 64 KB')
  .meta({
    description: 'The picture: an http(s) URL, or an image as a data URI of at most 64 KB.',
    format: 'uri',
    example: 'https://cdn.example.com/ana.png',
  });
export const tags = z
  .array(line(MAX_TAG_LENGTH))
  .max(MAX_TAGS)
  .meta({ description: 'Labels, at most 100; duplicates are removed.', example: ['cliente', 'vip'] });
export const source = z.enum(CONTACT_SOURCES).meta({ description: 'Where the contact came from.', example: 'api' });
export const externalId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/, 'must be 1 to 128 letters, digits, `_`, `.`, `:` or `-`')
  .meta({
    description:
      "The caller's own customer id, unique in the environment: a UUID, a number, a hash in hex or parts separated by colons.",
    example: 'loja:42:8f14e45f',
  });
export const systemId = (system: string) =>
  line(128)
    .optional()
    .meta({ description: `The contact's id in ${system}.`, example: '481516' });
export const externalIds = z
  .strictObject(
    Object.fromEntries(EXTERNAL_SYSTEMS.map((system) => [system, systemId(system)])) as Record<
      (typeof EXTERNAL_SYSTEMS)[number],
      ReturnType<typeof systemId>
    >,
  )
  .meta({ description: "The contact's ids in CRM systems; absent when there are none." });
export const companyId = linkId('company', 'The company that the contact belongs to.');
export const papelNaEmpresa = z
  .enum(COMPANY_ROLES)
  .meta({ description: "The contact's role in that company.", example: 'decisor' });
export const status = z
  .enum(OPT_IN_STATUSES)
  .meta({ description: 'The consent status: `denied` forbids sends, `unknown` does not.', example: 'granted' });
export const proof = {
  source: line(120).meta({ description: 'Where consent was given.', example: 'checkout' }),
  ip: z
    .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
    .meta({ description: 'The IP address that consent came from.', example: '203.0.113.7' }),
  userAgent: line(512).meta({ description: 'The browser or app that consent came from.', example: 'Mozilla/5.0' }),
};

/** The documents as callers send them. */
export const documents = {
  cpf: z.string().max(32).meta({
    description: 'The CPF, with or without punctuation; stored encrypted, never shown in full.',
    example: '529.982.247-25',
  }),
  cnpj: z
    .string()
    .max(32)
    .meta({ description: 'The CNPJ, with or without punctuation; stored encrypted.', example: '11.222.333/0001-81' }),
  nascimento: z
    .string()
    .max(32)
    .meta({ description: 'The birth date as YYYY-MM-DD; stored encrypted.', example: '1990-05-20' }),
};

export const phone = z
  .string()
  .max(64)
  .meta({ description: 'The phone in E.164; unique in the environment.', example: '+5511999991234' });
export const email = z.email().max(254).meta({ description: 'The e-mail address.', example: 'ana@example.com' });

/** The debts as callers send them. */
export const debtorGroups = z
  .array(
    z.strictObject({
      id: idSchema('debtorGroup', 'The id of the debt; a new one when absent.').optional(),
      company: line(200).meta({ description: 'The creditor.', example: 'Banco Azul' }),
      phones: z
        .array(z.string().max(64))
        .max(20)
        .optional()
        .meta({
          description: 'The phones of the debt in E.164, at most 20.',
          example: ['+5511999991234'],
        }),
      amountCents: z.int().min(0).optional().meta({ description: 'The amount in BRL cents.', example: 12_990 }),
      status: z.enum(DEBT_STATUSES).optional().meta({ description: 'The status of the debt.', example: 'em_dia' }),
      reference: line(128).optional().meta({ description: "The creditor's reference.", example: 'CTR-88' }),
    }),
  )
  .max(MAX_DEBTS)
  .meta({ description: "The contact's debts, at most 50." });
