import type { CardLinks } from '../../domain/cards/card.ts';
import type { UnlinkPorts } from '../../domain/cards/unlink.ts';
import { type Id, isId, parseId } from '../../domain/core/ids.ts';
import { activeAccounts } from '../access/accounts.ts';
import { KEYS } from '../access-patterns.ts';
import { pageKeys } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { readLinksNow } from '../crm/tombstones.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';

/** The objects that cards link to, in the table of one stage. */
export const cardLinks = (table: Table): CardLinks => ({
  async existing(organizationId, { contatoId, empresaId, responsavelId }) {
    const others: readonly (Id<'contact'> | Id<'company'>)[] = [...contatoId, ...empresaId];
    // A company has its counter shards for as long as it exists.
    const keys = [...contatoId.map(KEYS.contact), ...empresaId.map((id) => KEYS.companyCounts(id, 0))];
    const [rows, accounts] = await Promise.all([
      keys.length === 0 ? [] : table.getMany(keys, { consistent: true, only: ['pk', 'sk', 'org'] }),
      responsavelId.length === 0 ? new Set<string>() : activeAccounts(table, organizationId, responsavelId),
    ]);
    return new Set<string>([...accounts, ...others.filter((_, at) => rows[at]?.org === organizationId)]);
  },
  shown: (organizationId, cards) => readLinksNow(table, organizationId, cards, ['contactId', 'companyId']),
});

/** The cards that link to a contact or a company, according to the index. */
export const cardsNaming =
  (table: Table): UnlinkPorts['naming'] =>
  async (id, limit) => {
    const range = isId('contact', id)
      ? { index: 'gsi2' as const, partition: INDEX_KEYS.cardsOfContact(id, '', '').gsi2pk }
      : { index: 'gsi3' as const, partition: INDEX_KEYS.cardsOfCompany(parseId('company', id), '', '').gsi3pk };
    return (await pageKeys(table, range, { skip: 0, limit })).map(PARSE_KEY.card);
  };
