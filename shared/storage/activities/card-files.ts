import { type CardFileStore, MAX_CARD_FILES } from '../../domain/activities/card-file.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { checkCardLink } from '../crm/links.ts';
import { readOwnRow, readRow } from '../read-row.ts';
import { cardFileRows, cardUploadRows } from './card-file-rows.ts';

/** Condition: there is room for one more file. */
const HAS_ROOM: Condition = {
  text: '(attribute_not_exists(#count) OR #count < :max)',
  values: { max: MAX_CARD_FILES },
};
/** Condition: an upload is neither registered nor abandoned. */
const IS_OPEN: Condition = {
  text: 'attribute_exists(#pk) AND attribute_not_exists(#fileId) AND attribute_not_exists(#isAbandoned)',
};

/** Files of cards in the table of one stage. */
export const cardFileStore = (table: Table): CardFileStore => ({
  async hasCard(organizationId, cardId) {
    const row = await table.get(KEYS.card(cardId), { only: ['org'] });
    return row?.org === organizationId;
  },
  async begin(upload) {
    await table.write({ put: cardUploadRows.write(upload) });
  },
  readUpload: (uploadId) => readRow(table, KEYS.cardUpload(uploadId), cardUploadRows.read),
  async register({ id: uploadId, organizationId, cardId }, file) {
    const outcome = await table.transact([
      { update: KEYS.cardUpload(uploadId), set: cardUploadRows.set({ fileId: file.id }), when: IS_OPEN },
      checkCardLink(organizationId, cardId),
      { update: KEYS.cardFileCount(cardId), add: { count: 1 }, when: HAS_ROOM },
      { put: cardFileRows.write(file), when: ABSENT },
    ]);
    if (outcome.ok) return 'registered';
    const [upload, card, count] = outcome.reasons.map(({ conditionFailed }) => conditionFailed);
    return count && !upload && !card ? 'full' : 'gone';
  },
  async list(cardId) {
    const sort = { text: 'begins_with(#sk, :file)', values: { file: KEYS.cardFile(cardId, '').sk } };
    const rows = await table.queryAll({ partition: KEYS.card(cardId).pk, sort, consistent: true });
    return rows.map(cardFileRows.read).toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  },
  read: (organizationId, cardId: Id<'card'>, fileId) =>
    readOwnRow(table, organizationId, KEYS.cardFile(cardId, fileId), cardFileRows.read),
  async delete(file, removal) {
    const { cardId, id: fileId } = file;
    const outcome = await table.transact([
      { delete: KEYS.cardFile(cardId, fileId), when: { text: 'attribute_exists(#pk)' } },
      { update: KEYS.cardFileCount(cardId), add: { count: -1 } },
      { put: cardUploadRows.write(removal) },
    ]);
    return outcome.ok;
  },
  async abandon({ id: uploadId }) {
    const set = cardUploadRows.set({ isAbandoned: true });
    return (await table.write({ update: KEYS.cardUpload(uploadId), set, when: IS_OPEN })).ok;
  },
  async forget({ id: uploadId }) {
    await table.write({ delete: KEYS.cardUpload(uploadId) });
  },
});
