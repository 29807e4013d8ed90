import { rootKeysOf } from '../infra/operator/root-keys.ts';
import { BLOCK_SIZE, placeOf } from '../shared/domain/audience/block.ts';
import { COLUMN_NAMES, changedColumn, emptyColumn } from '../shared/domain/audience/columns.ts';
import { digestOf, type IndexedContact } from '../shared/domain/audience/digest.ts';
import { gramsOf } from '../shared/domain/audience/grams.ts';
import type { Contact } from '../shared/domain/contacts/contact.ts';
import { type Id, newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { localKeyProvider } from '../shared/providers/keys/local-key-provider.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { writeColumn } from '../shared/storage/audience/column-rows.ts';
import type { Row } from '../shared/storage/client/row.ts';
import type { Table } from '../shared/storage/client/table.ts';
import { numberedWrite, takeContactNumbers } from '../shared/storage/contacts/contact-numbers.ts';
import { contactRow } from '../shared/storage/contacts/contacts.ts';
import { type Chance, chanceOf } from '../test/support/chance.ts';

const DAY = 86_400_000;
const FIRST = ['Ana', 'João', 'Conceição', 'Bruno', 'Márcia', 'Luiz', 'Beatriz', 'Antônio', 'Camila', 'Rafael'];
const LAST = ['Souza', 'Silva', 'Araújo', 'Gonçalves', 'Pereira', 'Lima', 'Batista', 'Nascimento', 'Moura', 'Teixeira'];
const TAGS = ['vip', 'novo', 'inadimplente', 'newsletter', 'loja-sul', 'loja-norte'];
const CITIES = ['São Paulo', 'Rio de Janeiro', 'Belo Horizonte', 'Recife', 'Curitiba'];
/** How many contacts have the name that is searched for, in a base of any size. */
export const RARE = 25;
export const RARE_NAME = 'Zuleica Wanderley';

/** The nth of a base of contacts, as real ones are: some tags and attributes, an address for most, an interaction for half. */
const contactAt = (
  organizationId: Id<'organization'>,
  nth: number,
  size: number,
  chance: Chance,
  now: number,
): Contact => {
  const name =
    nth % Math.floor(size / RARE) === 1 ? RARE_NAME : `${chance.pick(FIRST)} ${chance.pick(LAST)} ${chance.pick(LAST)}`;
  const at = now - (size - nth) * 10;
  return {
    id: newId('contact'),
    number: nth,
    organizationId,
    env: 'test',
    phone: `+55119${String(10_000_000 + nth)}`,
    phoneHash: `hash-${nth}`,
    name,
    email: chance.next() < 0.7 ? `p${nth}@example.com` : undefined,
    attributes: { cidade: chance.pick(CITIES), idade: 18 + chance.below(60), plano: chance.pick(['gold', 'silver']) },
    tags: TAGS.filter(() => chance.next() < 0.15),
    optIn: { status: chance.pick(['granted', 'granted', 'denied', 'unknown'] as const) },
    source: chance.pick(['api', 'import', 'manual'] as const),
    externalId: `loja:${nth}`,
    lastInteractionAt: chance.next() < 0.5 ? now - chance.below(90 * DAY) : undefined,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
};

/** Whose rows are laid out: those that the measured operations read. All others are in the index, where alone they are looked for. */
const hasRows = ({ number, name }: Contact, size: number): boolean =>
  number > size - 20_000 || number <= 100 || name === RARE_NAME;

const rowsOf = (contact: Contact): Row[] => {
  const { id, number, organizationId: org, externalId = '' } = contact;
  const numbered = numberedWrite(contact);
  return [
    contactRow(contact),
    ...('put' in numbered ? [numbered.put] : []),
    { ...KEYS.externalId(org, externalId), contactId: id, number, org },
  ];
};

/** Lays out a base of contacts with its index, as merges would have left it; by seed. Answers how long it took, in s. */
export const layOut = async (
  table: Table,
  keyFile: string,
  organizationId: Id<'organization'>,
  size: number,
): Promise<number> => {
  const startedAt = performance.now();
  const [chance, now] = [chanceOf(size), Date.now()];
  const tables = { live: table, test: table };
  const vault = await rootKeysOf(tables, async () => () => localKeyProvider(keyFile)).vault('test', 'recipients');
  const known = new Map<string, number>();
  const indexOf = (gram: string) => {
    const index =
      known.get(gram) ?? Buffer.from(vault.blindIndex(organizationId, 'gram', gram), 'base64url').readUInt32BE(0);
    known.set(gram, index);
    return index;
  };
  await takeContactNumbers(table, organizationId, size);
  await table.write({ update: KEYS.counter(organizationId, 'contacts', 0), add: { count: size } });
  for (let block = 0; block <= placeOf(size).block; block++) {
    const numbers = Array.from({ length: BLOCK_SIZE }, (_, at) => block * BLOCK_SIZE + at);
    const contacts = numbers
      .filter((number) => number >= 1 && number <= size)
      .map((number) => contactAt(organizationId, number, size, chance, now));
    const rows = contacts.filter((contact) => hasRows(contact, size)).flatMap(rowsOf);
    const calls = Array.from({ length: Math.ceil(rows.length / 25) }, (_, at) => rows.slice(at * 25, (at + 1) * 25));
    await mapConcurrently(calls, 8, (call) => table.putMany(call));
    const changes = new Map(
      contacts.map((contact): [number, IndexedContact] => [
        placeOf(contact.number).offset,
        {
          ...digestOf(contact),
          grams: [...gramsOf(contact)].map(indexOf),
          // Stands for the blind index of the address: all are different.
          emailNumber: contact.email === undefined ? undefined : contact.number + 1,
        },
      ]),
    );
    await mapConcurrently(COLUMN_NAMES, 8, (name) =>
      writeColumn(table, { organizationId, block, name }, undefined, changedColumn(name, emptyColumn(name), changes)),
    );
  }
  return (performance.now() - startedAt) / 1000;
};
