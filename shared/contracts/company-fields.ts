import * as z from 'zod';
import { ATTRIBUTE_TYPES } from '../domain/companies/company.ts';
import { idSchema, linkId } from '../domain/core/id-schema.ts';
import { contactAttributesSchema } from '../domain/core/json-values.ts';
import { closedObject, count, dateTime, openObject, part } from './common.ts';
import { line } from './contact-fields.ts';

/** The fields of a company, shared by bodies and responses. */

const nome = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .meta({ description: "The company's name.", example: 'Padaria Aurora' });
const cnpj = z.string().max(32).meta({
  description: 'The CNPJ, numeric or alphanumeric, with or without punctuation; unique in the environment.',
  example: '12.ABC.345/01DE-35',
});
const segmento = line(120).meta({ description: 'What it does.', example: 'Alimentação' });
const site = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) address' })
  .max(2_048)
  .meta({ description: 'Its site.', example: 'https://padaria.example.com' });
const endereco = line(500).meta({ description: 'Its address.', example: 'Rua das Flores, 10, São Paulo' });
const responsavelId = linkId('account', 'The account that is responsible for it: it must be active when it is set.');
const contatoPrincipalId = linkId('contact', 'Its main contact.');
const atributos = contactAttributesSchema.meta({
  description:
    'Free attributes, at most 100 and 32 KB, as those of a contact. Defined attributes must have their type, and required ones a value.',
  example: { funcionarios: 12, cliente: true, regioes: ['SP', 'RJ'] },
});

const fields = {
  nome,
  cnpj: cnpj.optional(),
  segmento: segmento.optional(),
  site: site.optional(),
  endereco: endereco.optional(),
  responsavelId: responsavelId.optional(),
  contatoPrincipalId: contatoPrincipalId.optional(),
  atributos: atributos.optional(),
};

export const CreateCompany = closedObject('CreateCompany', 'A company to create.', fields).meta({
  example: {
    nome: 'Padaria Aurora',
    cnpj: '12.ABC.345/01DE-35',
    segmento: 'Alimentação',
    site: 'https://padaria.example.com',
    endereco: 'Rua das Flores, 10, São Paulo',
    atributos: { funcionarios: 12, cliente: true },
  },
});
export const ChangeCompany = closedObject(
  'ChangeCompany',
  'The changes to a company; null clears, absent fields stay.',
  {
    nome: nome.optional(),
    cnpj: cnpj.nullable().optional(),
    segmento: segmento.nullable().optional(),
    site: site.nullable().optional(),
    endereco: endereco.nullable().optional(),
    responsavelId: responsavelId.nullable().optional(),
    contatoPrincipalId: contatoPrincipalId.nullable().optional(),
    atributos: atributos.optional(),
  },
);

const contagens = {
  contatos: count('How many contacts name the company.', 3),
  negociosAbertos: count('How many of its deals are open.', 2),
  valorAberto: z.number().meta({
    description: 'The sum of its open deals; currencies are not converted.',
    example: 12_500.5,
  }),
  ultimaInteracao: dateTime('When one of its contacts last wrote; null if none did.').nullable(),
};
const stored = {
  id: idSchema('company'),
  organizationId: idSchema('organization'),
  ...fields,
  cnpj: z
    .string()
    .optional()
    .meta({ description: 'The CNPJ: fourteen characters, upper case.', example: '12ABC34501DE35' }),
  site: z.string().optional().meta({ description: 'Its site.', format: 'uri', example: 'https://padaria.example.com' }),
  createdById: z
    .union([idSchema('account'), idSchema('apiKey')])
    .meta({ description: 'The account or the API key that created it.', example: 'acc_4hJ9sKq2LmN8pRt5VwXz1' }),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it last changed.'),
};

export const CompanyItem = openObject('CompanyItem', 'A company in a list.', {
  ...stored,
  contagens: part('The counts of the company.', contagens),
});
export const Company = openObject('Company', 'A company.', {
  ...stored,
  contagens: part('The counts of the company.', {
    ...contagens,
    valorGanho: z
      .number()
      .meta({ description: 'The sum of the won deals; currencies are not converted.', example: 8_000 }),
    negociosGanhos: count('How many deals were won.', 1),
  }),
});

const definition = {
  key: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
    .refine((key) => key !== '__proto__', 'must not be __proto__')
    .meta({ description: 'The key of the attribute; unique.', example: 'funcionarios' }),
  type: z.enum(ATTRIBUTE_TYPES).meta({
    description: 'The type of its values; `date` is a day (YYYY-MM-DD) or a time of ISO 8601, as text.',
    example: 'number',
  }),
  label: line(120).optional().meta({ description: 'What people read.', example: 'Funcionários' }),
};
const defined = 'Whether a company must have a value.';
export const CompanyAttributeDefinition = openObject('CompanyAttributeDefinition', 'The definition of an attribute.', {
  ...definition,
  required: z.boolean().meta({ description: defined, example: false }),
});
export const GivenAttributeDefinition = closedObject('GivenAttributeDefinition', 'An attribute to define.', {
  ...definition,
  required: z.boolean().default(false).meta({ description: defined, example: false }),
});
