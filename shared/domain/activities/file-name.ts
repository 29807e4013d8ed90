/** A name for the plain parameter of a header: ASCII letters, digits and a few signs; all else becomes an underscore. */
const asciiName = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/[^\w .()-]/g, '_');

/** Percent-encodes as in RFC 8187 (3.2.1): `encodeURIComponent` leaves some characters that are not attr-char. */
const extendedName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A Content-Disposition (RFC 6266) that downloads the content as a file with this name, whatever its type. */
export const attachmentNamed = (name: string): string =>
  `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${extendedName(name)}`;
