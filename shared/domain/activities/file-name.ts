/** What a name has in the plain parameter of a header: letters, digits and a few signs of ASCII; all else is an underscore. */
const asciiName = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/[^\w .()-]/g, '_');

/** Percent-encoded as RFC 8187 (3.2.1) has it: `encodeURIComponent` leaves out some characters that are none of its attr-char. */
const extendedName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A Content-Disposition (RFC 6266) that saves what it is sent with under a name, whatever is in it. */
export const attachmentNamed = (name: string): string =>
  `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${extendedName(name)}`;
