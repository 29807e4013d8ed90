/** Days below which no row may leave: longer than a provider reports on a message, and than one may be scheduled ahead. */
export const MIN_ARCHIVE_DAYS = 90;
export const MAX_ARCHIVE_DAYS = 3650;
