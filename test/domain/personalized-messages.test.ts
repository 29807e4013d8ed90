import { describe, expect, it } from 'vitest';
import { type Escape, type FillValue, fill, type Scope } from '../../shared/domain/personalization/fill.ts';
import { compileMessage, isFaults, personalize } from '../../shared/domain/personalization/message.ts';
import { compile, isTemplateFault } from '../../shared/domain/personalization/template.ts';
import { fc } from '../support/fast-check.ts';

const ANA: Scope = { contact: { name: 'Ana\n& Bia', phone: '+5511999990005', attributes: { plano: 'ouro' } } };

describe('a message', () => {
  it('has every text filled, those of its fallbacks too, and nothing else', () => {
    const message = {
      channel: 'whatsapp',
      to: '{{contact.phone}}',
      template: '{{contact.name}}',
      variables: { nome: 'Sr. {{contact.name}}', n: 3, ok: true },
      metadata: { name: '{{contact.name}}' },
      campaignId: '{{contact.name}}',
      fallback: [
        'sms',
        { channel: 'sms', text: 'Oi {{contact.name}}', variables: { a: '{{contact.attributes.plano}}' } },
        {
          channel: 'email',
          payload: { email: { subject: '{{contact.name}}', html: '<p>{{contact.name}}', text: '{{contact.name}}' } },
        },
      ],
      payload: { interactive: { body: { text: '{{contact.name}}' }, rows: ['{{contact.attributes.x|nada}}', 1] } },
    };
    expect(personalize(message, ANA)).toEqual({
      missing: [],
      message: {
        ...message,
        variables: { nome: 'Sr. Ana & Bia', n: 3, ok: true },
        fallback: [
          'sms',
          { channel: 'sms', text: 'Oi Ana\n& Bia', variables: { a: 'ouro' } },
          {
            channel: 'email',
            payload: { email: { subject: 'Ana & Bia', html: '<p>Ana\n&amp; Bia', text: 'Ana\n& Bia' } },
          },
        ],
        payload: { interactive: { body: { text: 'Ana\n& Bia' }, rows: ['nada', 1] } },
      },
    });
  });

  it('is refused with every text that does not compile, by path', () => {
    const message = {
      text: 'Oi {{nome}}',
      variables: { a: '{{contact.' },
      fallback: ['sms', { channel: 'sms', text: '{{contact.cpf}}' }],
      payload: { deep: [{ subject: '{{event.x}}' }] },
    };
    expect(compileMessage(message, ['contact'])).toEqual([
      {
        path: 'text',
        message: 'has a placeholder that begins with none of the words that are known here, at character 4',
      },
      { path: 'variables.a', message: 'has braces that are not closed, at character 1' },
      { path: 'fallback.1.text', message: 'has a placeholder that names no field, at character 1' },
      { path: 'payload.deep.0.subject', message: expect.stringMatching(/begins with none/) },
    ]);
  });

  it('reports each missing value once', () => {
    const message = { text: '{{contact.email}}', variables: { a: '{{contact.email}}', b: '{{event.x}}' } };
    expect(personalize(message, ANA)).toMatchObject({ missing: ['contact.email', 'event.x'] });
  });

  it('compiled once fills for many', () => {
    const compiled = compileMessage({ text: 'Oi {{contact.name}}' });
    if (isFaults(compiled)) throw new Error('does not compile');
    expect(['Ana', 'Bia'].map((name) => compiled.fill({ contact: { name } }).message.text)).toEqual([
      'Oi Ana',
      'Oi Bia',
    ]);
  });
});

/** Texts that resemble placeholders, whole and broken. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '{{',
        '}}',
        '{',
        '}',
        '|',
        '.',
        ' ',
        '"',
        '<a href="',
        'https://x/',
        'contact',
        'name',
        'attributes',
        'event',
        '__proto__',
      ),
      fc.constantFrom('{{contact.name}}', '{{event.k|w}}', '{{variable.k}}', '{{contact.attributes.k}}'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''));
const value: fc.Arbitrary<FillValue> = fc.oneof(
  fc.string({ unit: 'binary' }),
  text,
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.constantFrom('{', '}', '{{', '<script>', '\ud800', 'javascript:x', '"\'`=&'),
);
const scope: fc.Arbitrary<Scope> = fc.record({
  contact: fc.record({
    name: fc.option(text, { nil: undefined }),
    attributes: fc.dictionary(fc.constantFrom('k', 'j'), value),
  }),
  event: fc.dictionary(fc.constantFrom('k', 'j'), value),
  variable: fc.dictionary(fc.constantFrom('k', '__proto__'), value),
});
const into = fc.constantFrom<Escape>('none', 'line', 'html');
const RUNS = { numRuns: 2_000 };

describe('for any text and values', () => {
  it('a text compiles or is refused within it, and filling it leaves no double braces', () => {
    fc.assert(
      fc.property(text, scope, into, (written, from, how) => {
        const parts = compile(written);
        if (isTemplateFault(parts)) return parts.at >= 0 && written.startsWith('{{', parts.at);
        return !fill(parts, from, { escape: how }).text.includes('{{');
      }),
      RUNS,
    );
  });

  it('a text without double braces is itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), scope, into, (written, from, how) => {
        fc.pre(!written.includes('{{'));
        const parts = compile(written);
        expect(isTemplateFault(parts) ? parts : fill(parts, from, { escape: how }).text).toBe(written);
      }),
      RUNS,
    );
  });

  it('a value adds no tag, quote or attribute to HTML, and no line to a line', () => {
    fc.assert(
      fc.property(
        value,
        fc.constantFrom('{{variable.k}}', 'https://x/?a={{variable.k}}', 'href="{{variable.k}}'),
        (k, written) => {
          const parts = compile(written);
          if (isTemplateFault(parts)) throw new Error('does not compile');
          const added = (how: Escape) =>
            fill(parts, { variable: { k } }, { escape: how }).text.slice(written.indexOf('{{'));
          expect(added('html')).not.toMatch(/[<>"'`=]|&(?!(amp|lt|gt|quot|#39|#96|#61);)/);
          expect(added('line')).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
        },
      ),
      RUNS,
    );
  });
});
