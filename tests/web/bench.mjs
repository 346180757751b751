// How long the viewer takes in Chromium: a line of TAB-separated figures for each page,
// times in ms, the best of three.
// usage: node bench.mjs PAGE...
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { execFileSync } from 'node:child_process';
import { open, shown, start, viewNames } from './browser.mjs';

// The renderer's resident memory, in MB.
function memory(browser) {
	const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,args=']).toString().split('\n');
	const ours = new Set([browser.process().pid]);
	let most = 0;
	for (let again = 0; again < 4; again++)
		for (const l of lines) {
			const [pid, parent, rss, ...args] = l.trim().split(/\s+/);
			if (!ours.has(Number(parent)))
				continue;
			ours.add(Number(pid));
			if (args.includes('--type=renderer'))
				most = Math.max(most, rss / 1000);
		}
	return most;
}

// From a change of the address until the frame with the view has been made; first: with
// something of it, which is less if it shows a part before it has unpacked the rest; made:
// until the elements of the view stand, without the browser's layout and frame.
function change(page, hash) {
	return page.evaluate(hash => new Promise(done => {
		const main = document.querySelector('main'), t = performance.now(), old = main.firstChild;
		let first = null;
		const frame = f => requestAnimationFrame(() => {
			const behind = new MessageChannel();
			behind.port1.onmessage = f;
			behind.port2.postMessage(null);
		});
		const seen = new MutationObserver(() => {
			if (main.firstChild !== old && first === null)
				frame(() => { first = first ?? performance.now() - t; });
			if (main.hasAttribute('aria-busy'))
				return;
			seen.disconnect();
			const made = performance.now() - t;
			frame(() => done({ made, all: performance.now() - t, first: first ?? performance.now() - t }));
		});
		seen.observe(main, { childList: true, attributes: true });
		location.hash = hash;
	}), hash);
}

// The worst frame while the timeline moves to the right.
function pan(page) {
	return page.evaluate(async () => {
		const canvas = document.querySelector('main canvas');
		canvas.focus();
		let worst = 0;
		for (const key of ['w', 'w', 'd', 'd', 'd', 'a', 'd', 'd']) {
			const t = performance.now();
			canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
			const spent = performance.now() - t;
			await new Promise(done => requestAnimationFrame(done));
			worst = Math.max(worst, spent, performance.now() - t - 17);
		}
		return worst;
	});
}

async function once(browser, file, out) {
	const page = await open(browser), best = (k, v) => { out[k] = Math.min(out[k] ?? Infinity, v); };
	const address = 'file://' + file;
	await page.goto(address);
	await shown(page);
	await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
	best('paint', await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
	best('complete', await page.evaluate(() => performance.now()));
	const hashes = { type: '#v=ops&g=type&i=all', shape: '#v=ops&g=shape&i=all', range: '#v=ops&g=shape&i=1-2' };
	await change(page, '#v=ops&i=all');
	for (const k in hashes) {
		const { all, made } = await change(page, hashes[k]);
		best(k, all);
		best(k + ' made', made);
	}
	let worst = 0;	// the second time code and columns are there
	for (const k in hashes)
		worst = Math.max(worst, (await change(page, hashes[k])).made);
	best('made again', worst);
	for (const name of await viewNames(page)) {
		const v = await page.evaluate(n => new URLSearchParams([...document.querySelectorAll('nav a')]
		    .find(a => a.textContent === n).hash.slice(1)).get('v'), name);
		if (name === 'Ops')
			continue;
		const { all, first } = await change(page, '#v=' + v + '&i=all');
		best(name, all);
		if (name === 'Timeline') {
			best('its GPUs', first);
			best('pan', await pan(page));
		}
		if (name === 'Gaps')
			best('its sums', first);
	}
	out.MB = Math.max(out.MB ?? 0, memory(browser));
	await page.close();
}

let head = null;
for (const file of process.argv.slice(2)) {
	const browser = await start(), out = {};
	for (let i = 0; i < 3; i++)
		await once(browser, file, out);
	await browser.close();
	if (!head) {
		head = Object.keys(out);
		console.log(['page', 'kB', ...head].join('\t'));
	}
	console.log([basename(file), Math.round(statSync(file).size / 1000), ...head.map(k => Math.round(out[k]))].join('\t'));
}
