import type { WireDuration } from './definition.ts';

/** The units of durations, in ms. */
export const UNIT_MS = { segundos: 1_000, minutos: 60_000, horas: 3_600_000, dias: 86_400_000 } as const;
/** The longest duration: 365 days. */
export const MAX_DURATION_MS = 365 * UNIT_MS.dias;

/** A duration in ms; 0 without a unit, which no contract allows. */
export const durationMs = ({ segundos = 0, minutos = 0, horas = 0, dias = 0 }: WireDuration): number =>
  segundos * UNIT_MS.segundos + minutos * UNIT_MS.minutos + horas * UNIT_MS.horas + dias * UNIT_MS.dias;

const LETTER_MS: Readonly<Record<string, number>> = { s: UNIT_MS.segundos, m: UNIT_MS.minutos, h: UNIT_MS.horas };

/** A wait as /v1 writes it, a number with its unit (`30s`, `10m`, `2h`), in ms. */
export const waitTextMs = (text: string): number => Number(text.slice(0, -1)) * (LETTER_MS[text.slice(-1)] ?? 0);
