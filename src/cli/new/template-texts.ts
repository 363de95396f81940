/** What `new` writes, by its path below templates/; the build puts a module with the texts in this one's place. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, 'templates');

export function templateTexts(): Readonly<Record<string, string>> {
  const paths = [...new Bun.Glob('**/*').scanSync({ cwd: FOLDER })].toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(FOLDER, path), 'utf8')]));
}
