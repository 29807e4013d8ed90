import * as z from 'zod';
import { MAX_DEFINITIONS } from '../domain/companies/definitions.ts';
import { type CompanyRow, MAX_ROWS } from '../domain/companies/import.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import {
  boundedText,
  closedObject,
  count,
  limit,
  numberUpTo,
  openObject,
  ordinal,
  paged,
  part,
  pathId,
  text,
} from './common.ts';
import {
  ChangeCompany,
  Company,
  CompanyAttributeDefinition,
  CompanyItem,
  CreateCompany,
  GivenAttributeDefinition,
} from './company-fields.ts';
import { Contact } from './contacts.ts';
import { defineOperation } from './define-operation.ts';
import { brokenRow, hostileRow } from './import-rows.ts';
import { Message } from './message-shapes.ts';

const params = z.object({ id: pathId('company', 'The id of the company.') });
const tag = 'Companies';
const reads = { permission: 'crm:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'crm:write', tag, uses: { table: 'write', queues: ['events'] } } as const;

export const listCompanies = defineOperation({
  ...reads,
  id: 'companies.list',
  route: 'GET /v2/companies',
  summary: 'List companies, by name',
  description: 'In alphabetical order of their names, ignoring case and accents. `total` counts all matches.',
  query: z.strictObject({
    q: boundedText(
      200,
      'A part of the name, whatever its case and accents. A CNPJ with valid check digits, masked or not, finds the company that has it.',
      'padaria',
    )
      .regex(/\S/, 'must not be blank')
      .optional(),
    responsavelId: idSchema('account', 'Only those that this account is responsible for.').optional(),
    ...paged(25, 100),
  }),
  answer: openObject('CompanyPage', 'A page of companies.', {
    items: z.array(CompanyItem).meta({ description: 'The companies of this page, by name.' }),
    total: count('How many companies match, on all pages.', 1),
  }),
  errors: ['VALIDATION_ERROR'],
  // A reader that finds many changes triggers an early merge of the directory.
  uses: { table: 'write' },
});

export const createCompany = defineOperation({
  ...writes,
  id: 'companies.create',
  route: 'POST /v2/companies',
  summary: 'Create a company',
  description:
    'A CNPJ that another company has is 409 with `meta.code` CNPJ_JA_CADASTRADO; companies without one may have equal names. Raises company.created.',
  body: CreateCompany,
  responses: { 201: Company },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

/** A row of an import. An invalid one is refused on its own, so the operation's body does not enforce this schema. */
const ImportRow = z
  .union([hostileRow, CreateCompany.transform((valid): CompanyRow => ({ valid })), brokenRow(() => CreateCompany)])
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.anyOf;
      jsonSchema.$ref = '#/components/schemas/CreateCompany';
    },
  });

export const importCompanies = defineOperation({
  ...writes,
  id: 'companies.import',
  route: 'POST /v2/companies/import',
  summary: 'Import companies',
  description:
    'Rows are processed in their order. A row changes the company that has its CNPJ or, for a row without one, its exact name, and only the fields that it has; other rows create. A row without a CNPJ whose name several companies have is an error. Repeating the call changes nothing more. Raises company.created and company.updated.',
  rowsIn: 'empresas',
  body: closedObject('ImportCompanies', 'Companies to import.', {
    empresas: z
      .array(ImportRow)
      .min(1)
      .max(MAX_ROWS)
      .meta({
        description: `1 to ${MAX_ROWS} companies. An invalid one is refused on its own, and listed in \`erros\`.`,
      }),
  }),
  answer: openObject('ImportedCompanies', 'The results of the rows; together as many as were sent.', {
    criadas: count('How many companies were created.', 2),
    atualizadas: count('How many rows matched a company and were applied to it.', 1),
    erros: z
      .array(
        part('A row that was refused.', {
          linha: ordinal('Its number in `empresas`, from 1.', 3),
          mensagem: text('What is wrong with it, without its values.', 'cnpj must be a CNPJ with right check digits'),
        }),
      )
      .meta({ description: 'The rows that were refused, in their order.' }),
  }),
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events', 'outcome'] },
  memoryMb: 1769,
  timeoutSeconds: 28,
});

