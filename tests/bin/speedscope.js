// Reads a profile with the importers of speedscope, a viewer, as a browser
// would: prints the rows that it sees, each with its length and unit.
//
// usage: node speedscope.js BUNDLE PROFILE
'use strict'
const fs = require('fs')

// A stand-in for the page: whatever is asked of it is another stand-in.
const page = new Proxy(function () {}, {
	get: (t, key) => (key === Symbol.toPrimitive ? () => '' : page),
	apply: () => page,
	construct: () => page,
	set: () => true,
})
const nothing = () => {}

Object.assign(globalThis, {
	window: globalThis,
	document: page,
	location: { hash: '', href: '', protocol: 'file:', search: '' },
	localStorage: { getItem: () => null, setItem: nothing },
	addEventListener: nothing,
	matchMedia: () => ({ matches: false, addEventListener: nothing }),
	requestAnimationFrame: nothing,
	devicePixelRatio: 1,
})

// The bundle ends where it would draw; there it hands out the importer.
let text = fs.readFileSync(process.argv[2], 'utf8')
const importer = text.match(
	/async function ([\w$]+)\([^)]*\)\{return\(await [\w$]+\)\.importProfileGroupFromText/
)[1]
const end = text.lastIndexOf('console.log(`speedscope v')
text = text.slice(0, end) + `globalThis.importer = ${importer}})();`
;(0, eval)(text)

const file = process.argv[3]
console.log = nothing
globalThis
	.importer(file.split('/').pop(), fs.readFileSync(file, 'utf8'))
	.then(group => {
		for (const p of group.profiles)
			process.stdout.write(JSON.stringify([p.getName(),
				p.getTotalWeight(), p.getWeightUnit()]) + '\n')
	})
