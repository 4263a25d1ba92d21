// The site of the pages in docs, with README.md as its first page: make site.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { base, home, pages, repository, resolve, sidebar, slug } from './pages.mjs'

// links has every link lead where it leads in the repository.
function links(md) {
  md.core.ruler.push('repository links', (state) => {
    const from = path.relative(home, state.env.realPath ?? state.env.path).replaceAll(path.sep, '/')
    for (const token of state.tokens.flatMap((t) => t.children ?? [])) {
      if (token.type === 'link_open') token.attrSet('href', resolve(from, token.attrGet('href')))
    }
  })
}

// The folders of the repository that have no pages for people.
const others = fs.readdirSync(home).filter((name) => name !== 'docs' && !name.endsWith('.md')).map((name) => name + '/**')

// What a terminal shows: the lines that begin with $ are typed.
const console = {
  name: 'console',
  scopeName: 'text.console',
  patterns: [{ match: '^\\$ .*$', name: 'markup.bold' }],
  repository: {},
}

export default defineConfig({
  title: 'gopor',
  description: 'Finds out why a Go test is flaky: it runs the test under every order of its goroutines that makes a difference',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: home,
  srcExclude: [...others, 'DEVELOPMENT.md', 'docs/example/**', 'docs/bench/baseline/**'],
  rewrites: Object.fromEntries(pages),
  markdown: { languages: [console], anchor: { slugify: slug }, config: links },
  // Pages import vue, and are not in the folder that has it.
  vite: { resolve: { alias: [{ find: /^vue(?=$|\/)/, replacement: fileURLToPath(new URL('node_modules/vue', import.meta.url)) }] } },
  themeConfig: {
    search: { provider: 'local' },
    sidebar,
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: repository + '/edit/main/:path', text: 'Edit this page' },
  },
  transformPageData(page) {
    if (!pages.has(page.filePath)) throw new Error(`${page.filePath} is not in the sidebar: see pages.mjs`)
  },
})
