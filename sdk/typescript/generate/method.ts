import {
  isForPrograms,
  jsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Schema,
  schemaName,
  successes,
} from './document.ts';
import { camel, docComment, pascal, placeOf } from './names.ts';

/** An operation as the client's source code has it. */
export interface Method {
  readonly group: string;
  readonly source: string;
  /** The type of its query, if it takes one. */
  readonly query?: { readonly name: string; readonly source: string };
  /** Names that it imports from the generated types. */
  readonly imports: readonly string[];
}

interface Parts {
  readonly document: OpenApiDocument;
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
  /** The name that hey-api gives the operation. */
  readonly typeName: string;
  readonly method: string;
  readonly pathParameters: readonly string[];
  readonly query: readonly Parameter[];
  readonly keyed: boolean;
}

const isKey = ({ $ref = '' }: Parameter): boolean => $ref.endsWith('IdempotencyKey');

const partsOf = (document: OpenApiDocument, verb: string, path: string, operation: Operation): Parts => {
  const { group, method } = placeOf(operation.operationId);
  const parameters = operation.parameters ?? [];
  return {
    document,
    verb,
    path,
    operation,
    method,
    typeName: `${pascal(group)}${pascal(method)}`,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    query: parameters.filter(({ in: place }) => place === 'query'),
    keyed: parameters.some(isKey),
  };
};

