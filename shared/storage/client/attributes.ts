import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { Id, IdKind } from '../../domain/core/ids.ts';
import type { Coins } from '../../domain/core/money.ts';
import { isoTime } from '../../domain/core/time.ts';

/** A moment: ms in the domain; ISO 8601 in UTC in the table, where a person can read it and it sorts as time does. */
export const time = z.codec(z.iso.datetime(), z.number(), { decode: (text) => Date.parse(text), encode: isoTime });

/** An identifier of a kind. Its form was checked before it was written. */
export const id = <K extends IdKind>(_kind: K) => z.custom<Id<K>>((value) => typeof value === 'string');

/** A whole number of coins. */
export const coins = z.custom<Coins>(Number.isSafeInteger);

/** A value as JSON text: what stands in it comes back as it was sent. `check` throws on what it is not. */
export const jsonText = <T>(check: (json: unknown) => T) =>
  z.codec(z.string(), z.custom<T>(), {
    decode: (text) => check(JSON.parse(text)),
    encode: (value) => JSON.stringify(value),
  });

/** A value as compressed JSON. What comes to more than `maxBytes` again is an error: more was never packed. */
export const packedJson = <T>(maxBytes: number, check: (json: unknown) => T, toJson = (value: T): unknown => value) =>
  z.codec(z.instanceof(Uint8Array), z.custom<T>(), {
    decode: (bytes) => check(JSON.parse(gunzipSync(bytes, { maxOutputLength: maxBytes }).toString('utf8'))),
    encode: (value) => gzipSync(JSON.stringify(toJson(value))),
  });
