// A browser for the tests: pages that count what they must not do, the views
// that <nav> lists, tables as CSV.
import puppeteer from 'puppeteer-core';
import { existsSync } from 'node:fs';

const places = {
	chrome: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
	firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
};

// null: there is none on this machine
export async function start(browser = 'chrome') {
	const executablePath = places[browser].find(existsSync);
	if (!executablePath)
		return null;
	return puppeteer.launch({ browser, executablePath, headless: true,
		args: browser === 'chrome' ? ['--no-sandbox', '--disable-gpu'] : [] });
}

// A page whose faults are kept in page.faults: errors, dialogs, requests that leave
// the file.
export async function open(browser, { width = 1280, mode = 'light' } = {}) {
	const page = await browser.newPage();
	page.faults = [];
	const fault = s => page.faults.push(s);
	page.on('pageerror', e => fault('error: ' + e.message));
	page.on('console', m => ['error', 'warn', 'warning'].includes(m.type()) && fault('console: ' + m.text()));
	page.on('request', r => /^(file|data|blob|about):/.test(r.url()) || fault('request: ' + r.url()));
	page.on('dialog', d => { fault('dialog: ' + d.message()); d.dismiss(); });
	await page.setViewport({ width, height: 900 });
	// puppeteer cannot ask Firefox for this
	if (mode === 'dark' && !(await browser.version()).startsWith('firefox'))
		await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: mode }]);
	// what the page copies, because a headless browser has no clipboard
	await page.evaluateOnNewDocument(() => {
		window.copied = [];
		Object.defineProperty(navigator, 'clipboard', { value:
		    { writeText: async t => { window.copied.push(t); } } });
	});
	return page;
}

// Goes to an address of the file and waits until the view is there.
export async function go(page, file, hash = '') {
	await page.goto('about:blank');
	await page.goto('file://' + file + hash);
	await shown(page);
}

// The view has its name as the heading, at least a sentence, and no failure.
export async function shown(page, name) {
	await page.waitForFunction(name => {
		const main = document.querySelector('main'), at = document.querySelector('nav [aria-current]');
		const head = main.querySelector('h2');
		return at && head && !main.hasAttribute('aria-busy') && head.textContent === at.textContent &&
		    (!name || at.textContent === name);
	}, { timeout: 20000, polling: 20 }, name);
}

export const viewNames = page => page.$$eval('nav a, nav button', all => all.map(e => e.textContent));

// Clicks on a view in <nav>.
export async function click(page, name) {
	await page.evaluate(name => [...document.querySelectorAll('nav a, nav button')].find(e =>
	    e.textContent === name).click(), name);
	await shown(page, name);
}

// The tables of the view that have a command, which can stand below the next table:
// { caption, csv, command }.
export function tables(page) {
	return page.evaluate(async () => {
		const found = [], all = [...document.querySelectorAll('main .table, main .command')];
		for (let i = 0; i + 1 < all.length; i++) {
			const command = all.slice(i).find(e => e.matches('.command'));
			if (!all[i].matches('.table') || !command)
				continue;
			const copy = [...all[i].querySelectorAll('button')].find(b => b.textContent === 'copy as CSV');
			window.copied.length = 0;
			copy.click();
			while (window.copied.length === 0)
				await new Promise(done => setTimeout(done, 1));
			found.push({ caption: all[i].querySelector('caption').textContent, csv: window.copied[0],
				command: command.querySelector('code').textContent });
		}
		return found;
	});
}

export function parseCsv(text) {
	const rows = [[]];
	for (const m of text.matchAll(/("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/g)) {
		rows[rows.length - 1].push(m[1].startsWith('"') ? m[1].slice(1, -1).replaceAll('""', '"') : m[1]);
		if (m[2] === '\n')
			rows.push([]);
		else if (m[2] === '')
			break;
	}
	return rows.filter(r => r.length > 1 || r[0] !== '');
}
