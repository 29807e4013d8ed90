import { describe, expect, it } from 'vitest';
import { type Escape, fill, type Scope } from '../../shared/domain/personalization/fill.ts';
import { compile, isTemplateFault, type Part } from '../../shared/domain/personalization/template.ts';

const parts = (text: string): readonly Part[] => {
  const compiled = compile(text);
  if (isTemplateFault(compiled)) throw new Error(`does not compile: ${compiled.problem} at ${compiled.at}`);
  return compiled;
};
const filled = (text: string, scope: Scope, into: Escape = 'none') => fill(parts(text), scope, { escape: into });
const ANA: Scope = {
  contact: {
    name: 'Ana <b>&Cia</b>',
    phone: '+5511999990005',
    email: 'ana@example.com',
    externalId: 'c-17',
    attributes: {
      plano: 'ouro',
      compras: 12,
      vip: true,
      interesses: ['corrida', 'trilha'],
      vazio: '  ',
      nada: null,
      'a.b': 'ab',
    },
  },
  event: { valor: 99.9 },
  variable: { cupom: 'A1', link: 'https://shop.example/x?y=1' },
};

describe('a placeholder', () => {
  it.each([
    ['{{contact.name}}', 'Ana <b>&Cia</b>'],
    ['{{contato.nome}}', 'Ana <b>&Cia</b>'],
    ['{{ contato.telefone }}', '+5511999990005'],
    ['{{contact.email}} {{contact.externalId}}', 'ana@example.com c-17'],
    ['{{contact.attributes.plano}}/{{contato.atributos.compras}}', 'ouro/12'],
    ['{{contact.attributes.vip}}', 'true'],
    ['{{contact.attributes.interesses}}', 'corrida, trilha'],
    ['{{contact.attributes.a.b}}', 'ab'],
    ['{{evento.valor}} {{event.valor}}', '99.9 99.9'],
    ['{{variavel.cupom}} {{variable.cupom}} {{variables.cupom}} {{variaveis.cupom}}', 'A1 A1 A1 A1'],
    ['{{contact.attributes.vazio|amigo}}, {{contact.attributes.nada | bom dia }}!', 'amigo, bom dia!'],
    ['a { b } c }} d', 'a { b } c }} d'],
  ])('%s is filled', (text, expected) => expect(filled(text, ANA)).toEqual({ text: expected, missing: [] }));

  it('without a value or a fallback word becomes nothing, and is reported once', () => {
    const text = 'Oi {{contact.attributes.x}}{{contact.attributes.x}} {{contact.attributes.nada|}}{{event.y}}!';
    expect(filled(text, ANA)).toEqual({ text: 'Oi  !', missing: ['contact.attributes.x', 'event.y'] });
    expect(filled('{{contact.name}}', {})).toEqual({ text: '', missing: ['contact.name'] });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__.x'])(
    'never reaches what every object inherits: %s is absent',
    (key) => {
      for (const root of ['contact.attributes', 'event', 'variable'])
        expect(filled(`<{{${root}.${key}}}>`, ANA)).toEqual({ text: '<>', missing: [`${root}.${key}`] });
    },
  );

  it('is not read from a value, nor are braces left for a later reader', () => {
    const scope: Scope = {
      contact: { name: '{{contact.phone}}', phone: 'secret' },
      variable: { open: '{', close: '}' },
    };
    expect(filled('{{contact.name}}', scope).text).toBe('((contact.phone))');
    expect(filled('{{variable.open}}{{variable.open}}contact.phone{{variable.close}}}', scope).text).toBe(
      '((contact.phone)}',
    );
  });
});

describe('a text is refused, with its place, for', () => {
  it.each([
    ['Oi {{contact.name', 3, 'unclosed'],
    ['Oi {{contact.name} e {{contact.phone}}', 3, 'unclosed'],
    ['{{{contact.name}}}', 0, 'unclosed'],
    ['ok {{contact.name}} {{', 20, 'unclosed'],
    ['{{1}}', 0, 'unknown_root'],
    ['{{}}', 0, 'unknown_root'],
    ['{{nome}}', 0, 'unknown_root'],
    ['{{Contact.name}}', 0, 'unknown_root'],
    ['{{constructor.name}}', 0, 'unknown_root'],
    ['{{contact}}', 0, 'unknown_field'],
    ['{{contact.cpf}}', 0, 'unknown_field'],
    ['{{contact.attributes}}', 0, 'unknown_field'],
    ['{{contact.attributes.}}', 0, 'unknown_field'],
    ['{{event.}}', 0, 'unknown_field'],
  ])('%s', (text, at, problem) => expect(compile(text)).toEqual({ at, problem }));

  it('an unknown root', () => {
    expect(compile('{{contact.name}} {{event.x}}', ['contact'])).toEqual({ at: 17, problem: 'unknown_root' });
  });
});

describe('the escaping of a value depends on where it is inserted:', () => {
  it('HTML', () => {
    expect(filled('<p title="{{contact.name}}">{{contact.name}}</p>', ANA, 'html').text).toBe(
      '<p title="Ana &lt;b&gt;&amp;Cia&lt;/b&gt;">Ana &lt;b&gt;&amp;Cia&lt;/b&gt;</p>',
    );
    expect(filled('{{contact.attributes.x|<i>}}', ANA, 'html').text).toBe('&lt;i&gt;');
  });

  it('one line has no line break, control or override of direction', () => {
    const scope: Scope = { contact: { name: ' a\r\nBcc: x\u2028y\t\u202ez\u0000 ' } };
    expect(filled('{{contact.name}}', scope, 'line').text).toBe('a Bcc: x y z');
    expect(filled('{{contact.name}}', scope).text).toBe(' a\nBcc: x\u2028y\t\u202ez ');
  });

  it('within a URL a value is percent-encoded, up to the end of the URL', () => {
    const scope: Scope = { contact: { name: 'a b&c=d/é', attributes: { half: '\ud800' } } };
    const encoded = 'a%20b%26c%3Dd%2F%C3%A9';
    expect(filled('https://x.example/?n={{contact.name}}&m={{contact.name}} {{contact.name}}', scope).text).toBe(
      `https://x.example/?n=${encoded}&m=${encoded} a b&c=d/é`,
    );
    expect(filled('<a href="https://x.example/{{contact.name}}">{{contact.name}}</a>', scope, 'html').text).toBe(
      `<a href="https://x.example/${encoded}">a b&amp;c&#61;d/é</a>`,
    );
    expect(filled('https://x.example/{{contact.attributes.half}}', scope).text).toBe('https://x.example/%EF%BF%BD');
  });

  it('only a web address begins the address of a link in HTML', () => {
    const html = '<a href="{{variable.link}}/p?n={{variable.n|a b}}">';
    expect(filled(html, ANA, 'html').text).toBe('<a href="https://shop.example/x?y&#61;1/p?n=a%20b">');
    // Browsers pass over spaces and entities at the beginning of an address.
    for (const before of [
      '<a href="\n',
      '<a href="&#32;',
      "<a href='&#x9; &Tab;",
      '<a href=\n',
      '<button formaction="',
    ]) {
      const link = 'javascript:alert(1)';
      expect(filled(`${before}{{variable.link}}">`, { variable: { link } }, 'html').text).toBe(`${before}">`);
    }
    for (const link of ['javascript:alert(1)', ' JaVaScRiPt:x', 'data:text/html,x', 'x'])
      expect(filled('<a href="{{variable.link}}">', { variable: { link } }, 'html')).toEqual({
        text: '<a href="">',
        missing: ['variable.link'],
      });
  });
});
