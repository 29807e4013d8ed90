import * as z from 'zod';
import { isAvatar, MAX_AVATAR_DATA_BYTES } from '../domain/contacts/avatar.ts';
import { COMPANY_ROLES, CONTACT_SOURCES, EXTERNAL_SYSTEMS, OPT_IN_STATUSES } from '../domain/contacts/contact.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { contactAttributesSchema } from '../domain/core/json-values.ts';
import { dateTime, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';

/** One line of text: control characters could break headers or lists of values. */
const line = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}]+$/u, 'must not contain control characters');

const name = line(200).meta({ description: "The person's name.", example: 'Ana Souza' });
const avatarUrl = z
  .string()
  .max(MAX_AVATAR_DATA_BYTES)
  .refine(isAvatar, 'must be an http(s) address, or an image as a data URI of at most 64 KB')
  .meta({
    description: 'The picture: an http(s) address, or an image as a data URI of at most 64 KB.',
    format: 'uri',
    example: 'https://cdn.example.com/ana.png',
  });
const tags = z
  .array(line(64))
  .max(100)
  .meta({ description: 'Labels, at most 100; a repeated one counts once.', example: ['cliente', 'vip'] });
const source = z.enum(CONTACT_SOURCES).meta({ description: 'Where the contact came from.', example: 'api' });
const externalId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/, 'must be 1 to 128 letters, digits, `_`, `.`, `:` or `-`')
  .meta({
    description:
      "The caller's own customer id, unique in the environment: a UUID, a number, a hash in hex or parts with colons between.",
    example: 'loja:42:8f14e45f',
  });
const systemId = (system: string) =>
  line(128)
    .optional()
    .meta({ description: `The contact's id in ${system}.`, example: '481516' });
const externalIds = z
  .strictObject(
    Object.fromEntries(EXTERNAL_SYSTEMS.map((system) => [system, systemId(system)])) as Record<
      (typeof EXTERNAL_SYSTEMS)[number],
      ReturnType<typeof systemId>
    >,
  )
  .meta({ description: 'The ids of the contact in the CRM systems that it is in; absent when it is in none.' });
const companyId = z
  .string()
  .regex(/^emp_[0-9A-Za-z]{21}$/, 'must be emp_ and 21 characters of 0-9, A-Z, a-z')
  .meta({ description: 'The company that the contact belongs to.', example: 'emp_4hJ9sKq2LmN8pRt5VwXz1' });
const papelNaEmpresa = z
  .enum(COMPANY_ROLES)
  .meta({ description: 'What the contact is in that company.', example: 'decisor' });
const status = z
  .enum(OPT_IN_STATUSES)
  .meta({ description: 'What the person said: `denied` forbids sends, `unknown` does not.', example: 'granted' });
const proof = {
  source: line(120).meta({ description: 'Where consent was given.', example: 'checkout' }),
  ip: z
    .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
    .meta({ description: 'The address that consent came from.', example: '203.0.113.7' }),
  userAgent: line(512).meta({ description: 'The browser or app that consent came from.', example: 'Mozilla/5.0' }),
};

const OptIn = z
  .object({
    status,
    source: proof.source.optional(),
    at: dateTime('When consent was given.').optional(),
    ip: proof.ip.optional(),
    userAgent: proof.userAgent.optional(),
    revokedAt: dateTime('When consent was withdrawn.').optional(),
    revokedReason: z
      .string()
      .optional()
      .meta({ description: 'Why, in the words of whoever recorded it.', example: 'asked by phone' }),
  })
  .meta({
    id: 'ContactOptIn',
    description: "The contact's consent. The proof of an opt-in stays when it is withdrawn.",
  });

const DebtorGroup = z
  .object({
    id: z
      .string()
      .meta({ description: 'The id of the debt: `grp_` and 21 characters.', example: 'grp_4hJ9sKq2LmN8pRt5VwXz1' }),
    company: z.string().meta({ description: 'The creditor.', example: 'Banco Azul' }),
    phones: z.array(z.string()).meta({ description: 'The phones of the debt; masked without pii:full.' }),
    amountCents: z.int().optional().meta({ description: 'The amount in BRL cents.', example: 12_990 }),
    status: z
      .enum(['vencida', 'em_atraso', 'em_dia'])
      .optional()
      .meta({ description: 'How the debt stands.', example: 'em_dia' }),
    reference: z.string().optional().meta({ description: "The creditor's reference.", example: 'CTR-88' }),
  })
  .meta({ id: 'ContactDebtorGroup', description: 'A debt of the contact.' });

const sealed = (what: string) =>
  z
    .string()
    .optional()
    .meta({ description: `The sealed ${what}: encrypted, it never opens for a caller.` });

const contactFields = {
  id: idSchema('contact'),
  organizationId: idSchema('organization'),
  phone: z.string().meta({ description: 'The phone in E.164; masked without pii:full.', example: '+55119****1234' }),
  phoneHash: z.string().meta({
    description:
      'The blind index of the organization and the phone: equal for equal phones, and nothing can be read from it.',
    example: 'Qm9n3p8r2b0v7f5d1k6x4z8w2y0t9s7u5i3o1a6e4cM',
  }),
  name: name.optional(),
  email: z.string().optional().meta({
    description: 'The e-mail address; masked without pii:full.',
    format: 'email',
    example: 'a***@example.com',
  }),
  avatarUrl: z
    .string()
    .optional()
    .meta({ description: 'The picture.', format: 'uri', example: 'https://cdn.example.com/ana.png' }),
  whatsappProfileName: z
    .string()
    .optional()
    .meta({ description: 'The name of the WhatsApp profile, taken from inbound messages.', example: 'Ana' }),
  cpfCipher: sealed('CPF'),
  cnpjCipher: sealed('CNPJ'),
  birthDateCipher: sealed('birth date'),
  attributes: contactAttributesSchema,
  debtorGroups: z.array(DebtorGroup).optional().meta({ description: 'What the contact owes.' }),
  tags,
  optIn: OptIn,
  source,
  externalId: externalId.optional(),
  externalIds: externalIds.optional(),
  companyId: companyId.optional(),
  papelNaEmpresa: papelNaEmpresa.optional(),
  lastInteractionAt: dateTime('When the contact last wrote, clicked or was written to.').optional(),
  createdAt: dateTime('When the contact was created.'),
  updatedAt: dateTime('When it last changed.'),
};

