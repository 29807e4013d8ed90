import { type OpenApiDocument, schemaName } from './document.ts';

/** The union of all events, and the list of their types. */
export const generateEvents = ({ webhooks }: OpenApiDocument): string => {
  const envelopes = Object.entries(webhooks).map(([type, { post }]) => {
    const name = schemaName(post.requestBody?.content['application/json']?.schema);
    if (!name) throw new Error(`The event ${type} has no named schema.`);
    return name;
  });
  const names = [...new Set(envelopes)].sort();
  return `// Made from openapi.json by \`npm run sdk\`: not to be edited.

import type {
${names.map((name) => `  ${name},\n`).join('')}} from './types.gen.ts';

/** An event of a type that a subscription can take: \`type\` determines the shape of \`data\`. */
export type CatalogueEvent =
${names.map((name) => `  | ${name}`).join('\n')};
`;
};
