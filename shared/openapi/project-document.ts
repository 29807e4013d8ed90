import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationContract } from '../contracts/define-operation.ts';
import { OPERATIONS } from '../contracts/index.ts';
import { collectionOf, type Document } from './collection.ts';
import { openApiDocument } from './document.ts';

const read = (file: string): { readonly version?: string; readonly body?: string | null } =>
  JSON.parse(readFileSync(file, 'utf8'));

/** The content of `openapi.json` for the current contracts and example events. `root` is the project's folder. */
export const projectDocument = (root: string): string => {
  const exampleBody = ({ id, request }: OperationContract): unknown => {
    const file = join(root, 'events/requests', `${id}.json`);
    const body = existsSync(file) ? read(file).body : undefined;
    if (request.rawBody) return body ?? undefined;
    return body && (request.body ?? request.stream?.schema) ? JSON.parse(body) : undefined;
  };
  const document = openApiDocument({
    version: read(join(root, 'package.json')).version ?? '0.0.0',
    operations: OPERATIONS,
    exampleBody,
  });
  return `${JSON.stringify(document, null, 2)}\n`;
};

/** The content of `docs/postman.json` for the content of `openapi.json`. */
export const projectCollection = (text: string): string =>
  `${JSON.stringify(collectionOf(JSON.parse(text) as Document), null, 2)}\n`;
