// The pages of the site, in the order of its sidebar, and where a link of a page leads in it.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const home = fileURLToPath(new URL('../..', import.meta.url))
export const base = process.env.SITE_BASE ?? '/gopor/' // the folder of the site on its server
export const repository = 'https://github.com/gopor/gopor'

// Paths from the home of the repository. A group has a text, its pages, and the pages below one
// of them by the name of that page's folder.
export const groups = [
  ['Start', ['README.md', 'docs/flaky.md', 'docs/flaky/*', 'docs/writing.md', 'docs/servers.md', 'docs/systems.md', 'docs/days.md', 'docs/structures.md']],
  ['What a result means', ['docs/verdict.md', 'docs/limits.md', 'docs/limits/*', 'docs/how.md', 'docs/compare.md']],
  ['Every day', ['docs/settings.md', 'docs/ci.md', 'docs/editors.md', 'docs/debugging.md', 'docs/json.md', 'docs/cluster.md']],
  ['Engines', ['docs/engines.md', 'docs/bench/*', 'docs/irs.md']],
  ['Reference', ['docs/api.md', 'docs/glossary.md', 'docs/CHANGELOG.md']],
  ['Inside', ['docs/design/README.md', 'docs/design/*']],
]

// below returns the pages in a folder, the one that introduces them left out.
function below(folder) {
  return fs.readdirSync(path.join(home, folder)).sort()
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => folder + '/' + name)
}

// Every page by its path in the repository: the file that the site has it in.
export const pages = new Map(groups.flatMap(([, items]) => items)
  .flatMap((item) => (item.endsWith('/*') ? below(path.dirname(item)) : [item]))
  .map((page) => [page, page.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')]))

// title returns the heading of a page.
function title(page) {
  const heading = fs.readFileSync(path.join(home, page), 'utf8').match(/^# (.*)$/m)
  if (!heading) throw new Error(`${page} has no heading`)
  return heading[1].replaceAll('`', '')
}

// place returns where the site has a page.
const place = (page) => '/' + pages.get(page).replace(/(index)?\.md$/, '')

const item = (page) => ({ text: page === 'README.md' ? 'What gopor is' : title(page), link: place(page) })

// The pages of a folder are below the page that is before them.
export const sidebar = groups.map(([text, items]) => ({
  text,
  items: items.reduce((all, next) => {
    if (!next.endsWith('/*')) return [...all, item(next)]
    const last = all.at(-1)
    return [...all.slice(0, -1), { ...last, collapsed: true, items: below(path.dirname(next)).map(item) }]
  }, []),
}))

// resolve returns what a link of a page is in the site: a page of it, or a file of the repository.
export function resolve(from, link) {
  if (/^([a-z]+:|#)/.test(link)) return link
  const [target, anchor] = link.split('#')
  const to = path.posix.normalize(path.posix.join(path.posix.dirname(from), decodeURI(target))).replace(/\/$/, '')
  const rest = anchor === undefined ? '' : '#' + anchor
  for (const page of [to, to + '/README.md']) {
    if (pages.has(page)) return place(page) + rest
  }
  const stat = fs.statSync(path.join(home, to), { throwIfNoEntry: false })
  if (!stat) throw new Error(`${from}: the link ${link} leads nowhere`)
  return `${repository}/${stat.isDirectory() ? 'tree' : 'blob'}/main/${to}${rest}`
}

// slug makes the anchor of a heading as GitHub does.
export function slug(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}
