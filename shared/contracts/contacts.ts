import * as z from 'zod';
import { DEBT_STATUSES } from '../domain/contacts/contact.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { contactAttributesSchema } from '../domain/core/json-values.ts';
import { closedObject, dateTime, openObject, optionalText, pathId, text } from './common.ts';
import {
  avatarUrl,
  companyId,
  debtorGroups,
  documents,
  email,
  externalId,
  externalIds,
  line,
  name,
  papelNaEmpresa,
  phone,
  proof,
  source,
  status,
  tags,
} from './contact-fields.ts';
import { defineOperation } from './define-operation.ts';

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
  id: idSchema('debtorGroup'),
  company: text('The creditor.', 'Banco Azul'),
  phones: z.array(z.string()).meta({ description: 'The phones of the debt; masked without pii:full.' }),
  amountCents: z.int().optional().meta({ description: 'The amount in BRL cents.', example: 12_990 }),
  status: z.enum(DEBT_STATUSES).optional().meta({ description: 'The status of the debt.', example: 'em_dia' }),
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
  otherPhones: z
    .array(z.string())
    .optional()
    .meta({
      description:
        'The phones of contacts that were merged into this one, which now belong to it; masked without pii:full.',
      example: ['+55119****5678'],
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
  phone,
  name: name.optional(),
  email: email.optional(),
  avatarUrl: avatarUrl.optional(),
  attributes: contactAttributesSchema.optional(),
  tags: tags.optional(),
  externalId: externalId.optional(),
  externalIds: externalIds.optional(),
  companyId: companyId.optional(),
  papelNaEmpresa: papelNaEmpresa.optional(),
  debtorGroups: debtorGroups.optional(),
  cpf: documents.cpf.optional(),
  cnpj: documents.cnpj.optional(),
  nascimento: documents.nascimento.optional(),
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

/** The path of one contact. */
export const contactParams = z.object({ id: pathId('contact', 'The id of the contact.') });
const params = contactParams;

const writes = {
  tag: 'Contacts',
  permission: 'contacts:write',
  uses: { table: 'write', queues: ['events'] },
} as const;

export const createContact = defineOperation({
  ...writes,
  id: 'contacts.create',
  route: 'POST /contacts',
  summary: 'Create a contact',
  description:
    'A phone and an externalId belong to one contact of the environment: a duplicate is 409 with `meta.code` TELEFONE_JA_CADASTRADO or EXTERNAL_ID_JA_CADASTRADO, `meta.field`, and `meta.contactId` of the contact that has it; without pii:full at most a burst of 60 and one more each second for a phone, then 429. `cpf`, `cnpj` and `nascimento` are stored encrypted. Raises contact.created.',
  body: CreateContact,
  responses: { 201: Contact },
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'], rootKeys: ['contacts', 'recipients'] },
});

export const getContact = defineOperation({
  id: 'contacts.get',
  route: 'GET /contacts/{id}',
  tag: 'Contacts',
  summary: 'Read a contact',
  description: 'With its documents, masked for every caller.',
  permission: 'contacts:read',
  params,
  answer: ContactRead,
  uses: { table: 'read', rootKeys: ['contacts'] },
});

export const optOutContact = defineOperation({
  ...writes,
  id: 'contacts.opt-out',
  route: 'POST /contacts/{id}/opt-out',
  summary: 'Withdraw consent',
  description:
    'From this response on, sends to the contact or its phone are refused on every channel, except transactional SMS. Raises contact.opted_out; a repeat changes and raises nothing.',
  params,
  body: OptOutContact,
  answer: Contact,
  errors: ['VALIDATION_ERROR'],
});

export const optInContact = defineOperation({
  ...writes,
  id: 'contacts.opt-in',
  route: 'POST /contacts/{id}/opt-in',
  summary: 'Record consent',
  description: 'Stores the proof, and ends an earlier withdrawal. A repeat changes nothing: the first proof is kept.',
  params,
  body: OptInContact,
  answer: Contact,
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write' },
});
