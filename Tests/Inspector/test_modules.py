"""Tests the page's modules without a user interface, in the browser."""

from case import Case


class ModuleTests(Case):
    def run_module(self, script):
        """Runs an async script with `check(condition, words)`, and returns the failed checks."""
        return self.browser.driver.execute_async_script("""
            const done = arguments[0], failed = [];
            const check = (condition, words) => condition || failed.push(words);
            (async () => { %s })().then(() => done(failed), (error) => done([String(error.stack)]));""" % script)

    def test_differences_give_back_both_texts(self):
        self.assertEqual(
            [],
            self.run_module("""
            const { difference, folded } = await import('/difference.js');
            let seed = 7;
            const random = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
            const text = () => Array.from({ length: random(14) }, () => 'abc'[random(3)]).join('\\n');
            for (let round = 0; round < 2000; round += 1) {
                const [before, after] = [text(), text()], lines = difference(before, after);
                const side = (gone) => lines.filter((line) => line.kind !== gone).map((line) => line.text).join('\\n');
                check(side('added') === before && side('removed') === after, JSON.stringify([before, after]));
            }
            const long = (letter) => Array.from({ length: 5000 }, (_, index) => letter + index).join('\\n');
            check(difference(long('a'), long('b')) === null, 'too different is given up');
            check(difference(long('a'), long('a') + '\\nz').length === 5001, 'long and nearly the same is not');
            check(folded(difference(long('a'), long('a') + '\\nz')).length === 5, 'what is the same is folded');"""),
        )

    def test_proofs_are_those_of_rfc_4231(self):
        self.assertEqual(
            [],
            self.run_module("""
            const { mac, hex, unsealed } = await import('/proof.js');
            const known = [
                ['Hi There', '\\u000b'.repeat(20), 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
                ['what do ya want for nothing?', 'Jefe', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
            ];
            for (const [text, secret, expected] of known) check(hex(mac(text, secret)) === expected, text);
            for (let length = 0; length < 200; length += 1) {
                const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('k'.repeat(length + 1)), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
                const other = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('é'.repeat(length)));
                check(hex(mac('é'.repeat(length), 'k'.repeat(length + 1))) === hex(new Uint8Array(other)), `length ${length}`);
            }
            check(unsealed('0301', [0x62, 0x63]) === 'ab', 'the pad is removed');"""),
        )

    def test_unseen_characters_are_shown_by_their_number(self):
        self.assertEqual(
            [],
            self.run_module("""
            const { unseen, visible } = await import('/unseen.js');
            for (const letter of '\\u0007\\u0085\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028\\u202e\\u2060\\u2066\\ufeff') {
                check(unseen.test(letter) && !visible(`a${letter}b`).includes(letter), letter.codePointAt(0).toString(16));
            }
            for (const letter of ['\\u200c', '\\u200d', 'é', '中', '\\t', '\\n']) check(visible(letter) === letter, letter.codePointAt(0).toString(16));"""),
        )

    def test_json_is_read_as_it_is_written(self):
        self.assertEqual(
            [],
            self.run_module("""
            const { NotJSON, parse, pretty } = await import('/json-document.js');
            const odd = '{"b":1.50,"a":12345678901234567890,"b":"\\\\u4e2d\\\\n","10":[],"e":{}}';
            check(pretty(parse(odd)).replace(/\\s/g, '') === '{"b":1.50,"a":12345678901234567890,"b":"中\\\\n","10":[],"e":{}}', pretty(parse(odd)));
            for (const text of ['', '{', '[1,]', '{"a" 1}', '{"a":1,}', '01', '[1 2]', 'nul', '"a', '{"a":}', ']', '{]', '1 2', '"\\\\x"', '{1:2}', '[}', '"\\n"', '[,1]', '{,}', '1.', '.5', '+1', '-', 'truefalse']) {
                let isRefused = false;
                try { parse(text); } catch (error) { isRefused = error instanceof NotJSON; }
                let isRight = true;
                try { JSON.parse(text); isRight = false; } catch { }
                check(isRefused && isRight, text);
            }
            for (const text of ['0', '-0', '1e5', '" "', '[[],{}]', ' [ 1 , 2 ] ', 'null', '{"a":{"b":[true,false,null]}}']) {
                check(JSON.stringify(JSON.parse(pretty(parse(text)))) === JSON.stringify(JSON.parse(text)), text);
            }
            parse('['.repeat(100000) + ']'.repeat(100000));"""),
        )

    def test_events_are_read_however_they_are_cut(self):
        self.assertEqual(
            [],
            self.run_module("""
            const { eventsIn } = await import('/events.js');
            const bytes = new TextEncoder().encode(': ping\\n\\nevent: calls\\ndata: {"text":\\ndata: "é中"}\\n\\nevent: cleared\\r\\ndata: {}\\r\\n\\r\\n');
            for (let size = 1; size < bytes.length; size += 1) {
                const stream = new ReadableStream({ start(controller) {
                    for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
                    controller.close();
                } });
                const events = [];
                for await (const event of eventsIn(stream)) events.push(event);
                check(JSON.stringify(events) === '[{"name":"calls","data":{"text":"é中"}},{"name":"cleared","data":{}}]', `pieces of ${size}: ${JSON.stringify(events)}`);
            }"""),
        )

    def test_the_store_keeps_the_newest_in_order(self):
        self.assertEqual(
            [],
            self.run_module("""
            const { CallStore } = await import('/store.js');
            const call = (id) => ({ id, method: 'GET', host: 'h', path: '/' + id, state: 'running' });
            const store = new CallStore(), ids = () => store.calls.map((one) => one.id).join();
            store.limit = 5;
            store.add([call(7), call(9)]);
            store.add([call(8)]);
            check(ids() === '7,8,9', ids());
            store.add([call(6), call(5), call(4), call(3), call(7)]);
            check(ids() === '5,6,7,8,9', ids());
            store.add([{ ...call(9), state: 'failed' }]);
            check(store.find(9).state === 'failed' && store.calls[4].state === 'failed', 'replaced');
            store.add([{ ...call(9), state: 'running' }]);
            check(store.find(9).state === 'failed', 'what is over stays over');
            store.pause();
            store.add([call(10), call(10), call(11)]);
            check(ids() === '5,6,7,8,9' && store.waitingCount === 2, 'paused');
            store.resume();
            check(ids() === '7,8,9,10,11' && store.find(5) === undefined, ids());
            store.forgetBefore(10);
            check(ids() === '10,11', ids());"""),
        )

    def test_values_become_words(self):
        self.assertEqual(
            [],
            self.run_module("""
            const { bytes, duration } = await import('/format.js');
            const cases = [[bytes(0), '0 B'], [bytes(999), '999 B'], [bytes(1000), '1.0 kB'], [bytes(999_600), '1.0 MB'], [bytes(12_345_678), '12 MB'], [bytes(null), '–'],
                [duration(0), '0 ms'], [duration(0.123), '0.12 ms'], [duration(9.96), '10.0 ms'], [duration(512.4), '512 ms'], [duration(1234), '1.23 s'], [duration(61_000), '1.0 min'], [duration(null), '–']];
            for (const [found, wanted] of cases) check(found === wanted, `${found}, not ${wanted}`);"""),
        )
