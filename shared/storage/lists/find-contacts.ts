import * as z from 'zod';
import { NumberSet } from '../../domain/audience/number-set.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import { asId, type Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { pause } from '../../domain/core/pause.ts';
import type { FoundContacts, IdentifierKind, Identifiers, PhoneIndex } from '../../domain/lists/ports.ts';
import { KEYS } from '../access-patterns.ts';
import type { Key, Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';

/** Identifiers per call to the table, and concurrent calls: a new table takes a few thousand reads a second. */
const BATCH = 100;
const IN_FLIGHT = 8;
/** The longest wait before a throttled call is repeated, in ms. */
const WAIT_MS = 1_000;
/** The attributes that are read: keys and those that identify the contact. A contact's own row may have 200 KB. */
const ATTRIBUTES = ['pk', 'sk', 'org', 'number', 'contactNumber'];

const contactRow = z.object({ org: z.string(), number: z.int() });
const externalIdRow = z.object({ number: z.int() });
/** A phone's row also holds the opt-out of a phone without a contact. */
const phoneRow = z.object({ contactNumber: z.int().optional() });

/** The key of the row that resolves an identifier, undefined if it is invalid; and how to read the contact's number. */
interface Finder {
  readonly keyOf: (identifier: string) => Key | undefined;
  readonly numberOf: (row: Row) => number | undefined;
}

const findersOf = async (
  organizationId: Id<'organization'>,
  phoneIndex: PhoneIndex,
  withPhones: boolean,
): Promise<Readonly<Record<IdentifierKind, Finder>>> => {
  const index = withPhones ? await phoneIndex() : undefined;
  return {
    externalIds: {
      keyOf: (externalId) => KEYS.externalId(organizationId, externalId),
      numberOf: (row) => externalIdRow.parse(row).number,
    },
    contactIds: {
      keyOf: (text) => {
        const contactId = asId('contact', text);
        return contactId && KEYS.contact(contactId);
      },
      numberOf: (row) => {
        const { org, number } = contactRow.parse(row);
        return org === organizationId ? number : undefined;
      },
    },
    phones: {
      keyOf: (phone) => index && KEYS.phone(organizationId, index.blindIndex(organizationId, 'phone', phone)),
      numberOf: (row) => phoneRow.parse(row).contactNumber,
    },
  };
};

/** Reads rows until the table answers, or as long as retries are allowed. */
const readRows = async (
  table: Table,
  keys: readonly Key[],
  mayRetry: () => boolean,
): Promise<readonly (Row | undefined)[]> => {
  for (;;)
    try {
      return await table.getMany(keys, { consistent: true, only: ATTRIBUTES });
    } catch (error) {
      if (!(error instanceof Unavailable) || !mayRetry()) throw error;
      await pause(Math.random() * WAIT_MS);
    }
};

const findAll = async (
  table: Table,
  identifiers: readonly string[],
  { keyOf, numberOf }: Finder,
  mayRetry: () => boolean,
): Promise<readonly (number | undefined)[]> => {
  const starts = Array.from({ length: Math.ceil(identifiers.length / BATCH) }, (_, at) => at * BATCH);
  const found = await mapConcurrently(starts, IN_FLIGHT, async (start) => {
    const keys = identifiers.slice(start, start + BATCH).map(keyOf);
    const rows = (
      await readRows(
        table,
        keys.filter((key) => key !== undefined),
        mayRetry,
      )
    ).values();
    return keys.map((key) => {
      const row = key && rows.next().value;
      return row && numberOf(row);
    });
  });
  return found.flat();
};

/**
 * The contacts of an organization with these identifiers, consistent, each identifier read once. One round trip per 100, eight
 * concurrently; one read unit per identifier, more for a contact's id, whose row is the contact. A call of 50,000 may exceed the read
 * capacity of a new table: it is retried while `mayRetry`, then throws `Unavailable`.
 */
export const findContacts = async (
  table: Table,
  organizationId: Id<'organization'>,
  identifiers: Identifiers,
  phoneIndex: PhoneIndex,
  mayRetry: () => boolean,
): Promise<FoundContacts> => {
  const finders = await findersOf(organizationId, phoneIndex, (identifiers.phones?.length ?? 0) > 0);
  const numbers: number[] = [];
  const find = async (kind: IdentifierKind): Promise<readonly string[]> => {
    const distinct = [...new Set(identifiers[kind])];
    const found = await findAll(table, distinct, finders[kind], mayRetry);
    for (const number of found) if (number !== undefined) numbers.push(number);
    return distinct.filter((_, at) => found[at] === undefined);
  };
  const notFound = {
    externalIds: await find('externalIds'),
    contactIds: await find('contactIds'),
    phones: await find('phones'),
  };
  return { numbers: NumberSet.of(numbers), notFound };
};