/** docs/spec/contacts.md#contact-shape. */
export const Contact = z.object(contactFields).meta({ id: 'Contact', description: 'A person that messages go to.' });

/** A single read, which includes documents: docs/spec/contacts.md#documents. */
export const ContactRead = z
  .object({
    ...contactFields,
    documentos: z
      .object({
        cpf: z.string().optional().meta({ description: 'The CPF, masked.', example: '***.456.789-**' }),
        cnpj: z.string().optional().meta({ description: 'The CNPJ, masked.', example: '**.345.678/****-**' }),
        nascimento: z.string().optional().meta({ description: 'The birth date, masked.', example: '1990-**-**' }),
      })
      .optional()
      .meta({ description: 'The documents that are kept, masked for every caller; absent when there are none.' }),
  })
  .meta({ id: 'ContactRead', description: 'A contact with its masked documents.' });

/** The body of a create: docs/spec/contacts.md#creating-a-contact. */
export const CreateContact = z
  .strictObject({
    phone: z
      .string()
      .max(64)
      .meta({ description: 'The phone in E.164; unique in the environment.', example: '+5511999991234' }),
    name: name.optional(),
    email: z.email().max(254).optional().meta({ description: 'The e-mail address.', example: 'ana@example.com' }),
    avatarUrl: avatarUrl.optional(),
    attributes: contactAttributesSchema.optional(),
    tags: tags.optional(),
    externalId: externalId.optional(),
    externalIds: externalIds.optional(),
    companyId: companyId.optional(),
    papelNaEmpresa: papelNaEmpresa.optional(),
    cpf: z.string().max(32).optional().meta({
      description: 'The CPF in clear, masked or not; stored encrypted, never shown in full.',
      example: '529.982.247-25',
    }),
    cnpj: z
      .string()
      .max(32)
      .optional()
      .meta({ description: 'The CNPJ in clear, masked or not; stored encrypted.', example: '11.222.333/0001-81' }),
    nascimento: z
      .string()
      .max(32)
      .optional()
      .meta({ description: 'The birth date as YYYY-MM-DD; stored encrypted.', example: '1990-05-20' }),
    optIn: z
      .strictObject({
        status,
        source: proof.source.optional(),
        ip: proof.ip.optional(),
        userAgent: proof.userAgent.optional(),
      })
      .optional()
      .meta({ description: 'The consent that the contact begins with; `unknown` when absent.' }),
    source: source.default('api'),
  })
  .meta({ id: 'CreateContact', description: 'A contact to create.' });

export const OptOutContact = z
  .strictObject({
    reason: line(300).optional().meta({ description: 'Why, in words. No personal data.', example: 'asked by phone' }),
  })
  .meta({ id: 'OptOutContact', description: 'A withdrawal of consent.' });

export const OptInContact = z
  .strictObject({ source: proof.source, ip: proof.ip.optional(), userAgent: proof.userAgent.optional() })
  .meta({ id: 'OptInContact', description: 'Consent, with what proves it.' });

const params = z.object({ id: pathId('contact', 'The id of the contact.') });

export const createContact = defineOperation({
  id: 'contacts.create',
  method: 'POST',
  path: '/contacts',
  tag: 'Contacts',
  summary: 'Create a contact',
  description:
    'A phone and an externalId belong to one contact of the environment: a repeated one is 409 with `meta.code` TELEFONE_JA_CADASTRADO or EXTERNAL_ID_JA_CADASTRADO, `meta.field`, and `meta.contactId` of the contact that has it. `cpf`, `cnpj` and `nascimento` are stored encrypted. Raises contact.created.',
  permission: 'contacts:write',
  request: { body: CreateContact },
  responses: { 201: Contact },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'], vault: true },
});

export const getContact = defineOperation({
  id: 'contacts.get',
  method: 'GET',
  path: '/contacts/{id}',
  tag: 'Contacts',
  summary: 'Read a contact',
  description: 'With its documents, masked for every caller.',
  permission: 'contacts:read',
  request: { params },
  responses: { 200: ContactRead },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'read', vault: true },
});

export const optOutContact = defineOperation({
  id: 'contacts.opt-out',
  method: 'POST',
  path: '/contacts/{id}/opt-out',
  tag: 'Contacts',
  summary: 'Withdraw consent',
  description:
    'From this answer on, sends to the contact or to its phone are refused on every channel, but for transactional SMS. Raises contact.opted_out; a repeat changes nothing and raises nothing.',
  permission: 'contacts:write',
  request: { params, body: OptOutContact },
  responses: { 200: Contact },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'] },
});

export const optInContact = defineOperation({
  id: 'contacts.opt-in',
  method: 'POST',
  path: '/contacts/{id}/opt-in',
  tag: 'Contacts',
  summary: 'Record consent',
  description:
    'Keeps what proves it, and ends an earlier withdrawal. A repeat changes nothing: the first proof stands.',
  permission: 'contacts:write',
  request: { params, body: OptInContact },
  responses: { 200: Contact },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
});
