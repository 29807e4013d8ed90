import type { OpenApiDocument } from './document.ts';
import { type Method, methodOf } from './method.ts';
import { pascal, propertyOf } from './names.ts';

const HEADER = '// Made from openapi.json by `npm run sdk`: not to be edited.\n';

const RUNTIME = ['type Binary', 'type Call', 'type CsvPage', 'type KeyedOptions', 'path', 'type RequestOptions'];

const methodsOf = (document: OpenApiDocument): readonly Method[] =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([verb, operation]) => methodOf(document, verb, path, operation) ?? []),
  );

const classSource = (group: string, methods: readonly Method[]): string =>
  `export class ${pascal(group)}Operations extends Resource {\n${methods.map(({ source }) => source).join('\n')}}\n`;

const clientSource = (groups: readonly string[]): string => {
  const fields = groups.map((group) => `  readonly ${propertyOf(group)}: ${pascal(group)}Operations;\n`);
  const made = groups.map((group) => `    this.${propertyOf(group)} = new ${pascal(group)}Operations(call);\n`);
  return `/** Every operation, in the groups of their ids: \`email-templates.create\` is \`emailTemplates.create\`. */\nexport class Operations {\n${fields.join('')}\n  constructor(call: Call) {\n${made.join('')}  }\n}\n`;
};

/** The classes whose methods call the operations, one class for each group of operation ids. */
export const generateOperations = (document: OpenApiDocument, types: string): string => {
  const exported = new Set([...types.matchAll(/^export type (\w+)/gm)].map(([, name = '']) => name));
  const methods = methodsOf(document);
  const groups = [...new Set(methods.map(({ group }) => group))];
  const queries = methods.flatMap(({ query }) => query ?? []);
  const used = new Set([
    ...methods.flatMap(({ imports }) => imports),
    ...queries.map(({ name }) => name.replace(/Query$/, 'Data')),
  ]);
  const imports = [...used].filter((name) => exported.has(name)).sort();
  return [
    HEADER,
    `import { Resource } from '../resource.ts';\nimport { ${RUNTIME.join(', ')} } from '../request.ts';\nimport type { Pages } from '../pages.ts';\n`,
    `import type {\n${imports.map((name) => `  ${name},\n`).join('')}} from './types.gen.ts';\n`,
    queries.map(({ source }) => source).join('\n'),
    ...groups.map((group) =>
      classSource(
        group,
        methods.filter((method) => method.group === group),
      ),
    ),
    clientSource(groups),
  ].join('\n');
};
