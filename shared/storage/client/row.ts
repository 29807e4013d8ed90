import type { NativeAttributeValue } from '@aws-sdk/util-dynamodb';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}
/** A stored row as DynamoDB returns it: each area parses it before use. */
export type Row = Key & Record<string, NativeAttributeValue>;

/** The attribute with the version of a row's shape. A row without it has version 1. */
export const SHAPE = 'shape';
