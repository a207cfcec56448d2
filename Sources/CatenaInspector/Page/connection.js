// The connection to the app: JSON by fetch, with the key in a header, which an EventSource could not send.

import { eventsIn } from "./events.js";
import { words } from "./language.js";

/** The error if the app does not know the page's key. */
export class KeyRefused extends Error {}

/** The error if the app refuses a request, with its message. */
export class Refused extends Error {}

export class Connection {
    constructor(key) {
        this.key = key;
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
        const response = await this.#response("GET", "/api/events", undefined, signal);
        yield* eventsIn(response.body);
    }

    async #ask(method, path, content, signal) {
        return (await this.#response(method, path, content, signal)).json();
    }

    async #response(method, path, content, signal) {
        const headers = { "X-Inspector-Key": this.key };
        let body;
        if (content !== undefined) {
            headers["Content-Type"] = "application/json";
            body = JSON.stringify(content);
        }
        const response = await fetch(path, { method, headers, body, signal, cache: "no-store" });
        if (response.ok) return response;
        const said = await response.json().then((json) => json.error, () => null);
        if (response.status === 401 || response.status === 403) throw new KeyRefused(said ?? words("key.refused"));
        throw new Refused(said ?? words("refused", { status: response.status }));
    }
}
