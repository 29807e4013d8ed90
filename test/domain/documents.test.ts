import { cnpj, cpf } from 'cpf-cnpj-validator';
import { describe, expect, it } from 'vitest';
import {
  maskBirthDate,
  maskCnpj,
  maskCpf,
  parseBirthDate,
  parseCnpj,
  parseCpf,
} from '../../shared/domain/core/documents.ts';

const fullWidth = (text: string) =>
  Array.from(text, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join('');

describe('a CPF', () => {
  it.each(['295.379.955-93', '29537995593'])('is stored as digits: %s', (value) =>
    expect(parseCpf(value)).toBe('29537995593'),
  );

  it.each([
    '295.379.955-94',
    '11111111111',
    '2953799559',
    '295379955930',
    ' 29537995593',
    '29537995593\n',
    '295.37995593',
    '295-379.955.93',
    fullWidth('29537995593'),
    '',
  ])('with a wrong digit or shape is refused: %s', (value) => expect(parseCpf(value)).toBeUndefined());

  it('passes for 1,000 generated ones, formatted or not', () => {
    for (let turn = 0; turn < 1_000; turn++) {
      const masked = cpf.generate(true);
      expect(parseCpf(masked)).toBe(parseCpf(cpf.strip(masked)));
      expect(parseCpf(masked)).toMatch(/^\d{11}$/);
    }
  });

  it('shows its middle digits only', () =>
    expect([maskCpf('12345678909'), maskCpf('x')]).toEqual(['***.456.789-**', '***']));
});

describe('a CNPJ', () => {
  it.each([
    ['54.550.752/0001-55', '54550752000155'],
    ['54550752000155', '54550752000155'],
    ['12.ABC.345/01DE-35', '12ABC34501DE35'],
    ['12.abc.345/01de-35', '12ABC34501DE35'],
    ['12ABC34501DE35', '12ABC34501DE35'],
  ])('is stored in upper case without punctuation: %s', (value, stored) => expect(parseCnpj(value)).toBe(stored));

  it.each([
    '54.550.752/0001-56',
    '00000000000000',
    '12ABC34501DE36',
    '12ABC34501DEAB',
    '5455075200015',
    '54 550 752 0001 55',
    '54550752000155 ',
    fullWidth('54550752000155'),
    '12ABC34501Dı35',
    '',
  ])('with a wrong digit or shape is refused: %s', (value) => expect(parseCnpj(value)).toBeUndefined());

  it('passes for 1,000 generated alphanumeric ones, formatted or not', () => {
    for (let turn = 0; turn < 1_000; turn++) {
      const masked = cnpj.generate(true);
      expect(parseCnpj(masked.toLowerCase())).toBe(cnpj.strip(masked));
    }
  });

  it('shows its middle groups only', () =>
    expect([maskCnpj('12345678000195'), maskCnpj('12ABC34501DE35'), maskCnpj('x')]).toEqual([
      '**.345.678/****-**',
      '**.ABC.345/****-**',
      '***',
    ]));
});

describe('a birth date', () => {
  const now = Date.parse('2026-03-02T12:00:00Z');
  it.each(['1990-12-31', '2000-02-29', '1900-01-01', '2026-03-02'])('that exists passes: %s', (value) =>
    expect(parseBirthDate(value, now)).toBe(value),
  );

  it.each([
    '2026-03-04',
    '1899-12-31',
    '1990-02-30',
    '1900-02-29',
    '1990-13-01',
    '1990-00-10',
    '1990-1-1',
    '31/12/1990',
    '1990-12-31T00:00:00Z',
    '0000-01-01',
    '',
  ])('that does not exist, or is not past, is refused: %s', (value) =>
    expect(parseBirthDate(value, now)).toBeUndefined(),
  );

  it('shows its year only', () =>
    expect([maskBirthDate('1990-12-31'), maskBirthDate('x')]).toEqual(['1990-**-**', '***']));
});