export const getCompany = defineOperation({
  ...reads,
  id: 'companies.get',
  route: 'GET /v2/companies/{id}',
  summary: 'Read a company',
  description: 'With all of its counts.',
  params,
  answer: Company,
});

export const changeCompany = defineOperation({
  ...writes,
  id: 'companies.change',
  route: 'PATCH /v2/companies/{id}',
  summary: 'Change a company',
  description:
    'JSON Merge Patch: absent fields stay, null clears; `atributos` replaces all previous ones. `responsavelId` and `contatoPrincipalId` are checked only if they change. Raises company.updated if anything changed.',
  params,
  body: ChangeCompany,
  answer: Company,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const deleteCompany = defineOperation({
  ...writes,
  id: 'companies.delete',
  route: 'DELETE /v2/companies/{id}',
  summary: 'Delete a company',
  description:
    'Permanent. Its contacts and deals stay, without the company, and contacts without their role in it: once this is answered no read shows it. Raises company.deleted.',
  permission: 'crm:delete',
  params,
  responses: { 204: null },
  uses: { table: 'write', queues: ['events', 'outcome'] },
});

export const listCompanyContacts = defineOperation({
  ...reads,
  id: 'companies.contacts',
  permission: 'contacts:read',
  route: 'GET /v2/companies/{id}/contacts',
  summary: "List a company's contacts",
  description:
    'In the order of their last inbound messages, latest first. A page ends early if its contacts are more than an answer can hold: the next begins at `skip` plus the number of items.',
  params,
  query: z.strictObject(paged(50, 200)),
  answer: openObject('CompanyContactPage', 'A page of the contacts of a company.', {
    items: z
      .array(Contact)
      .meta({ description: 'The contacts of this page, in the order of their last inbound messages.' }),
    total: count('How many contacts the company has.', 3),
  }),
  errors: ['VALIDATION_ERROR'],
});

export const listCompanyMessages = defineOperation({
  ...reads,
  id: 'companies.messages',
  permission: 'messages:read',
  route: 'GET /v2/companies/{id}/messages',
  summary: "List the messages of a company's contacts, newest first",
  description: 'To and from the 50 contacts that wrote last, of the last days.',
  params,
  query: z.strictObject({
    dias: numberUpTo(31, 7, 'How many days back: 1 to 31; 7 when absent.'),
    limit: limit(50, 200),
  }),
  answer: openObject('CompanyMessages', 'The messages of a company.', {
    items: z.array(Message).meta({ description: 'The messages, newest first.' }),
  }),
  errors: ['VALIDATION_ERROR'],
});

const Definitions = openObject('CompanyAttributeDefinitions', 'How the attributes of companies are defined.', {
  defs: z.array(CompanyAttributeDefinition).meta({ description: 'Empty if every attribute is free.' }),
});

export const getCompanyAttributes = defineOperation({
  ...reads,
  id: 'companies.get-attributes',
  route: 'GET /v2/organizations/me/company-attribute-defs',
  summary: "Read the definitions of companies' attributes",
  description: 'Separate from those of contacts.',
  answer: Definitions,
  errors: ['NOT_FOUND'],
});

export const setCompanyAttributes = defineOperation({
  ...writes,
  id: 'companies.set-attributes',
  route: 'PUT /v2/organizations/me/company-attribute-defs',
  summary: "Replace the definitions of companies' attributes",
  description:
    'As a whole: a key that is left out is removed. Stored companies are not changed; the definitions apply to later writes. A property that looks like a document, a password, a card or a token can be neither removed nor relabelled while companies hold values of it: 409 with `meta.code` PROPRIEDADE_SENSIVEL_EM_USO; 503 if that cannot be checked within 5 s.',
  body: closedObject('SetCompanyAttributes', 'The definitions.', {
    defs: z
      .array(GivenAttributeDefinition)
      .max(MAX_DEFINITIONS)
      .meta({ description: `At most ${MAX_DEFINITIONS}; a key may be defined once.` }),
  }),
  answer: Definitions,
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
});
