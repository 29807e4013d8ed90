/** Every page of a list by cursor, in their order; `read` gets no cursor for the first one. */
export const pagesOf = async <Page extends { readonly nextCursor?: string | undefined }>(
  read: (cursor?: string) => Promise<Page>,
): Promise<Page[]> => {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
};
