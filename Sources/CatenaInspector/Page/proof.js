// Proofs of a shared secret: an HMAC with SHA-256 (RFC 2104, FIPS 180-4). Browsers have `crypto.subtle` only on pages of this machine or over https.

const blockSize = 64;
/** The first 32 bits of the fractional parts of the cube roots, and of the square roots, of the first primes. */
const [roundConstants, start] = constants();

function constants() {
    const primes = [];
    for (let number = 2; primes.length < 64; number += 1) if (primes.every((prime) => number % prime !== 0)) primes.push(number);
    const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) >>> 0;
    return [primes.map((prime) => fraction(Math.cbrt(prime))), primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))];
}

function sha256(message) {
    const padded = new Uint8Array(Math.ceil((message.length + 9) / blockSize) * blockSize);
    padded.set(message);
    padded[message.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
    view.setUint32(padded.length - 4, message.length << 3);
    const state = Uint32Array.from(start);
    for (let block = 0; block < padded.length; block += blockSize) mix(state, view, block);
    const digest = new DataView(new ArrayBuffer(32));
    state.forEach((word, index) => digest.setUint32(index * 4, word));
    return new Uint8Array(digest.buffer);
}

function mix(state, view, block) {
    const turned = (word, count) => (word >>> count) | (word << (32 - count));
    const words = new Uint32Array(64);
    for (let index = 0; index < 64; index += 1) {
        if (index < 16) {
            words[index] = view.getUint32(block + index * 4);
            continue;
        }
        const [late, early] = [words[index - 2], words[index - 15]];
        const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
        words[index] = words[index - 16] + small + words[index - 7] + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let index = 0; index < 64; index += 1) {
        const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + roundConstants[index] + words[index]) >>> 0;
        const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
        [a, b, c, d, e, f, g, h] = [(one + two) >>> 0, a, b, c, (d + one) >>> 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] += word));
}

/** Returns the bytes of the HMAC of a text. */
export function mac(text, secret) {
    const encoder = new TextEncoder();
    let key = encoder.encode(secret);
    if (key.length > blockSize) key = sha256(key);
    const padded = (byte) => Uint8Array.from({ length: blockSize }, (_, index) => (key[index] ?? 0) ^ byte);
    return sha256(joined(padded(0x5c), sha256(joined(padded(0x36), encoder.encode(text)))));
}

function joined(one, other) {
    const both = new Uint8Array(one.length + other.length);
    both.set(one);
    both.set(other, one.length);
    return both;
}

export function hex(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns a random number of 128 bits in hexadecimal digits. */
export function drawn() {
    return hex(crypto.getRandomValues(new Uint8Array(16)));
}

/** Returns the text that was encrypted with the bytes of a pad, in hexadecimal digits. */
export function unsealed(sealed, pad) {
    const bytes = (sealed.match(/../g) ?? []).map((digits, index) => Number.parseInt(digits, 16) ^ pad[index]);
    return new TextDecoder().decode(Uint8Array.from(bytes));
}
