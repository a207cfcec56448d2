// The connection to the app: JSON by fetch, with the key in a header, which an EventSource could not send.
//
// Another process may listen on the port while the app is not running. So the page sends neither key nor code before the server has proved that it
// knows them.

import { eventsIn } from "./events.js";
import { words } from "./language.js";
import { drawn, hex, mac, unsealed } from "./proof.js";

/** The error if the app does not know the page's key, or does not accept it. */
export class KeyRefused extends Error {}

/** The error if the app refuses a request, with its message. */
export class Refused extends Error {}

export class Connection {
    /** Receives a new key, to keep it. */
    onKey = () => {};
    #code = "";
    /** The secret by which the page recognizes the next start of the app. It is never stored, because another process could serve a page that reads it. */
    #renewal = null;
    /** The promise of the server's proof, or null before it and after the connection was lost. */
    #proof = null;

    constructor(key) {
        this.key = key;
    }

    /** Uses another key from now on, or the code of an address, which is exchanged for the key. */
    use({ key = "", code = "" }) {
        [this.key, this.#code, this.#proof] = [key, code, null];
    }

    /** Whether there is anything for the app to accept. */
    get hasKey() {
        return this.key !== "" || this.#code !== "";
    }

    /** Returns what the app says of itself. */
    async hello() {
        const { renewal, ...hello } = await this.get("/api/hello");
        this.#renewal = renewal ?? null;
        return hello;
    }

    get(path, signal) {
        return this.#ask("GET", path, undefined, signal);
    }

    post(path, content = {}) {
        return this.#ask("POST", path, content);
    }

    remove(path) {
        return this.#ask("DELETE", path);
    }

    /** Returns the text at a path. */
    async text(path) {
        return (await this.#response("GET", path)).text();
    }

    /** Yields the app's events until the app or the signal ends them. */
    async *events(signal) {
        try {
            const response = await this.#response("GET", "/api/events", undefined, signal);
            yield* eventsIn(response.body);
        } finally {
            // The next server need not be the app.
            this.#proof = null;
        }
    }

    /** Throws unless the server proves that it knows the key. Takes the key of the app's new start, if the server knows the renewal secret. */
    async #prove() {
        const number = drawn();
        const proofs = await (await this.#fetch("GET", "/api/proof", { "X-Inspector-Number": number })).json();
        const expected = (purpose, secret, more = "") => mac(`${purpose}\n${location.host}\n${number}${more}`, secret);
        const isProved = (purpose, secret) => Boolean(secret) && proofs[purpose] === hex(expected(purpose, secret));
        if (isProved("code", this.#code)) {
            this.#take((await (await this.#fetch("POST", "/api/open", { "X-Inspector-Code": this.#code })).json()).key);
        }
        this.#code = "";
        if (isProved("key", this.key)) return;
        if (!isProved("renewal", this.#renewal)) throw new KeyRefused(words("key.unproved"));
        const key = unsealed(proofs.sealed, expected("pad", this.#renewal, `\n${proofs.number}`));
        if (!isProved("key", key)) throw new KeyRefused(words("key.unproved"));
        this.#take(key);
    }

    #take(key) {
        this.key = key;
        this.onKey(key);
    }

    async #ask(method, path, content, signal) {
        return (await this.#response(method, path, content, signal)).json();
    }

    async #response(method, path, content, signal) {
        await this.#proved();
        const sent = this.key;
        try {
            return await this.#send(method, path, content, signal);
        } catch (error) {
            if (!(error instanceof KeyRefused)) throw error;
            // The app may have started again since its proof, so that it has another key.
            this.#proof = null;
            await this.#proved();
            if (this.key === sent) throw error;
            return this.#send(method, path, content, signal);
        }
    }

    async #proved() {
        this.#proof ??= this.#prove();
        try {
            await this.#proof;
        } catch (error) {
            this.#proof = null;
            throw error;
        }
    }

    async #send(method, path, content, signal) {
        const headers = { "X-Inspector-Key": this.key };
        let body;
        if (content !== undefined) {
            headers["Content-Type"] = "application/json";
            body = JSON.stringify(content);
        }
        return this.#fetch(method, path, headers, body, signal);
    }

    async #fetch(method, path, headers, body, signal) {
        const response = await fetch(path, { method, headers, body, signal, cache: "no-store" }).catch((error) => {
            this.#proof = null;
            throw error;
        });
        if (response.ok) return response;
        const said = await response.json().then((json) => json.error, () => null);
        if (response.status === 401 || response.status === 403) throw new KeyRefused(said ?? words("key.refused"));
        throw new Refused(said ?? words("refused", { status: response.status }));
    }
}