interface Argument {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

const queryName = ({ typeName }: Parts): string => `${typeName}Query`;

const bodyArgument = ({ operation, typeName }: Parts): readonly Argument[] => {
  const { requestBody } = operation;
  if (!requestBody) return [];
  const json = requestBody.content['application/json'];
  const type = json
    ? (schemaName(json.schema) ?? `NonNullable<${typeName}Data['body']>`)
    : `Binary<${Object.keys(requestBody.content)
        .map((name) => `'${name}'`)
        .join(' | ')}>`;
  return [{ name: 'body', type, required: requestBody.required === true, description: '' }];
};

const queryArgument = (parts: Parts): readonly Argument[] => {
  if (parts.query.length === 0) return [];
  const required = parts.query.some((parameter) => parameter.required);
  return [{ name: 'query', type: queryName(parts), required, description: '' }];
};

const argumentsOf = (parts: Parts): readonly Argument[] => [
  ...parts.pathParameters.map((name) => ({
    name: camel(name),
    type: 'string',
    required: true,
    description: parts.operation.parameters?.find((parameter) => parameter.name === name)?.description ?? '',
  })),
  ...bodyArgument(parts),
  ...queryArgument(parts),
  {
    name: 'options',
    type: parts.keyed ? 'KeyedOptions' : 'RequestOptions',
    required: false,
    description: '',
  },
];

const answerType = ({ operation, typeName }: Parts): string => {
  const schemas = new Set(successes(operation).map(([, { content }]) => schemaName(jsonSchema(content)) ?? ''));
  const [only = ''] = schemas;
  if (schemas.size === 1 && only !== '') return only;
  const hasBody = successes(operation).some(([, { content }]) => content);
  return hasBody ? `${typeName}Response` : 'void';
};

/** How the items of pages follow each other, by the parameters that the operation takes. */
const PAGING = [
  ['cursor', 'byCursor'],
  ['skip', 'bySkip'],
  ['after', 'bySequence'],
] as const;

interface Paging {
  readonly by: (typeof PAGING)[number][1];
  /** The field with the list, and the type of what is in it. */
  readonly field: string;
  readonly item: string;
}

/** The list of a page: its `items`, else the only list that it has. */
const listOf = (page: Schema | undefined): readonly [field: string, list: Schema] | undefined => {
  const lists = Object.entries(page?.properties ?? {}).filter(([, { type }]) => type === 'array');
  return lists.find(([field]) => field === 'items') ?? (lists.length === 1 ? lists[0] : undefined);
};

const pagingOf = ({ document, query, verb }: Parts, page: string): Paging | undefined => {
  const by = PAGING.find(([parameter]) => query.some(({ name }) => name === parameter))?.[1];
  const list = listOf(document.components.schemas[page]);
  if (verb !== 'get' || !by || !list) return undefined;
  const [field, { items }] = list;
  return { by, field, item: schemaName(items) ?? `${page}['${field}'][number]` };
};

const pathSource = ({ path, pathParameters }: Parts): string =>
  pathParameters.length === 0 ? `'${path}'` : `path\`${path.replace(/\{(\w+)\}/g, '$${$1}')}\``;

const requestSource = (parts: Parts): string => {
  const { operation, query, keyed } = parts;
  const isBinary = operation.requestBody && !operation.requestBody.content['application/json'];
  const fields = [
    ...(operation.requestBody ? [isBinary ? 'binary: body' : 'body'] : []),
    ...(query.length > 0 ? ['query'] : []),
    ...(keyed ? ['keyed: true'] : []),
    ...(operation.security?.length === 0 ? ['open: true'] : []),
  ];
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
};

const signature = (name: string, args: readonly Argument[], result: string): string =>
  `  ${name}(${args.map((arg) => `${arg.name}${arg.required ? '' : '?'}: ${arg.type}`).join(', ')}): ${result} {\n`;

const described = ({ operation }: Parts, args: readonly Argument[], note?: string): string =>
  docComment(
    [
      operation.summary,
      operation.description,
      note,
      args
        .filter(({ description }) => description !== '')
        .map(({ name, description }) => `@param ${name} ${description}`)
        .join('\n'),
    ],
    '  ',
  );

const callSource = (parts: Parts, args: readonly Argument[]): string => {
  const answer = answerType(parts);
  const paging = pagingOf(parts, answer);
  const where = pathSource(parts);
  if (paging) {
    const head = signature(parts.method, args, `Pages<${answer}, ${paging.item}>`);
    const field = paging.field === 'items' ? '' : `, '${paging.field}'`;
    return `${described(parts, args, 'Gives its items one by one with `for await`, and its first page with `await`.')}${head}    return this.${paging.by}(${where}, query, options${field});\n  }\n`;
  }
  const head = signature(parts.method, args, `Promise<${answer}>`);
  const note = parts.keyed ? 'Sends an `Idempotency-Key` of its own, unless the options name one.' : undefined;
  return `${described(parts, args, note)}${head}    return this.call('${parts.verb.toUpperCase()}', ${where}, ${requestSource(parts)}, options);\n  }\n`;
};

/** The same operation, asked for CSV. */
const csvSource = (parts: Parts, args: readonly Argument[]): string => {
  const hasCsv = successes(parts.operation).some(([, { content }]) => content && 'text/csv' in content);
  if (!hasCsv) return '';
  const head = signature(`${parts.method}Csv`, args, 'Pages<CsvPage, string>');
  const note = 'As CSV: gives a text for each page, each with a line of names.';
  return `\n${described(parts, args, note)}${head}    return this.csv(${pathSource(parts)}, query, options);\n  }\n`;
};

/** The source of an operation's method; undefined for an operation that programs do not call. */
export const methodOf = (
  document: OpenApiDocument,
  verb: string,
  path: string,
  operation: Operation,
): Method | undefined => {
  if (!isForPrograms(operation)) return undefined;
  const parts = partsOf(document, verb, path, operation);
  const args = argumentsOf(parts);
  const source = `${callSource(parts, args)}${csvSource(parts, args)}`;
  const name = queryName(parts);
  const data = `${parts.typeName}Data`;
  return {
    group: placeOf(operation.operationId).group,
    source,
    ...(parts.query.length === 0
      ? {}
      : {
          query: {
            name,
            source: `/** Query of \`${operation.operationId}\`. */\nexport type ${name} = NonNullable<${data}['query']>;\n`,
          },
        }),
    imports: [...source.matchAll(/\b([A-Z]\w+)\b(?=[;,>)[\]' |]|$)/gm)].map(([, word = '']) => word),
  };
};
