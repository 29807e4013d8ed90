import * as z from 'zod';
import { type ImportRow, MAX_ROWS } from '../domain/cards/import.ts';
import { looseId } from '../domain/core/id-schema.ts';
import type { IdKind } from '../domain/core/ids.ts';
import {
  Card,
  CardEntry,
  ChangeCard,
  CreateCard,
  cardStatus,
  LoseCard,
  MoveCard,
  ReopenCard,
  UpdateCard,
} from './card-fields.ts';
import {
  byCursor,
  closedObject,
  count,
  cursorPageOf,
  openObject,
  ordinal,
  paged,
  pageOf,
  part,
  pathId,
  pathText,
  text,
} from './common.ts';
import { defineOperation } from './define-operation.ts';
import { brokenRow, hostileRow } from './import-rows.ts';

const params = z.object({ id: pathId('card', 'The id of the card.') });
const tag = 'Cards';
const reads = { permission: 'crm:read', tag, uses: { table: 'read' } } as const;
const writes = {
  permission: 'crm:write',
  tag,
  uses: { table: 'write', queues: ['events'] },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
} as const;
const moves = { ...writes, answer: Card } as const;
const ARCHIVED = 'Archived pipelines take no cards: 409 with `meta.code` PIPELINE_ARQUIVADO.';
const REQUIRED =
  "If the card lacks fields of the stage's `camposObrigatorios`, the answer is 422, with one error for each field.";

const filterId = <K extends IdKind>(kind: K, description: string) => looseId(kind, pathText(description)).optional();
const CardPage = pageOf(Card, 'CardPage', 'cards');

export const listCards = defineOperation({
  ...reads,
  id: 'cards.list',
  route: 'GET /cards',
  summary: 'List cards, newest first',
  description: 'With `estagioId`: in the order of the board. Filters may be combined.',
  query: z.strictObject({
    pipelineId: filterId('pipeline', 'Only cards of this pipeline.'),
    estagioId: filterId('stage', 'Only cards of this stage.'),
    status: cardStatus.optional(),
    responsavelId: filterId('account', 'Only cards that this account is responsible for.'),
    contatoId: filterId('contact', 'Only cards about this contact.'),
    empresaId: filterId('company', 'Only cards about this company.'),
    ...paged(50, 200),
  }),
  answer: CardPage,
  errors: ['VALIDATION_ERROR'],
});

export const createCard = defineOperation({
  ...writes,
  id: 'cards.create',
  route: 'POST /cards',
  summary: 'Create a card',
  description: `At the end of its stage; in one of tipo ganho or perdido it is won or lost. ${REQUIRED} A contact, company or account that does not exist or is not active is 422 with \`meta.code\` VINCULO_INVALIDO. ${ARCHIVED} Raises card.created.`,
  body: CreateCard,
  responses: { 201: Card },
});

export const getCard = defineOperation({
  ...reads,
  id: 'cards.get',
  route: 'GET /cards/{id}',
  summary: 'Read a card',
  params,
  answer: Card,
});

export const changeCard = defineOperation({
  ...moves,
  id: 'cards.change',
  route: 'PATCH /cards/{id}',
  summary: 'Change a card',
  description:
    'JSON Merge Patch, except that `atributos`, when sent, replaces all previous ones. Links are checked only when they change. `motivoPerda` only for a lost card.',
  params,
  body: ChangeCard,
});

export const deleteCard = defineOperation({
  ...writes,
  id: 'cards.delete',
  permission: 'crm:delete',
  route: 'DELETE /cards/{id}',
  summary: 'Delete a card',
  description: 'Permanently, with its history and files.',
  params,
  responses: { 204: null },
  errors: [],
  uses: { table: 'write', queues: ['outcome'] },
});

export const moveCard = defineOperation({
  ...moves,
  id: 'cards.move',
  route: 'POST /cards/{id}/move',
  summary: 'Move a card',
  description: `To the end of a stage, or beside another card of it. A stage of tipo ganho or perdido makes it won or lost, the latter with \`motivoPerda\`; an open one opens it again. ${REQUIRED} ${ARCHIVED} Raises card.moved, card.won and card.lost.`,
  params,
  body: MoveCard,
});

