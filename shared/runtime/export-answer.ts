import type { APIGatewayProxyEvent } from 'aws-lambda';
import { csvOf } from '../domain/core/csv.ts';
import type { CursorItems } from '../domain/core/cursor.ts';
import { EXPORT_COLUMNS, type ExportRow, exportCells } from '../domain/exports/export-row.ts';
import { respond } from './answer.ts';
import { nextLink, prefers } from './negotiate.ts';

const vary = { vary: 'accept' };

/** A page of an export in the caller's preferred format: JSON, or CSV with the next page in the Link header (docs/spec/exports.md#csv). */
export const exportAnswer = (
  { items, nextCursor }: CursorItems<ExportRow>,
  { event }: { readonly event: APIGatewayProxyEvent },
) =>
  prefers(event, 'text/csv')
    ? respond(200, csvOf(EXPORT_COLUMNS, items.map(exportCells)), {
        ...vary,
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': 'attachment; filename="messages.csv"',
        ...(nextCursor === undefined ? {} : { link: nextLink(event, nextCursor) }),
      })
    : respond(200, { items: [...items], nextCursor: nextCursor ?? null }, vary);
