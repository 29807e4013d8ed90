/** Twelve letters or digits and two check digits, as they are stored: upper case, without punctuation. */
export const CNPJ_LENGTH = 14;

/** The characters of a text that belong to a CNPJ. */
export const bareCnpj = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .slice(0, CNPJ_LENGTH);

/** A CNPJ, or its beginning, as people write it: `12.ABC.345/01DE-35`. */
export const maskCnpj = (text: string): string =>
  bareCnpj(text)
    .replace(/^(.{2})(.)/, '$1.$2')
    .replace(/^(.{6})(.)/, '$1.$2')
    .replace(/^(.{10})(.)/, '$1/$2')
    .replace(/^(.{15})(.)/, '$1-$2');
