import { describe, expect, test } from 'vitest';
import { textFromHtml } from '../../shared/domain/channels/email/html-text.ts';
import { bodyBytes, withText } from '../../shared/domain/channels/email/text.ts';

test.each([
  [
    'blocks and breaks as lines',
    '<h1>Oi</h1><p>um<br>dois</p><div>três</div><div>quatro</div>',
    'Oi\n\num\ndois\n\ntrês\nquatro',
  ],
  ['spaces as a browser shows them', '<p> Olá \n <b>Ana</b> ,\t<i> Bia</i></p>', 'Olá Ana , Bia'],
  ['items with a hyphen', '<ul><li>um<li>dois</ul>fim', '- um\n- dois\n\nfim'],
  [
    'cells side by side, rows below each other',
    '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>',
    'a b\nc',
  ],
  [
    'links with their address',
    '<a href="https://x.example/?a=1&amp;b=2">aqui</a>!',
    'aqui (https://x.example/?a=1&b=2)!',
  ],
  [
    'links that are their address once',
    `<a href='https://x.example'>https://x.example</a> <a href=mailto:a@b.co>a@b.co</a>`,
    'https://x.example a@b.co',
  ],
  [
    'no script, place or picture as a link',
    '<a href="javascript:x()">a</a> <a href="#b">b</a> <a href="https://x.example"><img src="x.png" alt="c"></a>',
    'a b',
  ],
  [
    'entities as their characters',
    '&lt;b&gt; &amp;amp; a&ccedil;&atilde;o &#231;&#xE7;&hellip; &nbsp;&unknown; &#0;',
    '<b> &amp; ação çç…  &unknown; \ufffd',
  ],
  [
    'nothing that is not text of the page',
    '<head><title>T</title><style>p{}</style></head><!-- c --><script>if(a<b){"<p>x</p>"}</script>só<!--[if mso]><p>x</p><![endif]-->',
    'só',
  ],
  ['a tag that holds > in quotes', '<p title="a > b" data-x=\'>\'>x</p>', 'x'],
  ['what is not markup unchanged', '1 < 2 && 3 > 2 </ <', '1 < 2 && 3 > 2 </ <'],
  ['the start of a page that is cut off', '<p>Olá<a href="x', 'Olá'],
  ['nothing for nothing', '', ''],
])('the plain text of html shows %s', (_, html, text) => expect(textFromHtml(html)).toBe(text));

describe('a body', () => {
  test('gets its text from its html unless it has one', () => {
    expect(withText({ html: '<p>Oi</p>' })).toEqual({ html: '<p>Oi</p>', text: 'Oi' });
    expect(withText({ html: '<p>Oi</p>', text: '' })).toEqual({ html: '<p>Oi</p>', text: '' });
    expect(withText({ text: 'Oi' })).toEqual({ text: 'Oi' });
  });
  test('has the size of both parts in UTF-8 bytes', () => {
    expect(bodyBytes({ html: '<p>ç</p>', text: '🙂' })).toBe(9 + 4);
    expect(bodyBytes({})).toBe(0);
  });
});
