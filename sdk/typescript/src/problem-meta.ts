import type { ProblemCode } from './problem.ts';

/** Sub-codes and ids of a problem, as sent. */
export type Meta = Readonly<Record<string, string | number>>;

/** Sub-codes may be added: the known ones are completed by an editor, and others are taken. */
type Open<Known extends string> = Known | (string & Record<never, never>);

type Known<Fields> = Readonly<Partial<Fields>> & Meta;

/** The fields of each code in the table of sub-codes in the documentation of errors. */
export const SUB_CODES = {
  FORBIDDEN: { motivo: ['ip_not_allowed'] },
  CONFLICT: {
    code: [
      'EM_ANDAMENTO',
      'window_closed',
      'template_not_approved',
      'TELEFONE_JA_CADASTRADO',
      'EXTERNAL_ID_JA_CADASTRADO',
      'EMAIL_JA_CADASTRADO',
      'ULTIMO_PROPRIETARIO',
      'POSSUI_CARTOES',
      'PIPELINE_ARQUIVADO',
      'RASCUNHO_EXISTENTE',
      'VERSAO_SUBSTITUIDA',
      'CNPJ_JA_CADASTRADO',
      'PROPRIEDADE_SENSIVEL_EM_USO',
    ],
  },
  PRECONDITION_FAILED: { motivo: ['no_verified_sender', 'destination_not_priced', 'destination_held'] },
  VALIDATION_ERROR: {
    code: ['TIPO_AINDA_NAO_DISPONIVEL', 'invalid_template_variable', 'VINCULO_INVALIDO'],
    motivo: [
      'destination_closed',
      'opt_out',
      'suppressed',
      'invalid_number',
      'invalid_address',
      'invalid_recipient',
      'content_rejected',
      'carrier_rejected',
      'blacklisted',
    ],
  },
} as const;

type SubCodes = typeof SUB_CODES;
type Code<Name extends keyof SubCodes> = SubCodes[Name] extends {
  readonly code: readonly (infer Value extends string)[];
}
  ? Open<Value>
  : string;
type Reason<Name extends keyof SubCodes> = SubCodes[Name] extends {
  readonly motivo: readonly (infer Value extends string)[];
}
  ? Open<Value>
  : string;

interface MetaByCode {
  readonly FORBIDDEN: Known<{ motivo: Reason<'FORBIDDEN'> }>;
  readonly CONFLICT: Known<{
    code: Code<'CONFLICT'>;
    /** Of a contact that has what was given already. */
    contactId: string;
    field: string;
    /** The draft or the version that stands in the way. */
    journeyId: string;
    messageId: string;
    numberId: string;
  }>;
  readonly PRECONDITION_FAILED: Known<{
    motivo: Reason<'PRECONDITION_FAILED'>;
    /** ISO 8601: until when the destination is held. */
    heldUntil: string;
    /** It would cost more than this. */
    maxCoins: number;
    messageId: string;
  }>;
  readonly VALIDATION_ERROR: Known<{
    code: Code<'VALIDATION_ERROR'>;
    motivo: Reason<'VALIDATION_ERROR'>;
    /** Of the number: the country that the organization closed. */
    country: string;
    messageId: string;
  }>;
}

/** The `meta` of the problems of a code: `/v1` says in lower case what the others say in upper case. */
export type ProblemMeta<Code extends ProblemCode> = Code extends keyof MetaByCode
  ? MetaByCode[Code]
  : Uppercase<Code> extends keyof MetaByCode
    ? MetaByCode[Uppercase<Code>]
    : Meta;
