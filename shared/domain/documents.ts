import { cnpj, cpf } from 'cpf-cnpj-validator';

/** A CPF: eleven digits, bare or in the mask of the Receita Federal. */
const CPF = /^(?:\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})$/;
/** A CNPJ: twelve digits or letters and two check digits, bare or masked. Letters are ASCII alone: folding case makes others into them. */
const CNPJ = /^(?:[0-9A-Za-z]{12}\d{2}|[0-9A-Za-z]{2}\.[0-9A-Za-z]{3}\.[0-9A-Za-z]{3}\/[0-9A-Za-z]{4}-\d{2})$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const EARLIEST_BIRTH = '1900-01-01';

/** A CPF as it is stored, eleven digits; undefined when it has another shape or a wrong check digit. Masked or not. */
export const parseCpf = (value: string): string | undefined =>
  CPF.test(value) && cpf.isValid(value, true) ? value.replaceAll(/[.-]/g, '') : undefined;

/**
 * A CNPJ as it is stored (interface 2.4): fourteen characters, upper case, no mask, numeric or alphanumeric. Undefined when it has
 * another shape or a wrong check digit. Masked or not, in either case.
 */
export const parseCnpj = (value: string): string | undefined => {
  if (!CNPJ.test(value)) return undefined;
  const bare = value.replaceAll(/[./-]/g, '').toUpperCase();
  return cnpj.isValid(bare, true) ? bare : undefined;
};

/**
 * A birth date as it is stored, `YYYY-MM-DD`; undefined when the calendar has no such day, or it lies before 1900 or after `now`
 * (ms since the epoch) in every time zone.
 */
export const parseBirthDate = (value: string, now: number): string | undefined => {
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (!year) return undefined;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Date rolls 30 February over into March: only a day of the calendar comes back as it was given.
  if (date.toISOString().slice(0, 10) !== value || value < EARLIEST_BIRTH) return undefined;
  const latestToday = new Date(now + 14 * 3_600_000).toISOString().slice(0, 10);
  return value <= latestToday ? value : undefined;
};

/** A stored CPF as it is shown: `***.456.789-**`. */
export const maskCpf = (stored: string): string =>
  /^\d{11}$/.test(stored) ? `***.${stored.slice(3, 6)}.${stored.slice(6, 9)}-**` : '***';

/** A stored CNPJ as it is shown: `**.345.678/****-**`. */
export const maskCnpj = (stored: string): string =>
  /^[0-9A-Z]{12}\d{2}$/.test(stored) ? `**.${stored.slice(2, 5)}.${stored.slice(5, 8)}/****-**` : '***';

/** A stored birth date as it is shown: the year alone, `1990-**-**`. */
export const maskBirthDate = (stored: string): string => (DATE.test(stored) ? `${stored.slice(0, 4)}-**-**` : '***');
