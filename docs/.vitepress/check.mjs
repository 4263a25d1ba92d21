// Follows the links of the site that was built: each leads to a page, to a heading of it, or to a
// file of the repository; and each page has its text, its navigation and an entry in the index of the search.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { base, home, pages, repository } from './pages.mjs'

const dist = fileURLToPath(new URL('dist', import.meta.url))
const wrong = []
const built = new Map([...pages.values()].map((page) => {
  const file = page.replace(/\.md$/, '.html')
  return [file, fs.readFileSync(path.join(dist, file), 'utf8')]
}))
const index = fs.readdirSync(path.join(dist, 'assets/chunks')).filter((name) => name.startsWith('@localSearchIndex'))
  .map((name) => fs.readFileSync(path.join(dist, 'assets/chunks', name), 'utf8')).join()

// fault says what is wrong with a link of a file, if something is.
function fault(file, link) {
  if (link.startsWith(repository + '/')) {
    const [, kind, to] = link.slice(repository.length).match(/^\/(blob|tree|edit)\/main\/([^#]*)/) ?? []
    return kind && !fs.existsSync(path.join(home, to)) && 'the repository has no such file'
  }
  if (/^[a-z]+:/.test(link)) return
  const [target, anchor] = link.split('#')
  if (!target.startsWith(base) && target !== '') return 'it does not begin with ' + base
  let to = target === '' ? file : target.slice(base.length)
  if (to === '' || to.endsWith('/')) to += 'index.html'
  if (!built.has(to)) return !fs.existsSync(path.join(dist, to)) && 'the site has no such page'
  return anchor && !built.get(to).includes(`id="${decodeURI(anchor)}"`) && 'the page has no such heading'
}

let links = 0
for (const [file, html] of built) {
  for (const [, link] of html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)) {
    links++
    const why = fault(file, link.replaceAll('&amp;', '&'))
    if (why) wrong.push(`${file}: ${link}: ${why}`)
  }
  if (!/<h1 /.test(html) || !html.includes('VPSidebarItem')) wrong.push(`${file}: the page has no heading, or no sidebar`)
  if (!index.includes(base + (file === 'index.html' ? '' : file.replace(/index\.html$/, '')))) wrong.push(`${file}: the search does not know the page`)
}
if (links < 1000) wrong.push(`there are only ${links} links`)
console.log(`${built.size} pages, ${links} links` + (wrong.length ? ', ' + wrong.length + ' faults:\n' + wrong.join('\n') : ' followed'))
process.exit(wrong.length ? 1 : 0)
