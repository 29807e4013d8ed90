import type { Actor } from '../../domain/core/actor.ts';
import type { CursorItems } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import { type ExportChannel, type ExportRow, exportRow } from '../../domain/exports/export-row.ts';
import { exportWindow } from '../../domain/exports/window.ts';
import { exportPage } from '../../storage/exports/message-export.ts';
import { cursorRequest } from '../access/cursor-lists.ts';
import { table } from '../process/aws.ts';

/** The query of an export, with its window in ISO 8601. */
interface Query {
  readonly from: string;
  readonly to: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of the messages of a channel; 422 for a window that is too long, 400 for a cursor of another export. */
export const exportMessages = async (
  contract: { readonly id: string },
  { actor, unmasked, query }: { readonly actor: Actor; readonly unmasked: boolean; readonly query: Query },
  channel: ExportChannel,
): Promise<CursorItems<ExportRow> | Refusal<'BAD_REQUEST' | 'VALIDATION_ERROR'>> => {
  const window = exportWindow(query);
  if (isRefusal(window)) return window;
  return exportPage(table, channel, window, await cursorRequest(contract, actor, { ...query }), (message, externalId) =>
    exportRow(message, externalId, unmasked),
  );
};
