import { expect, test } from 'vitest';
import { tagFaults } from '../../shared/providers/mjml/tags.ts';

const faultsIn = (source: string) => tagFaults(source).map(({ line, message }) => `${line} ${message}`);

test.each([
  ['a whole document', '<mjml>\n<mj-body><mj-divider /></mj-body>\n</mjml>'],
  ['html that is left open', '<mj-text><p>Olá<br>mundo</mj-text>'],
  ['a comment', '<mj-body><!-- <mj-section> --><!--></mj-body>'],
  ['CDATA', '<mj-text><![CDATA[</mj-text>]]></mj-text>'],
  ['a declaration', '<!doctype <mj-body><?xml <mj-body>?><mjml></mjml>'],
  ['a style', '<mj-raw><style>a<mj-x>b</style></mj-raw>'],
  ['a value', '<mj-image alt="</mj-image>" title=\'<mj-x>\' /><mj-text a="it\'s">it\'s</mj-text>'],
  ['another case', '<MJ-Text></mj-text>'],
  ['a name that only begins alike', '<mjx><mj>I <3 you</b>'],
])('paired MJML elements are no fault, whatever is in %s', (_, source) => {
  expect(faultsIn(source)).toEqual([]);
});

test.each([
  ['every unclosed element, with its line', '<mjml>\n<mj-body>', ['1 mjml is not closed', '2 mj-body is not closed']],
  ['an element closed by its parent', '<mj-section>\n<mj-column></mj-section>', ['2 mj-column is not closed']],
  ['a closing tag without an opening one', '<mj-body>\n</mj-text></mj-body>', ['2 mj-text is closed and was not open']],
  ['crossed elements', '<mj-a>\n<mj-b></mj-a>\n</mj-b>', ['2 mj-b is not closed', '3 mj-b is closed and was not open']],
  ['a slash that belongs to an unquoted value', '<mj-image src=http://x/>', ['1 mj-image is not closed']],
  ['a tag that ends with the source', '<mj-text', ['1 mj-text is not closed']],
  ['an unusual name, without repeating it', '<mj-é"segredo>', ['1 an element is not closed']],
])('reports %s', (_, source, faults) => {
  expect(faultsIn(source)).toEqual(faults);
});

test('reports at most 20 faults of any source', () => {
  expect(faultsIn('<mj-a>'.repeat(16_000))).toHaveLength(20);
  expect(faultsIn('</mj-a>'.repeat(14_000))).toHaveLength(20);
});
