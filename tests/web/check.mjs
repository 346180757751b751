// Drives a browser over pages of dlp html and prints what is wrong, a line each.
// usage: node check.mjs SUBJECT [-b firefox] PAGE...; exit status 1 if anything is
// wrong, 2 if the browser is missing.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { click, go, open, parseCsv, shown, start, tables, viewNames } from './browser.mjs';

let bad = 0, checked = 0;

function wrong(...words) {
	bad++;
	console.log(...words);
}

function check(ok, ...words) {
	checked++;
	if (!ok)
		wrong(...words);
}

const faults = (page, where) => check(page.faults.length === 0, where, ...page.faults.splice(0));
const mainText = page => page.$eval('main', e => e.innerText);
const active = page => page.evaluate(() => (document.activeElement || document.body).textContent);

// Widths and themes.
const shapes = [[1280, 'light'], [1280, 'dark'], [400, 'light'], [400, 'dark']];
const allViews = ['Overview', 'Steps', 'Ops', 'Kernels', 'Layers', 'Timeline', 'Gaps', 'Memory', 'Roofline', 'Communication', 'Compare', 'About'];

// Every view by a click, with at least a sentence, in a window that it fits into.
async function views(_, file) {
	for (const [width, mode] of shapes) {
		const page = await open(browser, { width, mode });
		await go(page, file);
		const names = await viewNames(page);
		const compared = await page.evaluate(() => JSON.parse(document.getElementById('dlp-meta').textContent).before !== undefined);
		check(names.join() === allViews.filter(n => compared || n !== 'Compare').join(), file, 'views:', names.join());
		for (const name of names) {
			await click(page, name);
			const text = await mainText(page), where = basename(file) + ' ' + name + ' ' + width + ':';
			check(/[A-Z][^.]{20,}\./.test(text.slice(name.length)), where, 'no sentence:', text.slice(0, 200));
			check(!/This view failed|NaN|undefined|\[object/.test(text), where, 'failed:', text.slice(0, 200));
			const wide = await page.evaluate(() => document.documentElement.scrollWidth);
			check(wide <= width, where, 'is ' + wide + ' wide');
			// a column without a value in any row is named below the table
			const empty = await page.$$eval('main .table', all => all.filter(t => t.querySelector('.under button:last-of-type').hidden).flatMap(t =>
			    [...t.querySelectorAll('thead th')].slice(1).filter((h, i) => [...t.querySelectorAll('tbody tr')].every(r => r.cells[i + 1].textContent === '-') && t.querySelector('tbody tr'))
				.map(h => t.querySelector('caption').textContent + ': ' + h.textContent)));
			check(empty.length === 0, where, 'unknown columns:', empty.join('; '));
			faults(page, where);
		}
		await page.close();
	}
}

// The output of a command that the page shows, as CSV. Commands run beside the
// browser, one after the other.
let last = Promise.resolve();

function output(command) {
	// awk behind it reads TABs
	const tabs = command.includes(' | awk '), words = command.replace(/^\$ (dlp (?:[a-z]+ )?)/, tabs ? '$1--tsv ' : '$1--csv ');
	const csv = s => tabs ? s.replace(/"/g, '""').replace(/[^\t\n]+/g, '"$&"').replace(/\t/g, ',') : s;
	last = last.then(() => promisify(execFile)('bash', ['-c', words], { maxBuffer: 1 << 28 })
	    .then(r => csv(r.stdout), e => csv(e.stdout)));
	return last;
}

// A number as the report prints it: with its decimals.
const whole = v => /^-?\d+$/.test(v);
const decimals = v => (/^-?\d+\.(\d+)(e|$)/.exec(v) || ['', ''])[1].length;
const isFraction = v => /^-?\d+\.\d+$/.test(v);

// The rows of both sides in the columns that both have. Those that a report rounds
// are compared last, as it rounds them.
function differences(a, b) {
	const names = a[0].filter(n => b[0].includes(n));
	if (names.length === 0)
		return 'no column in common: ' + a[0] + ' / ' + b[0];
	if (a.length !== b.length)
		return a.length - 1 + ' rows, not ' + (b.length - 1);
	const rounded = names.filter(n => b.slice(1).some(r => isFraction(r[b[0].indexOf(n)])));
	const exact = names.filter(n => !rounded.includes(n));
	const sides = [a, b].map(t => t.slice(1).map(r => ({ key: exact.map(n => r[t[0].indexOf(n)]).join('|'),
		near: rounded.map(n => r[t[0].indexOf(n)]) })));
	for (const s of sides)
		s.sort((x, y) => x.key < y.key ? -1 : x.key > y.key ? 1 : x.near[0] - y.near[0]);
	for (let i = 0; i < sides[0].length; i++) {
		const [x, y] = sides.map(s => s[i]);
		if (x.key !== y.key)
			return exact + ': ' + x.key + ', not ' + y.key;
		for (const k in rounded) {
			const u = x.near[k], v = y.near[k];
			// a report can round what it has rounded before
			if (u !== v && !(Math.abs(u - v) <= 1.0000001 * 10 ** -decimals(v)))
				return rounded[k] + ' of ' + x.key + ': ' + u + ', not ' + v;
		}
	}
	return null;
}

// Tables that show some rows of the report.
const fewer = /^Communication by operation|^The ten ops |^Changes by |^Totals of a step/;

// The tables of a view against the commands under them.
async function equalHere(page, where, seen) {
	for (const t of await tables(page)) {
		const id = t.caption + t.command;
		// the command has the rules of all ranks; of a .dict none prints them
		if (seen.has(id) || (t.caption === 'Rules' && (t.command.includes(' --ranks ') || !t.command.includes(' advise '))))
			continue;
		seen.set(id, output(t.command).then(csv => {
			const a = parseCsv(t.csv);
			let b = parseCsv(csv);
			if (fewer.test(t.caption)) {
				const by = ['sum_dur_ns', 'a_ns'].find(n => b[0].includes(n)), of = (t, r) => r[t[0].indexOf(by)];
				const has = a.map(r => of(a, r)), head = b[0];
				b = b.filter(r => r === head || (has.includes(of(b, r)) && ['step', 'busy', 'idle', 'work', 'tc'].includes(r[0]) === t.caption.startsWith('Totals')));
				head[head.indexOf('dur_pct')] = 'of all work';
			}
			const what = csv.trim() === '' ? 'the command prints nothing' : differences(a, b);
			check(what === null, where, t.caption, t.command + ':', what);
		}));
	}
}

// A filter is in the command, too.
const filters = ['ops&f=conv', 'ops&f=dir%3Dbprop+o+>2us', 'ops&i=all&g=type&f=tc%3Dno+>1us', 'ops&g=shape&f=a', 'kernels&f=e+>5us',
	'gaps&f=class%3Dlaunch-bound+e+>10us', 'roofline&f=dtype%3Dfp32+>1us', 'roofline&i=all&f=tc%3Dyes+a', "ops&f=it's+\"a"];

async function equal(page, file, ranges = ['', '&i=all', '&i=1-1'], least = 8) {
	const seen = new Map();
	await go(page, file);
	// the profile before, or another rank, on its own clock
	const other = await page.$('#strip select') ? ['&s=1&i=all'] : [];
	for (const range of [...ranges, ...other]) {
		await go(page, file, '#' + range);
		for (const name of (await viewNames(page))) {
			await click(page, name);
			const where = basename(file) + ' ' + name + ' ' + range;
			const choices = await page.$$eval('main select option', all => all.map(o => o.value));
			await equalHere(page, where, seen);
			for (const c of choices) {
				await page.select('main select', c);
				await page.waitForFunction(c => document.querySelector('main select').value === c &&
				    !document.querySelector('main').hasAttribute('aria-busy'), {}, c);
				await shown(page, name);
				await equalHere(page, where + ' by ' + c, seen);
			}
			faults(page, where);
		}
	}
	for (const hash of filters) {
		await go(page, file, '#v=' + hash);
		await equalHere(page, basename(file) + ' ' + hash, seen);
		faults(page, hash);
	}
	await Promise.all(seen.values());
	check(seen.size >= least, file, 'only', seen.size, 'tables were compared');
}

// A page that was made with a key: the commands name it. Of its whole profile phases,
// gaps and the path count what is in no step, too, as no report with a key does.
const keyed = (page, file) => equal(page, file, ['', '&i=1-1']);

// Of a snapshot of memory: what is reserved, what held the peak, what grew.
const snapshot = (page, file) => equal(page, file, [''], 3);

// A page that was made of steps 1 and 2: so is what it calls the whole profile.
async function made(page, file) {
	for (const view of ['overview', 'steps', 'ops', 'kernels', 'layers', 'gaps', 'roofline']) {
		await go(page, file, '#v=' + view + '&i=all');
		for (const t of await tables(page))
			check(t.command.includes(' -i 1-2 '), view, t.caption, t.command);
	}
}

// A file with rows that cannot be read, and one without work.
async function unread(page, file) {
	await go(page, file);
	const said = await page.$$eval('header .bad', all => all.map(e => e.textContent));
	check(said.some(s => s.startsWith('208 rows of the file cannot be read')), file, said);
}

// A .dict without times: no view shows one, and the commands take a .dict.
async function dict(page, file) {
	await go(page, file);
	check(await page.$eval('header .bad', e => /durations of kernels, and no times/.test(e.textContent)), file, 'does not say that it has no times');
	const tile = await page.$eval('.tile', e => e.innerText);
	check(/GPU busy\s+-$/.test(tile), 'the first tile is', tile);
	for (const view of ['Steps', 'Timeline', 'Gaps']) {
		await click(page, view);
		const text = await page.$eval('main', e => e.innerText);
		check(/has durations of kernels, and no times/.test(text) && await page.$('main table, main canvas, main .command') === null, view, 'shows', text);
	}
	await equal(page, file, ['']);
}

// Most of the GPU time is graphs without their kernels.
async function graphs(page, file) {
	await go(page, file, '#v=overview');
	const tiles = await page.$$eval('.tile', all => all.map(e => e.textContent));
	check(tiles.includes('Tensor Cores, of kernels-unknown of graphs recorded as a whole'), file, tiles);
}

async function axe(_, file) {
	const source = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
	for (const [width, mode] of shapes) {
		const page = await open(browser, { width, mode });
		await page.setBypassCSP(true);
		await go(page, file);
		await page.evaluate(source);
		for (const name of await viewNames(page)) {
			await click(page, name);
			const found = await page.evaluate(() => window.axe.run());
			for (const v of found.violations)
				wrong(basename(file), name, mode, v.id, v.nodes.map(n => n.html.slice(0, 120)).join(' '));
			check(found.passes.length > 5, file, name, 'axe judged nothing');
			faults(page, basename(file) + ' ' + name + ' ' + mode + ':');
		}
		await page.close();
	}
}

// Names that are markup and scripts: they stand there as text, and do nothing.
async function hostile(page, file) {
	await go(page, file);
	let all = '';
	for (const name of await viewNames(page)) {
		await click(page, name);
		all += await mainText(page);
		check(!await page.$('main img, main script, main b'), name, 'has elements of a name');
	}
	for (const s of ['</script><img src=x onerror=alert(1)>', '<b>bold</b>'])
		check(all.includes(s), 'is not shown:', s);
	check((await page.title()) === '<script>alert(2)</script>', 'title:', await page.title());
}

// An address restores what it was copied from, in a new tab; the way back works.
async function links(page, file) {
	const other = await open(browser);
	await go(page, file, '#i=1-1');
	const all = [];
	for (const name of await viewNames(page)) {
		await click(page, name);
		const choices = await page.$$eval('main select option', all => all.map(o => o.value));
		for (const c of choices.length > 0 ? choices.slice(1, 3) : [null]) {
			if (c) {
				await page.select('main select', c);
				await page.waitForFunction(c => document.querySelector('main select').value === c, {}, c);
				await shown(page, name);
			}
			const hash = await page.evaluate(() => location.hash), text = await page.$eval('body', e => e.innerText);
			await go(other, file, hash);
			await shown(other, name);
			check(await other.$eval('body', e => e.innerText) === text, name, hash, 'is another page');
			all.push(name);
		}
	}
	await page.evaluate(() => history.back());
	await shown(page, all[all.length - 2]);
	faults(other, 'links');
}

// The element that has the focus is pressed.
async function keys(page, file) {
	const press = k => page.keyboard.press(k);
	await go(page, file, '#i=0-0');
	await page.evaluate(() => document.activeElement.blur());
	await press('Tab');
	check(/Skip/.test(await active(page)), 'the first Tab goes to', await active(page));
	const names = await viewNames(page);
	for (const name of names) {
		await press('Tab');
		check(await active(page) === name, 'Tab goes to', await active(page), 'not to', name);
	}
	await press('Enter');
	await shown(page, names[names.length - 1]);
	check(await active(page) === names[names.length - 1], 'the focus leaves <nav> for', await active(page));
	await press('[');
	await shown(page, names[names.length - 2]);
	await press(']');
	await shown(page, names[names.length - 1]);
	await click(page, 'Ops');
	await press('/');
	check(await page.evaluate(() => document.activeElement.matches('input[type=search]')), '/ is no way to the filter');
	await page.keyboard.type('nosuchop');
	await press('Enter');
	await page.waitForFunction(() => location.hash.includes('f=nosuchop'));
	await shown(page, 'Ops');
	check(/\b0 rows/.test(await mainText(page)), 'the filter leaves rows');
	await go(page, file, '#v=ops&i=0-0');
	await page.focus('#strip canvas');
	await press('ArrowRight');
	await page.waitForFunction(() => location.hash.includes('i=1-1') && document.querySelector('#strip input').value === '1');
	await page.keyboard.down('Shift');
	await press('ArrowRight');
	await page.keyboard.up('Shift');
	await page.waitForFunction(() => location.hash.includes('i=1-2'));
	await shown(page, 'Ops');
	check(await page.evaluate(() => document.activeElement.matches('canvas')), 'the focus leaves the strip');
	await page.focus('main th button');
	await press('Enter');
	check(await page.$('main th:first-child[aria-sort]') !== null, 'Enter sorts nothing');
	check(await page.evaluate(() => document.activeElement.matches('th:first-child button')), 'the focus leaves the heading');
	await page.focus('main select');
	await press('ArrowDown');
	await page.waitForFunction(() => location.hash.includes('g=type'));
	await shown(page, 'Ops');
	check(await page.evaluate(() => document.activeElement.matches('select')), 'the focus leaves the choice');
	await page.focus('main td button');
	await press('Enter');
	await page.waitForFunction(() => location.hash.includes('r='));
	await shown(page, 'Ops');
	check(await page.$('#detail') !== null, 'Enter opens no row');
}

// The link of each finding leads to a view that shows what it is about.
async function findings(page, file) {
	await go(page, file, '#v=overview');
	for (const hash of await page.$$eval('.findings a', all => all.map(a => a.hash))) {
		await go(page, file, hash);
		// the table after the filter
		const shows = await page.evaluate(() => {
			const all = [...document.querySelectorAll('main #filter, main .table')];
			return all[all.findIndex(e => e.id === 'filter') + 1].querySelector('tbody td') !== null;
		});
		check(shows, basename(file), hash, 'shows nothing');
	}
}

// A page with the rows of step 1 only: each view with details says so, and shows none
// of other steps.
async function cut(page, file) {
	for (const range of ['0-0', '1-1', '0-3', 'all']) {
		await go(page, file, '#v=overview&i=' + range);
		for (const name of await viewNames(page)) {
			await click(page, name);
			const where = basename(file) + ' ' + name + ' ' + range + ':', text = await mainText(page);
			const whole = ['Steps', 'Memory', 'About', 'Compare'].includes(name), sums = ['Ops', 'Kernels'].includes(name) && range === 'all';
			const drawn = range === '1-1' || whole || sums || name === 'Overview';
			check(name === 'About' || text.includes('details of step 1 only') === !whole, where, 'details of which steps?');
			check(whole || text.includes('-i ' + (range === '0-0' ? '0 ' : range === '0-3' ? '0-3 ' : 'N-M ')), where, 'no command for other steps');
			check(text.includes('none of what is chosen') === (range !== '1-1' && !whole && !sums), where, 'says of the chosen steps', text.slice(0, 400));
			check(drawn || await page.$('main .table, main canvas') === null, where, 'shows a table');
			faults(page, where);
		}
	}
}

// The critical path covers the steps that are shown, so its lane, the second, has no blank.
async function lanes(page, file) {
	await go(page, file, '#v=timeline');
	const full = await page.$eval('main canvas', c => {
		const dot = c.width / c.clientWidth, from = Math.ceil(210 * dot), wide = c.width - from - 1;
		const d = c.getContext('2d').getImageData(from, Math.round((22 + 17 + 14) * dot), wide, 1).data;
		const back = getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map(Number);
		let n = 0;
		for (let i = 0; i < d.length; i += 4)
			n += d[i + 3] > 0 && back.some((v, k) => Math.abs(v - d[i + k]) > 4);
		return n / wide;
	});
	check(full > 0.9, basename(file), 'the critical path fills', full, 'of its lane');
}

// A page that was cut off, changed or saved while it was open says so.
async function broken(_, file) {
	const whole = readFileSync(file, 'utf8'), at = whole.indexOf('id="dlp-code">') + 2000, to = file + '.broken.html';
	const texts = async (text, hash = '') => {
		writeFileSync(to, text);
		const page = await open(browser);
		await page.goto('file://' + to + hash);
		await new Promise(done => setTimeout(done, 500));
		const said = await page.$eval('main', e => e.innerText) + ' ' + await page.$$eval('.bad', all => all.map(e => e.innerText).join(' '));
		await page.close();
		return said;
	};
	const says = (text, want, where) => check(want.test(text), basename(file), where, 'says', text.slice(-300));
	says(await texts(whole.slice(0, at)), /the file was\scut off/, 'without its code');
	says(await texts(whole.slice(0, at) + '!!' + whole.slice(at + 2)), /cannot be unpacked: it was cut off or changed/, 'with changed code');
	says(await texts(whole.slice(0, whole.lastIndexOf('class="dlp-col"') - 200)), /not complete: \d+ of \d+ columns of data are missing/, 'without its last columns');
	says(await texts(whole.slice(0, whole.lastIndexOf('<i id=')), '#v=ops'), /not complete\. It was cut off/, 'without its last letters');
	says(await texts(whole.replace(/<script[^>]*data-c="work.dur_ns">[^<]*<\/script>/, ''), '#v=ops'), /has no column work.dur_ns/, 'without a column');
	const old = await open(browser);
	await old.evaluateOnNewDocument(() => { delete window.DecompressionStream; });
	await old.goto('file://' + file);
	await new Promise(done => setTimeout(done, 300));
	says(await mainText(old), /This browser is too old/, 'in an old browser');
	await old.close();
	// as "Save page as" writes it: complete, it works as before
	const page = await open(browser), copy = await open(browser);
	await go(page, file, '#v=ops');
	const text = await page.$eval('body', e => e.innerText);
	writeFileSync(to, await page.content());
	await go(copy, to, '#v=ops');
	check(await copy.$eval('body', e => e.innerText) === text, basename(file), 'the saved copy is another page');
	await click(copy, 'Kernels');
	check(await copy.$('header .bad') === null, 'the saved copy says that it is not complete');
	// the browser writes the styles of elements into the copy, and the page's policy refuses them
	check(!copy.faults.some(f => f.startsWith('error:')), basename(file), 'saved:', ...copy.faults);
	await copy.close();
	await page.close();
}

// Another rank is shown with the same steps; a range of the address has steps that there are.
async function range(page, file) {
	const sentence = () => page.$eval('#strip .bar', e => e.innerText);
	await go(page, file, '#v=gaps');
	check(/Steps 1 to 2 of 3/.test(await sentence()), 'begins with', await sentence());
	await page.select('#strip select', '1');
	await page.waitForFunction(() => location.hash.includes('s=1'));
	await shown(page, 'Gaps');
	check(/Steps 1 to 2 of 3/.test(await sentence()), 'another rank has', await sentence());
	for (const [i, want] of [['2-1', 'Steps 1 to 2'], ['1-99', 'Steps 1 to 2'], ['7-9', 'Steps 1 to 2'], ['2-0', 'Steps 0 to 2']]) {
		await go(page, file, '#v=gaps&i=' + i);
		check((await sentence()).includes(want + ' of 3'), i, 'gives', await sentence());
		const said = await page.$eval('main', e => /asks for steps 7-9, which the profile does not have: this is steps 1 to 2\./.test(e.textContent));
		check(said === (i === '7-9'), i, said ? 'is said not to be there' : 'is not said not to be there');
	}
	// a first step behind the last one
	await go(page, file, '#v=gaps&i=0-1');
	await page.$eval('#strip input', e => { e.value = '2'; e.dispatchEvent(new Event('change')); });
	await page.waitForFunction(() => location.hash.includes('i=2-2'));
	await shown(page, 'Gaps');
	check(/Step 2 of 3/.test(await sentence()) && await page.$('main tbody td') !== null, 'from 2 gives', await sentence());
	await go(page, file, '#v=overview');
	const text = await page.$eval('.findings', e => e.textContent);
	check(/7.83 ms of the 8.31 ms are waiting for rank 1/.test(text) && /rank_wait/.test(text), 'the finding is', text);
}

// Paper: pictures are drawn for its width and in light colors, and folded text is open;
// afterwards all is as it was.
async function print(page, file) {
	const dark = () => page.evaluate(() => getComputedStyle(document.body).color);
	// text: how many pixels have the color of text on white
	const look = () => page.evaluate(() => [...document.querySelectorAll('canvas')].map(c => {
		const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		let text = 0;
		for (let i = 0; i < d.length; i += 4)
			text += d[i + 3] === 255 && d[i] === 0x1b && d[i + 1] === 0x1f && d[i + 2] === 0x24;
		return { wide: c.width, shown: c.clientWidth, text };
	}).concat({ open: document.querySelectorAll('details[open]').length }));
	await go(page, file, '#v=overview');
	check(await page.$('details:not([open])') !== null, 'nothing is folded');
	for (const name of ['Overview', 'Layers', 'Timeline', 'Memory', 'Roofline']) {
		await click(page, name);
		const before = await look(), color = await dark();
		await page.evaluate(() => window.addEventListener('beforeprint', () => {
			window.onPaper = [...document.querySelectorAll('canvas')].map(c => c.width).concat(document.querySelectorAll('details:not([open])').length);
		}, { once: true }));
		await page.pdf();
		const wide = await page.evaluate(() => window.onPaper || []);
		check(wide.length === before.length && wide.slice(0, -1).every(w => w === 2100) && wide[wide.length - 1] === 0, name, 'prints', wide.join());
		check(before.length > 1 && JSON.stringify(await look()) === JSON.stringify(before), name, 'is another one after printing');
		await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
		check((await look()).every(c => c.text === undefined || c.text > 20) && before.every(c => !c.text), name, 'has no dark text on paper');
		check(await dark() === 'rgb(27, 31, 36)' && color !== 'rgb(27, 31, 36)', name, 'is', color, 'and on paper', await dark());
		await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
	}
	await page.emulateMediaType('print');
	check(await dark() === 'rgb(27, 31, 36)', 'print has the color', await dark());
	page.faults = page.faults.filter(f => !f.includes('getImageData'));	// the test reads pictures
}

// A time of the profile's clock counts from its step, which begins where dlp-iter cuts.
async function clock(page, file) {
	const { stdout } = await promisify(execFile)('bash', ['-c', 'dlp-parse "$1" | dlp-correlate | dlp-iter --cuts | dlp-fmt --csv -T cut -c iter,start_ns',
		'-', file.replace(/\.html$/, '')], { maxBuffer: 1 << 28 });
	const start = new Map(parseCsv(stdout).slice(1).map(r => [r[0], Number(r[1])]));
	const seconds = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
	const right = (said, exact, where) => {
		const m = /step (\d+) \+ ([\d.]+) (ns|us|ms|s)$/.exec(said), want = m && parseInt(exact) - start.get(m[1]);
		check(m && Math.abs(m[2] * seconds[m[3]] - want) <= seconds[m[3]] / 10, basename(file), where, said, exact);
	};
	for (const [hash, caption] of [['ops', 'Runs of '], ['gaps', 'Gaps']]) {
		await go(page, file, '#v=' + hash);
		if (hash === 'ops') {
			await page.click('main td button');
			await page.waitForFunction(() => document.querySelector('#detail'));
			await shown(page, 'Ops');
		}
		const cells = await page.$$eval('main table', (all, caption) => {
			const t = all.find(t => t.caption.textContent.startsWith(caption)), at = [...t.tHead.rows[0].cells].findIndex(c => c.textContent.startsWith('start'));
			return [...t.tBodies[0].rows].slice(0, 20).map(r => [r.cells[at].textContent, r.cells[at].title]);
		}, caption);
		check(cells.length > 2, caption, 'has', cells.length, 'rows');
		for (const [said, exact] of cells)
			right(said, exact, caption);
	}
	await page.click('main tbody td button');
	await shown(page, 'Gaps');
	await page.evaluate(() => [...document.querySelectorAll('main table')].find(t => t.caption.textContent === 'Gaps').querySelector('td button').click());
	await shown(page, 'Timeline');
	await page.waitForFunction(() => document.querySelectorAll('.facts dd').length > 2);
	const [said, exact] = await page.$$eval('.facts div', all => {
		const dd = all.find(e => e.firstChild.textContent === 'start').lastChild;
		return [dd.textContent, dd.title];
	});
	right(said, exact, 'Timeline');
}

// One picture for the memory of a device, with the peak of each kind as dlp mem has it.
async function memory(page, file) {
	const [head, ...peaks] = parseCsv(await output('$ dlp mem ' + file.replace(/\.html$/, '')));
	await go(page, file, '#v=memory&i=all');
	const said = await page.$$eval('main .key', all => all.map(e => e.textContent)), devs = new Set(peaks.map(r => r[head.indexOf('dev')]));
	check((await page.$$('main canvas')).length === devs.size, file, 'has pictures for', [...devs].join());
	for (const r of peaks) {
		const m = new RegExp('^' + r[head.indexOf('space')] + ' memory: at most ([\\d.]+) ([kMG]?)B').exec(said.find(s => s.startsWith(r[head.indexOf('space')])) || '');
		const size = { '': 1, k: 1e3, M: 1e6, G: 1e9 }, want = Number(r[head.indexOf('peak_bytes')]);
		check(m && Math.abs(m[1] * size[m[2]] - want) <= 0.01 * want, file, 'says', said.join('; '), 'of', want);
	}
}

const wait = ms => new Promise(done => setTimeout(done, ms));

// One header of at most 96 pixels; views without data are grey and say why; the key ? opens
// the sheet of keys wherever the focus is.
async function screen(page, file) {
	await go(page, file);
	const [n, tall] = await page.$$eval('header', all => [all.length, all[0].offsetHeight]);
	check(n === 1 && tall <= 96, file, n, 'headers,', tall, 'pixels high');
	check(await page.$('header #strip') !== null && await page.$('header nav') !== null, file, 'has the strip or the views elsewhere');
	for (const name of await viewNames(page)) {
		await click(page, name);
		const at = await page.$eval('nav [aria-current]', a => [a.getAttribute('aria-disabled'), a.title]);
		const shows = await page.$('main .table tbody td, main canvas, main svg') !== null;
		check(at[0] === 'true' ? /: ./.test(at[1]) : at[1] === '' && shows, basename(file), name, 'is', at.join(), shows ? 'and shows something' : 'and shows nothing');
		await page.evaluate(() => document.activeElement.blur());
		await page.keyboard.type('?');
		check(await page.$('dialog[open]') !== null, name, '? opens no dialog');
		await page.keyboard.press('Escape');
		check(await page.$('dialog[open]') === null, name, 'Escape closes no dialog');
	}
	// titles of findings, and what a step would take
	await click(page, 'Overview');
	const found = await page.evaluate(() => {
		const d = JSON.parse(document.getElementById('dlp-meta').textContent), f = d.finding, shown = d.before ? d.file : (d.rank.src || [])[0], list = [];
		for (let i = 0; i < f.rows; i++)
			list.push({ yes: f.judged[i] === 'yes' && (!f.src || f.src[i] === shown), share: f.share_pct && f.share_pct[i] !== null, step: f.step_ns && f.step_ns[i], fixed: f.predicted_step_ns && f.predicted_step_ns[i] });
		return { list: list.filter(x => x.yes), titles: [...document.querySelectorAll('.findings h3')].map(e => [e.firstChild.textContent, e.lastChild.textContent]) };
	});
	check(found.titles.length === found.list.length, file, found.titles.length, 'findings of', found.list.length);
	for (const [title, gain] of found.titles) {
		check(title.split(/\s+/).length <= 8, file, 'the title is long:', title);
		check(/^$|^[\d.]+ -> [\d.]+ ms( at best)?$/.test(gain), file, title, 'gains', gain);
	}
	check(found.titles.filter(t => t[1] === '').length === found.list.filter(x => !x.share).length, file, 'says no gain of', found.titles.filter(t => t[1] === '').map(t => t[0]).join());
	const near = (text, v) => Math.abs(text * 1e6 - v) <= 0.006 * v;
	for (const f of found.list.filter(x => x.fixed > 0 && x.fixed < x.step))
		check(found.titles.some(t => { const m = /^([\d.]+) -> ([\d.]+) ms$/.exec(t[1]); return m && near(m[1], f.step) && near(m[2], f.fixed); }), file, 'no finding says', f.step, '->', f.fixed);
}

const fact = (page, name) => page.$$eval('.facts div', (all, name) => all.filter(e => e.firstChild.textContent === name).map(e => e.lastChild.textContent)[0], name);
const inNs = text => { const m = /^([\d.]+) (ns|us|ms|s)/.exec(text || '') || [0, NaN, 'ns']; return m[1] * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[m[2]]; };

// The timeline by pointer and keys: a tooltip, ranges and their sums, pan and zoom that stop
// at the data, a search, the same op on both sides.
async function timeline(page, file) {
	const press = k => page.keyboard.press(k), view = async () => { await wait(600); return (/w=(-?\d+)-(\d+)/.exec(await page.evaluate(() => location.hash)) || []).slice(1).map(Number); };
	await page.setViewport({ width: 1280, height: 800 });
	await go(page, file, '#v=timeline');
	await page.waitForFunction(() => document.querySelectorAll('.facts div').length > 1);
	const lane = await page.$$eval('.names li', all => all.findIndex(e => /GPU \d+ stream/.test(e.textContent)));
	const box = await (await page.$('main canvas')).boundingBox(), y = box.y + 22 + 17 * lane + 8;
	let name = '';
	for (let x = box.x + 300; name === '' && x < box.x + box.width; x += 7) {
		await page.mouse.move(x, y);
		await wait(60);
		name = await page.$eval('[role=tooltip]', e => e.hidden ? '' : e.innerText);
		if (/launched/.test(name))
			await page.mouse.click(x, y);
		else
			name = '';
	}
	check(/^\S.*\n[\d.]+ (ns|us|ms)\n(step \d+ \+ )?[\d.]+ [num]?s\n[^]*launched .* before it starts\nstream \d+/.test(name), file, 'the tooltip says', name);
	await page.waitForFunction(() => [...document.querySelectorAll('.facts dt')].some(e => e.textContent === 'kernel'));
	const [dock, low] = await page.$eval('.dock', e => [e.getBoundingClientRect().bottom, window.innerHeight]);
	check(dock <= low + 1, file, 'what is chosen ends at', dock, 'of', low);
	// keys work with the focus anywhere
	await page.evaluate(() => document.activeElement.blur());
	await press('0');
	const all = await view();
	for (const k of ['a', 'd', 'd', 's'])
		await press(k);
	check((await view()).join() === all.join(), file, 'moves beyond the data');
	await press('w');
	let now = await view();
	check(now[1] - now[0] < 0.7 * (all[1] - all[0]), file, 'w does not zoom');
	for (let i = 0; i < 30; i++)
		await press('a');
	check((await view())[0] === all[0], file, 'a ends at', (await view())[0], 'not', all[0]);
	await press('f');
	now = await view();
	check(now[1] - now[0] < (all[1] - all[0]) / 2, file, 'f does not fit');
	await press('0');
	await page.mouse.move(box.x + 500, y);
	await page.mouse.wheel({ deltaY: -400 });
	now = await view();
	check(now[1] - now[0] < 0.9 * (all[1] - all[0]) && now[0] > all[0], file, 'the wheel does not zoom');
	// a range by dragging, which does not move; Shift moves
	await page.mouse.move(box.x + 400, y);
	await page.mouse.down();
	await page.mouse.move(box.x + 700, y, { steps: 3 });
	await page.mouse.up();
	await page.waitForFunction(() => document.querySelector('.facts dt').textContent === 'range');
	check((await view()).join() === now.join(), file, 'dragging moves');
	check(Math.abs(inNs(await fact(page, 'range')) - 300 * (now[1] - now[0]) / (box.width - 205)) < 0.03 * (now[1] - now[0]), file, 'the range is', await fact(page, 'range'));
	await press('Escape');
	await page.waitForFunction(() => document.querySelector('.facts dt').textContent !== 'range');
	await page.keyboard.down('Shift');
	await page.mouse.move(box.x + 500, y);
	await page.mouse.down();
	await page.mouse.move(box.x + 470, y, { steps: 3 });
	await page.mouse.up();
	await page.keyboard.up('Shift');
	check((await view())[0] > now[0], file, 'Shift and dragging do not move');
	// a search: all hits are counted, the next one is another
	await press('/');
	await page.keyboard.type('memcpy');
	await press('Enter');
	await page.waitForFunction(() => /^1?\d* of \d|nothing/.test(document.querySelector('.bar > span.quiet').textContent));
	const hits = () => page.$eval('.bar > span.quiet', e => e.textContent), first = await hits();
	await press('Enter');
	await wait(200);
	check(/ of 1$|nothing/.test(first) || (await hits()) !== first, file, 'the search stays at', first);
}

// The sums of a range that is a step equal the reports of this step.
async function sums(page, file) {
	const of = file.replace(/\.html$/, '');
	await go(page, file, '#v=timeline&i=1-1');
	await page.waitForFunction(() => document.querySelectorAll('.facts div').length > 1);
	await page.focus('main canvas');
	await page.keyboard.press('n');
	await page.waitForFunction(() => document.querySelector('.facts dt').textContent === 'steps');
	if (await fact(page, 'steps') === '0')
		await page.keyboard.press('n');
	await page.waitForFunction(() => [...document.querySelectorAll('.facts dd')][0].textContent === '1');
	await page.keyboard.press('m');
	await page.waitForFunction(() => document.querySelector('.facts dt').textContent === 'range');
	const [head, row] = parseCsv(await output('$ dlp iters -i 1 ' + of)), n = c => Number(row[head.indexOf(c)]), [gh, ...gaps] = parseCsv(await output('$ dlp gaps -s -i 1 ' + of));
	const said = (what, got, want) => check(Math.abs(got - want) <= 0.006 * want + 50, basename(file), what, got, 'not', want);
	said('range', inNs(await fact(page, 'range')), n('step_ns'));
	said('busy', inNs(await fact(page, 'GPU 0 busy')), n('step_ns') - n('idle_ns'));
	const idle = await page.$$eval('.facts div', all => all.filter(e => e.firstChild.textContent.startsWith('idle')).map(e => e.lastChild.textContent));
	check(idle.length === gaps.length, file, idle.join(), 'not', gaps.length, 'classes of idle time');
	for (const [i, g] of gaps.entries())
		said(g[gh.indexOf('class')], inNs(idle[i]), Number(g[gh.indexOf('sum_dur_ns')]));
}

// Ranks stand in one timeline, each lane with its rank's name; Overview says who waits.
async function together(page, file) {
	await go(page, file);
	const first = await page.$eval('main h2 + p', e => [e.textContent, [...e.querySelectorAll('a')].some(a => a.hash.includes('v=timeline'))]);
	check(/^Rank 0 waits 3\.91 ms a step for rank 1\./.test(first[0]) && first[1], file, 'begins with', first[0]);
	await click(page, 'Timeline');
	const names = await page.$$eval('.names li', all => all.map(e => e.textContent));
	for (const rank of ['rank 0 ', 'rank 1 '])
		check(names.filter(n => n.startsWith(rank)).length > 8, file, names.join());
	check(names.every(n => /^rank [01] /.test(n)) && names.findIndex(n => /rank 1 GPU/.test(n)) < names.findIndex(n => /ranges/.test(n)), file, names.join());
}

// How much of a lane's height has a color, at some places; before and after all lanes are there.
async function large(page, file) {
	const names = () => page.$$eval('.names li', all => all.map(e => e.textContent));
	const fullAt = () => page.$eval('main canvas', (c, n) => [0.1, 0.4, 0.9].map(at => {
		const dot = c.width / c.clientWidth, x = Math.round((205 + at * (c.clientWidth - 205)) * dot), d = c.getContext('2d').getImageData(x, Math.round((22 + 17 * n) * dot), 1, Math.round(15 * dot)).data;
		let full = 0;
		for (let i = 0; i < d.length; i += 4)
			full += d[i + 3] > 0;
		return full / (d.length / 4);
	}), 0);
	await go(page, file, '#v=timeline');
	check((await names())[0] === 'GPU 0 stream 7', file, 'begins with', await names());
	for (let turn = 0; turn < 2; turn++) {
		const full = await fullAt();
		check(full.every(v => Math.abs(v - 0.5) <= 0.1), file, 'is', full.join(), 'full, not half');
		if (turn === 0)
			await page.waitForFunction(() => document.querySelectorAll('.names li').length === 3);
		await wait(100);
	}
	check((await names())[1].endsWith('ranges, ops'), file, 'has', (await names()).join());
	page.faults = page.faults.filter(f => !f.includes('getImageData'));	// the test reads pictures
}

const subjects = { large, snapshot, screen, timeline, sums, together, keyed, made, unread, dict, graphs, print, clock, memory, broken, range, cut, findings, lanes, views, equal, axe, hostile, links, keys };
const [subject, ...rest] = process.argv.slice(2);
const firefox = rest[0] === '-b' ? rest.splice(0, 2)[1] : 'chrome';
const browser = await start(firefox);
if (!browser) {
	console.log(firefox + ' is missing');
	process.exit(2);
}
try {
	for (const file of rest) {
		const before = checked, page = await open(browser, { mode: subject === 'print' ? 'dark' : 'light' });
		await subjects[subject](page, file);
		check(checked > before, file, subject, 'checked nothing');
		faults(page, basename(file) + ' ' + subject + ':');
		await page.close();
	}
} catch (e) {
	wrong(subject, e.stack);
} finally {
	await browser.close();
}
console.log(checked + ' checked, ' + bad + ' wrong');
process.exit(bad > 0 || checked === 0 ? 1 : 0);
