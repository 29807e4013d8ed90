import { BLOCK_SIZE, numberAt, placeOf } from '../../domain/audience/block.ts';
import { type ColumnName, readBase } from '../../domain/audience/columns.ts';
import { emailNumberOf } from '../../domain/audience/digest.ts';
import type { NumberSet } from '../../domain/audience/number-set.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Table } from '../client/table.ts';
import { readChanged } from '../contacts/changed-contacts.ts';
import { contactsOfNumbers } from '../contacts/contact-numbers.ts';
import { columnAt, readColumns } from './column-rows.ts';
import { changedNow } from './index-reader.ts';
import { CONCURRENT_CALLS, KEYS_A_CALL, readContacts } from './read-contacts.ts';

type Org = Id<'organization'>;
const COLUMNS: readonly ColumnName[] = ['base', 'emails'];

/** The address of a contact, by its number; undefined if it has none. */
export type EmailNumbers = (number: number) => number | undefined;

const numberOf = (contact: Contact | undefined): number | undefined =>
  contact?.emailHash === undefined ? undefined : emailNumberOf(contact.emailHash);

/** The contacts of some blocks with an address that is missing in their column, which was written before address columns existed. */
const readBlocks = async (table: Table, organizationId: Org, blocks: readonly number[], wanted: NumberSet) => {
  const columns = await readColumns(
    table,
    blocks.flatMap((block) => COLUMNS.map((name) => ({ organizationId, block, name }))),
  );
  return blocks.map((block) => {
    const [base, emails] = COLUMNS.map((name) => columnAt(columns, { organizationId, block, name })?.column);
    const numbers = emails?.kind === 'times' ? emails.times : new Float64Array(BLOCK_SIZE);
    const bytes = base?.kind === 'bytes' ? base.bytes : new Uint8Array(BLOCK_SIZE);
    const unread: number[] = [];
    for (let at = 0; at < BLOCK_SIZE; at++)
      if (readBase(bytes[at] ?? 0).hasEmail && !numbers[at] && wanted.has(numberAt(block, at)))
        unread.push(numberAt(block, at));
    return { block, numbers, unread };
  });
};

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/**
 * The addresses of these contacts according to the index, and the present ones of contacts that changed since. Two columns per block of
 * 4,096 contacts, 9 read units; contacts indexed before address columns existed are read from their rows.
 */
export const readEmailNumbers = async (table: Table, organizationId: Org, wanted: NumberSet): Promise<EmailNumbers> => {
  const own = new Map(
    [...(await changedNow(table, await readChanged(table, organizationId)))].map(([number, contact]) => [
      number,
      numberOf(contact),
    ]),
  );
  const blocks = [...new Set([...wanted].map((number) => placeOf(number).block))];
  const chunks = chunksOf(blocks, KEYS_A_CALL / COLUMNS.length);
  const read = (
    await mapConcurrently(chunks, CONCURRENT_CALLS, (chunk) => readBlocks(table, organizationId, chunk, wanted))
  ).flat();
  const unread = read.flatMap((block) => block.unread).filter((number) => !own.has(number));
  await mapConcurrently(chunksOf(unread, KEYS_A_CALL), CONCURRENT_CALLS, async (chunk) => {
    const ids = await contactsOfNumbers(table, organizationId, chunk);
    const contacts = await readContacts(
      table,
      ids.filter((id) => id !== undefined),
    );
    for (const contact of contacts) if (contact) own.set(contact.number, numberOf(contact));
  });
  const byBlock = new Map(read.map(({ block, numbers }) => [block, numbers]));
  return (number) => {
    if (own.has(number)) return own.get(number);
    const { block, offset } = placeOf(number);
    return byBlock.get(block)?.[offset] || undefined;
  };
};
