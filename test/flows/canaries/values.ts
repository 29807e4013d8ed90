import { cnpj, cpf } from 'cpf-cnpj-validator';

/** Values in place of personal data: where one of them is found, that kind of data gets. */
export const CANARIES = {
  /** A contact's phone. */
  phone: '+5521987650001',
  /** Recipients of the sandbox; the last four digits choose the outcome. */
  delivered: '+5521987650005',
  undelivered: '+5521987650006',
  noCredit: '+5521987650114',
  /** A recipient of the providers. */
  live: '+5521976543210',
  name: 'Anacleta Canariense',
  email: 'anacleta@canario.example',
  cpf: '52998224725',
  cnpj: '11222333000181',
  birth: '1987-06-05',
  ip: '203.0.113.177',
  userAgent: 'CanaryBrowser/7.7',
  attribute: 'alergia-a-canarios',
  text: 'O resultado do seu exame chegou: canario-azul',
  reply: 'Sou eu, canario-verde',
  url: 'https://clinica-canario.example/exame/778899',
  /** The new data of a changed contact, and of the one that was merged into it. */
  otherPhone: '+5521987652225',
  otherName: 'Belmira Passarinheira',
  otherEmail: 'belmira@passarinho.example',
  /** A person of the organization itself. */
  accountName: 'Coruja Operadora',
  accountEmail: 'coruja@viveiro.example',
  externalId: 'cliente-canario-4711',
  crmId: 'hubspot-canario-99',
  tag: 'etiqueta-canaria',
  debtPhone: '+5521987653335',
  reason: 'pediu para sair: canario-roxo',
  profileName: 'Canarinha do Zap',
  device: 'Telefone da Anacleta',
  pushToken: 'canario-token-7788990005',
  subject: 'Exame de canario pronto',
  turn: 'A paciente perguntou pelo canario-preto',
} as const;
export type CanaryName = keyof typeof CANARIES;

/** Values in the stand-ins' refusals, since real providers repeat what they were sent. */
const PROVIDER_VALUES = { providerWords: 'segredo', providerPhone: '5511900000000' } as const;

/** The forms in which a value may be found: as it is, in an address, in hex, in base64 at any of its three alignments, and grouped. */
const formsOf = (value: string): string[] => {
  const bare = value.replace(/^\+/, '');
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${bare}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  const base64url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(bare).toString('hex');
  const query = new URLSearchParams([['', bare]]).toString().slice(1);
  const grouped = [cpf.format(bare), cnpj.format(bare)].filter((text) => /^[\d.\-/]{14,}$/.test(text));
  const forms = [bare, encodeURIComponent(bare), query, hex, hex.toUpperCase(), ...base64, ...base64url, ...grouped];
  return [...new Set(forms)].filter((form) => form.length >= 7);
};

export type Finder = (text: string) => string[];
/** Names the canaries in a text. `secrets` are further ones by name, such as issued keys. */
export const finderOf = (secrets: Readonly<Record<string, string>>): Finder => {
  const all = Object.entries({ ...CANARIES, ...PROVIDER_VALUES, ...secrets });
  const forms = all.map(([name, value]) => ({ name, forms: formsOf(value) }));
  return (text) => forms.filter((each) => each.forms.some((form) => text.includes(form))).map(({ name }) => name);
};
