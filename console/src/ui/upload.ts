/** Thrown when a file did not arrive: the bucket refused it, or there was no connection. */
export class UploadFailed extends Error {
  constructor() {
    super('The file was not taken.');
    this.name = 'UploadFailed';
  }
}

interface UploadTo {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A browser sets it by the body, and lets no script do so. */
const BY_BROWSER = 'content-length';

/** Puts a file at the address that the service gave for it. `onProgress`: how much of it went, as a share of 1. Throws UploadFailed. */
export const putFile = (file: Blob, { url, headers }: UploadTo, onProgress: (share: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    // In place of fetch, which does not report the progress of an upload.
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers))
      if (name.toLowerCase() !== BY_BROWSER) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total));
    request.addEventListener('load', () => (request.status === 200 ? resolve() : reject(new UploadFailed())));
    for (const failure of ['error', 'abort', 'timeout'])
      request.addEventListener(failure, () => reject(new UploadFailed()));
    request.send(file);
  });
