import {
  type Entry,
  type Model,
  type Operation,
  type Parameter,
  parametersOf,
  type Response,
  responseOf,
} from './model.ts';

/** Shell variables for the service's address and the reader's key, under the names that the guides use. */
const URL_NAME = '$URL';
const KEY_NAME = '$KEY';

/** Text between single quotes, as a shell reads it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const exampleOfParameter = ({ example, schema }: Parameter): unknown => example ?? schema?.example;

const successesOf = (model: Model, { responses }: Operation): readonly Response[] =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => responseOf(model, response));

const required = (parameters: readonly Parameter[], place: Parameter['in']): readonly Parameter[] =>
  parameters.filter((parameter) => parameter.in === place && parameter.required);

/** The example of a part of the path; undefined for an id, which is the reader's. */
const exampleInPath = (parameters: readonly Parameter[], name: string): string | undefined => {
  const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
  const value = parameter && exampleOfParameter(parameter);
  return value === undefined ? undefined : String(value);
};

/** A variable of the shell: `contactId` is `CONTACT_ID`. */
const variableOf = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();

const pathWith = (path: string, parameters: readonly Parameter[]): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = exampleInPath(parameters, name);
    return value === undefined ? `$${variableOf(name)}` : encodeURIComponent(value);
  });

const exampleText = (parameter: Parameter): string => String(exampleOfParameter(parameter) ?? '');

const queryText = (parameters: readonly Parameter[]): string => {
  const pairs = required(parameters, 'query').map(
    (parameter) => `${parameter.name}=${encodeURIComponent(exampleText(parameter))}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

/** The first kind of content that a request may have, with its example. */
const contentOf = ({ requestBody }: Operation): { readonly type: string; readonly example: unknown } | undefined => {
  const [first] = Object.entries(requestBody?.content ?? {});
  return first && { type: first[0], example: first[1].example };
};

const dataOf = (type: string, example: unknown): string => {
  if (example === undefined) return '--data-binary @file';
  return `-d ${quoted(type.includes('json') ? JSON.stringify(example, null, 2) : String(example))}`;
};

/** The operation as a command of curl, with the shell's variables `URL` and `KEY`, and one for each id of its path. */
export const curlOf = (model: Model, { method, path, operation }: Entry): string => {
  const parameters = parametersOf(model, operation);
  const content = contentOf(operation);
  const headers = required(parameters, 'header').map(
    (parameter) => `-H ${quoted(`${parameter.name}: ${exampleText(parameter)}`)}`,
  );
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${URL_NAME}${pathWith(path, parameters)}${queryText(parameters)}"`,
    ...(operation.security?.length === 0 ? [] : [`-H "Authorization: Bearer ${KEY_NAME}"`]),
    ...(content ? [`-H ${quoted(`Content-Type: ${content.type}`)}`] : []),
    ...headers,
    ...(content ? [dataOf(content.type, content.example)] : []),
  ];
  return lines.join(' \\\n  ');
};

const camel = (name: string): string => name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Whether the SDK has a method for an operation: it answers JSON or nothing, and is no page for people. */
const isForPrograms = (model: Model, operation: Operation): boolean => {
  const answers = successesOf(model, operation);
  return answers.length > 0 && answers.every(({ content }) => !content || 'application/json' in content);
};

/** A value of JSON as TypeScript writes it: names without quotes where they need none. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:');

const bodyArgument = (operation: Operation): readonly string[] => {
  const content = contentOf(operation);
  if (!content) return [];
  if (content.type.includes('json')) return [literal(content.example ?? {})];
  return [`{ contentType: ${JSON.stringify(content.type)}, data: bytes }`];
};

const queryArgument = (parameters: readonly Parameter[]): readonly string[] => {
  const query = required(parameters, 'query');
  if (query.length === 0) return [];
  return [literal(Object.fromEntries(query.map((one) => [one.name, exampleOfParameter(one)])))];
};

/** The call of the operation by the TypeScript SDK, with a variable for each id of its path; undefined for an operation that the SDK does not have. */
export const sdkCallOf = (model: Model, { path, operation }: Entry): string | undefined => {
  if (!isForPrograms(model, operation)) return undefined;
  const parameters = parametersOf(model, operation);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const value = exampleInPath(parameters, name);
    return value === undefined ? name : JSON.stringify(value);
  });
  const args = [...inPath, ...bodyArgument(operation), ...queryArgument(parameters)];
  const [group = '', name = ''] = operation.operationId.split('.');
  const call = `messaging.${camel(group)}.${camel(name)}(${args.join(', ')})`;
  const isVoid = !successesOf(model, operation).some(({ content }) => content);
  return isVoid ? `await ${call};` : `const result = await ${call};`;
};
