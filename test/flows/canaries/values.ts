import { cnpj, cpf } from 'cpf-cnpj-validator';
import type { Row } from '../../../shared/storage/client/row.ts';

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
} as const;
type CanaryName = keyof typeof CANARIES;

/** Values in the stand-ins' refusals, since real providers repeat what they were sent. */
const PROVIDER_VALUES = { providerWords: 'segredo', providerPhone: '5511900000000' } as const;

/** The forms in which a value may be found: as it is, in an address, in base64 at any of its three alignments, and grouped. */
const formsOf = (value: string): string[] => {
  const bare = value.replace(/^\+/, '');
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${bare}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  const grouped = [cpf.format(bare), cnpj.format(bare)].filter((text) => /^[\d.\-/]{14,}$/.test(text));
  return [bare, encodeURIComponent(bare), ...base64, ...grouped].filter((form) => form.length >= 7);
};

export type Finder = (text: string) => string[];
/** Names the canaries in a text. `secrets` are further ones by name, such as issued keys. */
export const finderOf = (secrets: Readonly<Record<string, string>>): Finder => {
  const all = Object.entries({ ...CANARIES, ...PROVIDER_VALUES, ...secrets });
  const forms = all.map(([name, value]) => ({ name, forms: formsOf(value) }));
  return (text) => forms.filter((each) => each.forms.some((form) => text.includes(form))).map(({ name }) => name);
};

/** Where personal data may be stored: by a row's kind, the attributes and the values. Nowhere else. */
const RECORDS: Readonly<Record<string, Readonly<Record<string, readonly CanaryName[]>>>> = {
  // A message with its provider's last receipt; an inbound one has its sender and content.
  'MSG/MSG': {
    to: ['delivered', 'undelivered', 'noCredit', 'live', 'phone'],
    from: ['live'],
    content: ['text', 'url', 'name'],
    templateVars: ['name', 'text'],
    payload: ['reply'],
    providerReceipt: ['delivered', 'undelivered', 'live', 'phone'],
  },
  // A pending receipt: its row is deleted when it is applied.
  'MSG/RCPT': { event: ['live'] },
  'RPL/RPL': { from: ['live'], body: ['reply'] },
  'CNT/CNT': {
    phone: ['phone'],
    name: ['name'],
    email: ['email'],
    optIn: ['ip', 'userAgent'],
    attributes: ['attribute'],
  },
  'CNT/CONSENT': { ip: ['ip'], userAgent: ['userAgent'] },
  'LINK/LINK': { url: ['url'] },
  // An event has the reply's text or the followed link; the recipient is masked.
  'EVT/EVT': { data: ['reply', 'url'] },
};

/** Canaries in a row where they may not be, as `KIND attribute: canary`. */
export const strayIn = (row: Row, find: Finder): string[] => {
  const kind = [row.pk, row.sk].map((key) => String(key).split('#')[0]).join('/');
  return Object.entries(row).flatMap(([attribute, value]) => {
    const allowed: readonly string[] = RECORDS[kind]?.[attribute] ?? [];
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return find(text)
      .filter((name) => !allowed.includes(name))
      .map((name) => `${kind} ${attribute}: ${name}`);
  });
};
