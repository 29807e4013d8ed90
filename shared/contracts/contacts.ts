import * as z from 'zod';
import { isAvatar, MAX_AVATAR_DATA_BYTES } from '../domain/contacts/avatar.ts';
import { COMPANY_ROLES, CONTACT_SOURCES, EXTERNAL_SYSTEMS, OPT_IN_STATUSES } from '../domain/contacts/contact.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { contactAttributesSchema } from '../domain/core/json-values.ts';
import { closedObject, dateTime, openObject, optionalText, pathId, text } from './common.ts';
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
    description: 'The picture: an http(s) URL, or an image as a data URI of at most 64 KB.',
    format: 'uri',
    example: 'https://cdn.example.com/ana.png',
  });
const tags = z
  .array(line(64))
  .max(100)
  .meta({ description: 'Labels, at most 100; duplicates are removed.', example: ['cliente', 'vip'] });
const source = z.enum(CONTACT_SOURCES).meta({ description: 'Where the contact came from.', example: 'api' });
const externalId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/, 'must be 1 to 128 letters, digits, `_`, `.`, `:` or `-`')
  .meta({
    description:
      "The caller's own customer id, unique in the environment: a UUID, a number, a hash in hex or parts separated by colons.",
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
  .meta({ description: "The contact's ids in CRM systems; absent when there are none." });
const companyId = z
  .string()
  .regex(/^emp_[0-9A-Za-z]{21}$/, 'must be emp_ and 21 characters of 0-9, A-Z, a-z')
  .meta({ description: 'The company that the contact belongs to.', example: 'emp_4hJ9sKq2LmN8pRt5VwXz1' });
const papelNaEmpresa = z
  .enum(COMPANY_ROLES)
  .meta({ description: "The contact's role in that company.", example: 'decisor' });
const status = z
  .enum(OPT_IN_STATUSES)
  .meta({ description: 'The consent status: `denied` forbids sends, `unknown` does not.', example: 'granted' });
const proof = {
  source: line(120).meta({ description: 'Where consent was given.', example: 'checkout' }),
  ip: z
    .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
    .meta({ description: 'The IP address that consent came from.', example: '203.0.113.7' }),
  userAgent: line(512).meta({ description: 'The browser or app that consent came from.', example: 'Mozilla/5.0' }),
};

const OptIn = openObject(
  'ContactOptIn',
  "The contact's consent. The proof of an opt-in is kept when consent is withdrawn.",
  {
    status,
    source: proof.source.optional(),
    at: dateTime('When consent was given.').optional(),
    ip: proof.ip.optional(),
    userAgent: proof.userAgent.optional(),
    revokedAt: dateTime('When consent was withdrawn.').optional(),
    revokedReason: optionalText('The reason, as it was recorded.', 'asked by phone'),
  },
);

const DebtorGroup = openObject('ContactDebtorGroup', 'A debt of the contact.', {
  id: text('The id of the debt: `grp_` and 21 characters.', 'grp_4hJ9sKq2LmN8pRt5VwXz1'),
  company: text('The creditor.', 'Banco Azul'),
  phones: z.array(z.string()).meta({ description: 'The phones of the debt; masked without pii:full.' }),
  amountCents: z.int().optional().meta({ description: 'The amount in BRL cents.', example: 12_990 }),
  status: z
    .enum(['vencida', 'em_atraso', 'em_dia'])
    .optional()
    .meta({ description: 'The status of the debt.', example: 'em_dia' }),
  reference: optionalText("The creditor's reference.", 'CTR-88'),
});

const sealed = (what: string) => optionalText(`The sealed ${what}: encrypted, and never decrypted for callers.`);

const contactFields = {
  id: idSchema('contact'),
  organizationId: idSchema('organization'),
  phone: text('The phone in E.164; masked without pii:full.', '+55119****1234'),
  phoneHash: text(
    'The blind index of the organization and the phone: equal for equal phones, and it reveals nothing of the phone.',
    'Qm9n3p8r2b0v7f5d1k6x4z8w2y0t9s7u5i3o1a6e4cM',
  ),
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
  whatsappProfileName: optionalText('The WhatsApp profile name, taken from inbound messages.', 'Ana'),
  cpfCipher: sealed('CPF'),
  cnpjCipher: sealed('CNPJ'),
  birthDateCipher: sealed('birth date'),
  attributes: contactAttributesSchema,
  debtorGroups: z.array(DebtorGroup).optional().meta({ description: "The contact's debts." }),
  tags,
  optIn: OptIn,
  source,
  externalId: externalId.optional(),
  externalIds: externalIds.optional(),
  companyId: companyId.optional(),
  papelNaEmpresa: papelNaEmpresa.optional(),
  lastInteractionAt: dateTime('When the contact last wrote, clicked or was sent a message.').optional(),
  createdAt: dateTime('When the contact was created.'),
  updatedAt: dateTime('When it last changed.'),
};

/** docs/spec/contacts.md#contact-shape. */
export const Contact = openObject('Contact', 'A person that messages are sent to.', contactFields);

/** A single read, which includes documents: docs/spec/contacts.md#documents. */
export const ContactRead = openObject('ContactRead', 'A contact with its masked documents.', {
  ...contactFields,
  documentos: z
    .object({
      cpf: optionalText('The CPF, masked.', '***.456.789-**'),
      cnpj: optionalText('The CNPJ, masked.', '**.345.678/****-**'),
      nascimento: optionalText('The birth date, masked.', '1990-**-**'),
    })
    .optional()
    .meta({ description: 'The stored documents, masked for every caller; absent when there are none.' }),
});

/** The body of a create: docs/spec/contacts.md#creating-a-contact. */
export const CreateContact = closedObject('CreateContact', 'A contact to create.', {
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
    description: 'The CPF, with or without punctuation; stored encrypted, never shown in full.',
    example: '529.982.247-25',
  }),
  cnpj: z
    .string()
    .max(32)
    .optional()
    .meta({ description: 'The CNPJ, with or without punctuation; stored encrypted.', example: '11.222.333/0001-81' }),
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
    .meta({ description: 'The initial consent; `unknown` when absent.' }),
  source: source.default('api'),
});

