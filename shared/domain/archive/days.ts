/**
 * The minimum age, in days, at which a row may leave the table: longer than providers report on a message, and than it can be scheduled
 * ahead.
 */
export const MIN_ARCHIVE_DAYS = 90;
export const MAX_ARCHIVE_DAYS = 3650;
