import * as z from 'zod';
import type { createDocument } from 'zod-openapi';
import type { OperationContract } from '../contracts/define-operation.ts';

type Schema = Record<string, unknown> & { description?: string; example?: unknown; type?: unknown };
interface Parameter {
  readonly name: string;
  readonly in: string;
  schema?: Schema;
  description?: string;
  example?: unknown;
}
type Document = ReturnType<typeof createDocument>;

/** Query values are strings that are parsed to numbers; documents the number and its limits instead. */
const asNumber = (schema: Schema, field: z.ZodType | undefined): Schema => {
  if (!field || schema.type !== 'string') return schema;
  const read = z.toJSONSchema(field, { io: 'output', unrepresentable: 'any' }) as Schema;
  if (read.type !== 'integer' && read.type !== 'number') return schema;
  const { type, minimum, maximum } = read;
  const byDefault = read.default === undefined ? {} : { default: read.default };
  const example = schema.example === undefined ? {} : { example: Number(schema.example) };
  return { type, minimum, maximum, ...byDefault, description: schema.description ?? '', ...example };
};

/** Moves description and example from the schema to the parameter, where readers and tools look for them. */
const lift = (parameter: Parameter): void => {
  if (!parameter.schema) return;
  const { description, example, ...schema } = parameter.schema;
  parameter.schema = schema;
  if (description) parameter.description ??= description;
  if (example !== undefined) parameter.example ??= example;
};

/** Makes the parameters of a document readable. Modifies and returns the given document. */
export const readableParameters = (document: Document, operations: readonly OperationContract[]): Document => {
  const contracts = new Map(operations.map((contract) => [contract.id, contract]));
  const documented = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
  for (const { operationId, parameters } of documented as { operationId: string; parameters?: Parameter[] }[]) {
    const query = contracts.get(operationId)?.request.query;
    for (const parameter of parameters ?? []) {
      if (parameter.in === 'query' && parameter.schema)
        parameter.schema = asNumber(parameter.schema, query?.shape[parameter.name] as z.ZodType);
      lift(parameter);
    }
  }
  return document;
};
