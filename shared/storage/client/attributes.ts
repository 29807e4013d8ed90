import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import type { Id, IdKind } from '../../domain/core/ids.ts';
import type { ContactAttributes } from '../../domain/core/json-values.ts';
import type { Coins } from '../../domain/core/money.ts';
import { isoTime } from '../../domain/core/time.ts';

/** A time: ms in the domain, ISO 8601 in UTC in the table, where it is readable and sorts chronologically. */
export const time = z.codec(z.iso.datetime(), z.number(), { decode: (text) => Date.parse(text), encode: isoTime });

/** An id of a kind. Not checked again on reading: it was checked before it was written. */
export const id = <K extends IdKind>(_kind: K) => z.custom<Id<K>>((value) => typeof value === 'string');

/** The owner of a row: the attributes of a tenant. */
export const tenant = { organizationId: id('organization'), env: z.enum(ENVIRONMENTS) };

/** A whole number of coins. */
export const coins = z.custom<Coins>(Number.isSafeInteger);

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** A caller's own attributes. Written as a Map: the marshaller takes an object with a key `constructor` for a class instance. */
export const freeAttributes = z.codec(z.custom<object>(isObject), z.custom<ContactAttributes>(isObject), {
  decode: (stored) => stored as ContactAttributes,
  encode: (attributes) => new Map(Object.entries(attributes)),
});

/** A value as JSON text, so that it is read back exactly as it was written. `check` throws on an invalid value. */
export const jsonText = <T>(check: (json: unknown) => T) =>
  z.codec(z.string(), z.custom<T>(), {
    decode: (text) => check(JSON.parse(text)),
    encode: (value) => JSON.stringify(value),
  });

/** A value as compressed JSON. Throws if it unpacks to more than `maxBytes`; nothing larger is ever packed. */
export const packedJson = <T>(maxBytes: number, check: (json: unknown) => T, toJson = (value: T): unknown => value) =>
  z.codec(z.instanceof(Uint8Array), z.custom<T>(), {
    decode: (bytes) => check(JSON.parse(gunzipSync(bytes, { maxOutputLength: maxBytes }).toString('utf8'))),
    encode: (value) => gzipSync(JSON.stringify(toJson(value))),
  });

/** The `ttl` of a row that is not needed after a time (ms): DynamoDB deletes it within about a day. */
export const ttlAfter = (ms: number): number => Math.floor(ms / 1000) + 24 * 3600;
