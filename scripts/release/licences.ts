/** The licence notices of all that the executable holds: the project's own, its packages', and Bun's with what Bun is made of. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../binary/build-for.ts';

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/** Bun's own page on licences, as its package of documents has it. */
const BUN_PAGE = 'node_modules/bun-types/docs/project/license.mdx';

export function licenceNotices(): string {
  const notices = shippedPackages().map(([folder, { version, license }]) => {
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return section(`${name} ${version} (${license ?? 'see below'})`, licenceOf(folder, license));
  });
  const own = section('tf-kernel-contract', readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  const bun = readFileSync(join(ROOT, BUN_PAGE), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '');
  return [own, ...notices, section(`Bun ${Bun.version}, the runtime inside the executable`, bun)].join('\n');
}

/** Packages that are installed for more than development. */
function shippedPackages(): [string, LockedPackage][] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(lock.packages).filter(([folder, { dev }]) => folder !== '' && !dev);
}

/** The text of a package's licence; throws where it has none to give. */
function licenceOf(folder: string, license: string | undefined): string {
  const files = readdirSync(join(ROOT, folder));
  const texts = files.filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name)).sort();
  if (texts.length > 0) return texts.map((name) => readFileSync(join(ROOT, folder, name), 'utf8')).join('\n');
  const readme = files.find((name) => /^readme/i.test(name));
  const [text] = readme
    ? (/^#+ *licen[cs]e[\s\S]*/im.exec(readFileSync(join(ROOT, folder, readme), 'utf8')) ?? [])
    : [];
  if (text) return text;
  const { author } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
    author?: string | { name?: string };
  };
  const holder = typeof author === 'string' ? author : author?.name;
  if (holder && license) return `Copyright (c) ${holder}. Licensed under ${license}.`;
  throw new Error(`${folder} comes with no licence that can be passed on`);
}

const section = (title: string, text: string): string => `${title}\n${'='.repeat(title.length)}\n\n${text.trim()}\n`;
