const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3600_000 };
/** A whole number with its unit. */
export const DURATION = /^[1-9]\d{0,5}[smh]$/;

/** A whole number with its unit (`30s`, `10m`, `2h`) in ms; undefined for any other text. */
export const parseDuration = (text: string): number | undefined =>
  DURATION.test(text) ? Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0) : undefined;
