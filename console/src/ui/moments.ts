/** ISO 8601 as `datetime-local` has it, in the person's own time; to the minute. Empty for what is no moment. */
export const toLocal = (iso: string | undefined): string => {
  if (!iso || Number.isNaN(Date.parse(iso))) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/** The moment that was typed into a `datetime-local`; undefined while none was. */
export const fromLocal = (text: string): string | undefined => (text === '' ? undefined : new Date(text).toISOString());