export const winCard = defineOperation({
  ...moves,
  id: 'cards.won',
  route: 'POST /cards/{id}/won',
  summary: 'Mark a card as won',
  description: `It goes to the pipeline's first stage of tipo ganho, or stays in its stage if there is none. A card that is already won or lost is 409. ${ARCHIVED}`,
  params,
  body: closedObject('WinCard', 'An empty object.', {}),
});

export const loseCard = defineOperation({
  ...moves,
  id: 'cards.lost',
  route: 'POST /cards/{id}/lost',
  summary: 'Mark a card as lost',
  description: `It goes to the pipeline's first stage of tipo perdido, or stays in its stage if there is none. A card that is already won or lost is 409. ${ARCHIVED}`,
  params,
  body: LoseCard,
});

export const reopenCard = defineOperation({
  ...moves,
  id: 'cards.reopen',
  route: 'POST /cards/{id}/reopen',
  summary: 'Open a won or lost card again',
  description: `In the open stage that it came from, unless another is given. An open card is 409. ${REQUIRED} ${ARCHIVED}`,
  params,
  body: ReopenCard,
});

export const cardHistory = defineOperation({
  ...reads,
  id: 'cards.history',
  route: 'GET /cards/{id}/history',
  summary: "Read a card's history, newest first",
  description: 'Who created, changed, moved, won, lost and reopened it, and when it was found `parado`.',
  params,
  query: z.strictObject(byCursor(50, 200)),
  answer: cursorPageOf(CardEntry, 'CardHistory', "a card's history", 'entries'),
  errors: ['BAD_REQUEST'],
  uses: { table: 'read', rootKeys: ['cursors'] },
});

const ofOne = { ...reads, answer: CardPage } as const;
export const contactCards = defineOperation({
  ...ofOne,
  id: 'cards.of-contact',
  route: 'GET /contacts/{id}/cards',
  summary: "List a contact's cards, newest first",
  params: z.object({ id: pathId('contact', 'The id of the contact.') }),
  query: z.strictObject(paged(50, 200)),
});
export const companyCards = defineOperation({
  ...ofOne,
  id: 'cards.of-company',
  route: 'GET /v2/companies/{id}/cards',
  summary: "List a company's cards, newest first",
  params: z.object({ id: pathId('company', 'The id of the company.') }),
  query: z.strictObject(paged(50, 200)),
});

const hasId = (row: unknown): boolean => typeof row === 'object' && row !== null && Object.hasOwn(row, 'id');
/** A valid row, or its errors. Each invalid row is rejected on its own. */
const Entry = z
  .union([
    hostileRow,
    CreateCard.transform((create): ImportRow => ({ create })),
    UpdateCard.transform((update): ImportRow => ({ update })),
    brokenRow((row) => (hasId(row) ? UpdateCard : CreateCard)),
  ])
  .meta({
    override: ({ jsonSchema }) => {
      jsonSchema.anyOf = (jsonSchema.anyOf ?? []).slice(1, 3);
    },
  });

export const importCards = defineOperation({
  ...writes,
  id: 'cards.import',
  route: 'POST /cards/import',
  summary: 'Import cards',
  description: `A row with an \`id\` changes that card as a PATCH does, and moves it to the end of \`estagioId\`, even if it is there already; any other row creates a card as \`POST /cards\` does. Cards are placed at the end of their stages in the order of the rows. Valid rows are stored even if others fail. Rows without an \`id\` that are sent again create cards again. ${REQUIRED}`,
  rowsIn: 'cartoes',
  body: closedObject('ImportCards', 'Cards to import.', {
    cartoes: z
      .array(Entry)
      .min(1)
      .max(MAX_ROWS)
      .meta({ description: `1 to ${MAX_ROWS} cards. An invalid one is refused on its own, and listed in \`erros\`.` }),
  }),
  answer: openObject('ImportedCards', 'The results of the rows; together as many as were sent.', {
    criadas: count('How many cards were created.', 2),
    atualizadas: count('How many rows were applied to their card.', 1),
    erros: z
      .array(
        part('A row that was refused.', {
          linha: ordinal('Its number in `cartoes`, from 1.', 3),
          mensagem: text('What is wrong with it, without its values.', 'titulo is required'),
        }),
      )
      .meta({ description: 'The rows that were refused, in their order.' }),
  }),
  errors: ['VALIDATION_ERROR'],
  memoryMb: 1024,
  timeoutSeconds: 28,
});