export const OptOutContact = closedObject('OptOutContact', 'A withdrawal of consent.', {
  reason: line(300)
    .optional()
    .meta({ description: 'The reason, as free text. No personal data.', example: 'asked by phone' }),
});

export const OptInContact = closedObject('OptInContact', 'Consent and its proof.', {
  source: proof.source,
  ip: proof.ip.optional(),
  userAgent: proof.userAgent.optional(),
});

const params = z.object({ id: pathId('contact', 'The id of the contact.') });

const writes = {
  tag: 'Contacts',
  permission: 'contacts:write',
  method: 'POST',
  uses: { table: 'write', queues: ['events'] },
} as const;

export const createContact = defineOperation({
  ...writes,
  id: 'contacts.create',
  path: '/contacts',
  summary: 'Create a contact',
  description:
    'A phone and an externalId belong to one contact of the environment: a duplicate is 409 with `meta.code` TELEFONE_JA_CADASTRADO or EXTERNAL_ID_JA_CADASTRADO, `meta.field`, and `meta.contactId` of the contact that has it; without pii:full at most 60 a minute for a phone, then 429. `cpf`, `cnpj` and `nascimento` are stored encrypted. Raises contact.created.',
  request: { body: CreateContact },
  responses: { 201: Contact },
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'], rootKeys: ['contacts', 'recipients'] },
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
  errors: ['NOT_FOUND'],
  uses: { table: 'read', rootKeys: ['contacts'] },
});

export const optOutContact = defineOperation({
  ...writes,
  id: 'contacts.opt-out',
  path: '/contacts/{id}/opt-out',
  summary: 'Withdraw consent',
  description:
    'From this response on, sends to the contact or its phone are refused on every channel, except transactional SMS. Raises contact.opted_out; a repeat changes and raises nothing.',
  request: { params, body: OptOutContact },
  responses: { 200: Contact },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
});

export const optInContact = defineOperation({
  ...writes,
  id: 'contacts.opt-in',
  path: '/contacts/{id}/opt-in',
  summary: 'Record consent',
  description: 'Stores the proof, and ends an earlier withdrawal. A repeat changes nothing: the first proof is kept.',
  request: { params, body: OptInContact },
  responses: { 200: Contact },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
});
