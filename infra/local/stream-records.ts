import { DatabaseSync } from 'node:sqlite';

/** How long DynamoDB keeps a stream's records. */
const KEPT_SECONDS = 24 * 3_600;

/** How long to wait for the engine's own writes, in ms. */
const BUSY_MS = 10_000;

/**
 * Keeps writes of the embedded engine fast, however many stream records its file holds: the engine looks for the last sequence number at each
 * write, and for the first and last at each poll, by reading all records unless there are indexes. Also removes records that DynamoDB
 * would have removed; the last one stays, since the next sequence number is derived from it. Safe while the engine runs.
 */
export const maintainStreamRecords = (dbFile: string, now: number = Date.now()): void => {
  const database = new DatabaseSync(dbFile);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    // The expression is the engine's: SQLite uses an index only for the same one.
    database.exec(
      'CREATE INDEX IF NOT EXISTS stream_records_by_sequence ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
    );
    database.exec(
      'CREATE INDEX IF NOT EXISTS stream_records_by_shard ON _stream_records (table_name, shard_id, sequence_number)',
    );
    database
      .prepare(
        'DELETE FROM _stream_records WHERE created_at < ? AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name)',
      )
      .run(Math.floor(now / 1_000) - KEPT_SECONDS);
  } finally {
    database.close();
  }
};
