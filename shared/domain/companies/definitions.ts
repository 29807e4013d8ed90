import { auditEntry, type Caller } from '../audit/entry.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { foldText } from '../core/fold-text.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { AttributeDefinition, CompanyPorts } from './company.ts';

/** Maximum definitions of an organization. */
export const MAX_DEFINITIONS = 50;
/** Time limit of the search for values of sensitive properties, in ms. */
const CHECK_MS = 5_000;

/**
 * Words in keys and labels that suggest a document, a password, a card or a token: whole words, since `cardapio` and `cargo` are harmless.
 */
const SENSITIVE = [
  'rg, cpf, cnh, cnpj, rne, pis, nis, ctps, titulo eleitor, titulo de eleitor, inscricao estadual, documento, document, identidade, passaporte, passport',
  'pin, otp, pwd, pass, senha, password, passwd, passcode, secret, segredo, credential, credencial',
  'cvv, cvc, ssn, cartao, cartoes, card, credito',
  'jwt, token, apikey, api key, chave api, chave de api, chave de acesso, access key, accesskey',
].flatMap((words) => words.split(', '));

/** Splits a text into words, at camel case and separators. */
const wordsOf = (text: string): string =>
  foldText(text.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2'))
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const seemsSensitive = (text: string | undefined): boolean => {
  const words = ` ${wordsOf(text ?? '')} `;
  return SENSITIVE.some((word) => [word, `${word}s`].some((form) => words.includes(` ${form} `)));
};

/** Whether the key or label of a property suggests a document, a password, a card or a token. */
export const isSensitive = ({ key, label }: Pick<AttributeDefinition, 'key' | 'label'>): boolean =>
  seemsSensitive(key) || seemsSensitive(label);

/** The sensitive properties that new definitions omit or rename. */
export const endangered = (
  before: readonly AttributeDefinition[],
  after: readonly AttributeDefinition[],
): readonly string[] => {
  const labels = new Map(after.map(({ key, label }) => [key, label]));
  return before
    .filter(isSensitive)
    .filter(({ key, label }) => !labels.has(key) || labels.get(key) !== label)
    .map(({ key }) => key);
};

const repeated = (defs: readonly AttributeDefinition[]): number =>
  defs.findIndex(({ key }, at) => defs.findIndex((other) => other.key === key) < at);

/** The definitions of an organization's company attributes; empty if every attribute is free. */
export const readDefinitions = async (
  { definitions }: Pick<CompanyPorts, 'definitions'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<readonly AttributeDefinition[]> => (await definitions.read(organizationId)).defs;

type Replaced = readonly AttributeDefinition[] | Refusal<'CONFLICT' | 'SERVICE_UNAVAILABLE'>;

/**
 * Replaces all definitions. A sensitive property that companies have values of can be neither removed nor renamed
 * (docs/spec/companies.md#sensitive-properties).
 */
export const replaceDefinitions = async (
  { clock, definitions }: Pick<CompanyPorts, 'clock' | 'definitions'>,
  caller: Caller,
  defs: readonly AttributeDefinition[],
): Promise<Replaced> => {
  const at = repeated(defs);
  if (at >= 0)
    return refuse('CONFLICT', {
      detail: 'A key is defined twice.',
      errors: [{ path: `defs.${at}.key`, message: 'is the key of another definition' }],
    });
  return retryOnConflict('The definitions', async (): Promise<Replaced | typeof CONFLICT> => {
    const before = await definitions.read(caller.organizationId);
    const keys = endangered(before.defs, defs);
    const isChecked = keys.length > 0;
    const since = isChecked ? await definitions.attributeWrites(caller.organizationId) : undefined;
    const held = isChecked ? await definitions.heldAmong(caller.organizationId, keys, CHECK_MS) : [];
    if (held === undefined)
      return refuse('SERVICE_UNAVAILABLE', {
        detail: 'Whether companies hold values of a sensitive property could not be checked in 5 s.',
        retryAfterSeconds: 5,
      });
    if (held.length > 0)
      return refuse('CONFLICT', {
        detail:
          'A sensitive property that companies hold values of can be neither removed nor relabelled: clear its values first.',
        meta: { code: 'PROPRIEDADE_SENSIVEL_EM_USO', propriedades: held.join(', ') },
      });
    const entry = auditEntry(caller, {
      action: 'company_attributes.changed',
      object: caller.organizationId,
      at: clock(),
      details: { count: defs.length },
    });
    const replacing = { defs, over: before.version, since };
    return (await definitions.replace(caller.organizationId, replacing, entry)) ? defs : CONFLICT;
  });
};
