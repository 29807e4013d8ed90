/** `list-replies` → `listReplies`. */
export const camel = (name: string): string =>
  name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The property of the client for a group of operations. */
export const propertyOf = (group: string): string => camel(group);

/** `email-templates` → `EmailTemplates`. */
export const pascal = (name: string): string => {
  const text = camel(name);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
};

/** The place of an operation in the client: `email-templates.create` is `emailTemplates.create`. */
export const placeOf = (operationId: string): { readonly group: string; readonly method: string } => {
  const [group, method, ...rest] = operationId.split('.');
  if (!group || !method || rest.length > 0) throw new Error(`${operationId} is not AREA.OPERATION.`);
  return { group, method: camel(method) };
};

/** A doc comment of the given paragraphs. */
export const docComment = (paragraphs: readonly (string | undefined)[], indent = ''): string => {
  const lines = paragraphs
    .filter((text) => text !== undefined && text !== '')
    .join('\n\n')
    .replaceAll('*/', '*\\/')
    .split('\n');
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
};
