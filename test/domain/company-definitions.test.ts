import { expect, test } from 'vitest';
import { GivenAttributeDefinition } from '../../shared/contracts/company-fields.ts';
import { attributeErrors } from '../../shared/domain/companies/attributes.ts';
import { isSensitive } from '../../shared/domain/companies/definitions.ts';

test('a property is sensitive by whole words of its key or label, not by what they contain', () => {
  for (const key of [
    'cpf',
    'CPF do titular',
    'senhaDoCofre',
    'chave_api',
    'api-key',
    'cartões',
    'cartao',
    'access token',
    'título de eleitor',
    'passwords',
  ])
    expect(isSensitive({ key }), key).toBe(true);
  for (const key of [
    'cardapio',
    'cardiologia',
    'documentario',
    'secretaria',
    'tokenizado',
    'discard',
    'carga',
    'margem',
    'pintura',
  ])
    expect(isSensitive({ key }), key).toBe(false);
  expect(isSensitive({ key: 'x', label: 'Nº do passaporte' })).toBe(true);
});

test('a required attribute needs a value: neither an empty text nor one of spaces is one', () => {
  const defs = [{ key: 'ramo', type: 'string', required: true }] as const;
  for (const value of ['', ' ', null])
    expect(attributeErrors(defs, { ramo: value })).toEqual([{ path: 'atributos.ramo', message: 'is required' }]);
  expect(attributeErrors(defs, { ramo: 'padaria' })).toEqual([]);
  expect(attributeErrors([{ key: 'ramo', type: 'string', required: false }], { ramo: '' })).toEqual([]);
});

test('no property is defined under a key that no body may have', () => {
  expect(GivenAttributeDefinition.safeParse({ key: '__proto__', type: 'string' }).success).toBe(false);
  expect(GivenAttributeDefinition.safeParse({ key: 'proto', type: 'string' }).success).toBe(true);
});
