import { expect, test } from 'vitest';
import { gramsOf, gramsOfSearch, isFound, parseSearch } from '../../shared/domain/audience/grams.ts';
import { fc } from '../support/fast-check.ts';

const word = fc.constantFrom('Ana', 'JOÃO', 'd’Ávila', 'São', 'x', '  ', '@loja', '😀', 'ﬁm');
const named = fc.record({
  name: fc.option(
    fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
    { nil: undefined },
  ),
  email: fc.option(fc.constantFrom('ana.souza@example.com', 'j@x.br'), { nil: undefined }),
  phone: fc.integer({ min: 10_000_000, max: 99_999_999 }).map((digits) => `+55119${digits}`),
});

test('every match contains the trigrams that are looked up, so that the index finds every contact', () => {
  fc.assert(
    fc.property(named, fc.nat(40), fc.integer({ min: 1, max: 20 }), (contact, from, length) => {
      const texts = [contact.name, contact.email, contact.phone].flatMap((text) => (text === undefined ? [] : [text]));
      for (const text of texts) {
        const q = [...text].slice(from % 10, (from % 10) + length).join('');
        if (q.trim() === '') continue;
        const search = parseSearch(q);
        if (!isFound(search, contact)) continue;
        const grams = gramsOf(contact);
        expect(gramsOfSearch(search).some((wanted) => [...wanted].every((gram) => grams.has(gram)))).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a part of a name, an address or a phone is found, however its case, accents and punctuation are', () => {
  const contact = { name: 'JOÃO da Silva', email: 'jsilva@loja.example', phone: '+5511987654321' };
  for (const q of ['joao', 'ÃO DA', 'ilv', 'a@loj', '(11) 98765-43', '987', 'si', 'j'])
    expect([q, isFound(parseSearch(q), contact)]).toEqual([q, true]);
  for (const q of ['joão silva', 'il', '98', '119876543210', 'ana'])
    expect([q, isFound(parseSearch(q), contact)]).toEqual([q, false]);
});
