import { cnpj, cpf } from 'cpf-cnpj-validator';

/** A CPF: eleven digits, plain or with the Receita Federal mask. */
const CPF = /^(?:\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})$/;
/**
 * A CNPJ: twelve digits or letters and two check digits, plain or masked. ASCII letters only: case folding would map some others onto them.
 */
const CNPJ = /^(?:[0-9A-Za-z]{12}\d{2}|[0-9A-Za-z]{2}\.[0-9A-Za-z]{3}\.[0-9A-Za-z]{3}\/[0-9A-Za-z]{4}-\d{2})$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const EARLIEST_BIRTH = '1900-01-01';

/** Normalizes a CPF, masked or not, to the stored form: eleven digits. Undefined for another format or wrong check digits. */
export const parseCpf = (value: string): string | undefined =>
  CPF.test(value) && cpf.isValid(value, true) ? value.replaceAll(/[.-]/g, '') : undefined;

/**
 * Normalizes a CNPJ, masked or not, in any case, to the stored form: fourteen upper-case characters, numeric or alphanumeric
 * (docs/spec/contacts.md#documents). Undefined for another format or wrong check digits.
 */
export const parseCnpj = (value: string): string | undefined => {
  if (!CNPJ.test(value)) return undefined;
  const bare = value.replaceAll(/[./-]/g, '').toUpperCase();
  return cnpj.isValid(bare, true) ? bare : undefined;
};

/**
 * Validates a birth date as `YYYY-MM-DD`. Undefined if the date doesn't exist, is before 1900, or is still in the future in every time zone
 * at `now` (ms since the epoch).
 */
export const parseBirthDate = (value: string, now: number): string | undefined => {
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (!year) return undefined;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Date turns 30 February into a day of March: only a real date round-trips.
  if (date.toISOString().slice(0, 10) !== value || value < EARLIEST_BIRTH) return undefined;
  const latestToday = new Date(now + 14 * 3_600_000).toISOString().slice(0, 10);
  return value <= latestToday ? value : undefined;
};

/** Masks a stored CPF: `***.456.789-**`. */
export const maskCpf = (stored: string): string =>
  /^\d{11}$/.test(stored) ? `***.${stored.slice(3, 6)}.${stored.slice(6, 9)}-**` : '***';

/** Masks a stored CNPJ: `**.345.678/****-**`. */
export const maskCnpj = (stored: string): string =>
  /^[0-9A-Z]{12}\d{2}$/.test(stored) ? `**.${stored.slice(2, 5)}.${stored.slice(5, 8)}/****-**` : '***';

/** Masks a stored birth date, leaving the year: `1990-**-**`. */
export const maskBirthDate = (stored: string): string => (DATE.test(stored) ? `${stored.slice(0, 4)}-**-**` : '***');
