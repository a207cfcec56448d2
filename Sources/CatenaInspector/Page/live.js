// The calls of a running app: connects, listens, and connects again when the app was away.

import { KeyRefused } from "./connection.js";

const longestWait = 5_000;

export class LiveCalls {
    /** "connecting", "live", "lost", "refused" */
    state = "connecting";
    hello = null;
    dropped = 0;
    #connection;
    #store;
    #listeners = { state: [], effects: [] };
    #run = null;

    constructor(connection, store) {
        this.#connection = connection;
        this.#store = store;
    }

    onState(listener) {
        this.#listeners.state.push(listener);
    }

    onEffects(listener) {
        this.#listeners.effects.push(listener);
    }

    /** Goes on until the key is refused. */
    async run(hello) {
        let wait = 250;
        for (;;) {
            const stop = new AbortController();
            try {
                this.#begin(hello ?? (await this.#connection.get("/api/hello")));
                hello = null;
                wait = 250;
                await this.#listen(stop);
                this.#enter("lost");
            } catch (error) {
                if (error instanceof KeyRefused) return this.#enter("refused", error.message);
                this.#enter("lost", error.message);
            } finally {
                stop.abort();
            }
            await new Promise((resolve) => setTimeout(resolve, wait));
            wait = Math.min(wait * 2, longestWait);
        }
    }

    #begin(hello) {
        this.hello = hello;
        this.clockDifference = Date.now() - hello.now;
        this.#store.limit = hello.limit ?? this.#store.limit;
        // Another run of the app counts its calls from the beginning again: the ids that are known mean nothing any more.
        if (hello.run === undefined || hello.run !== this.#run) this.#store.clear();
        this.#run = hello.run ?? null;
    }

    async #listen(stop) {
        let isFirst = true;
        for await (const { name, data } of this.#connection.events(stop.signal)) {
            if (this.state !== "live") this.#enter("live");
            if (name === "cleared") this.#store.clear();
            else if (name === "effects") this.#listeners.effects.forEach((listener) => listener(data.effects));
            else if (name === "calls") {
                this.dropped = data.dropped ?? 0;
                this.#store.forgetBefore(data.oldest ?? 0);
                this.#store.add(data.calls);
                if (isFirst) this.#loadOlder(data, stop.signal);
                isFirst = false;
            }
        }
    }

    /** The app sends only the newest calls by itself. */
    async #loadOlder({ calls, kept }, signal) {
        try {
            let more = kept > calls.length;
            let oldest = calls.reduce((least, call) => Math.min(least, call.id), Infinity);
            while (more && Number.isFinite(oldest) && !signal.aborted) {
                const page = await this.#connection.get(`/api/calls?before=${oldest}&limit=500`, signal);
                if (page.calls.length === 0) return;
                this.#store.addOlder(page.calls);
                oldest = page.calls.reduce((least, call) => Math.min(least, call.id), oldest);
                more = page.more;
            }
        } catch (error) {
            // The stream of events notices a lost connection as well, and begins again.
            console.debug(error);
        }
    }

    #enter(state, message) {
        this.state = state;
        this.message = message;
        this.#listeners.state.forEach((listener) => listener());
    }

    // What the page asks of calls, wherever they come from.

    detail(id, signal) {
        return this.#connection.get(`/api/calls/${id}`, signal);
    }

    runAgain(id) {
        return this.#connection.post(`/api/calls/${id}/again`);
    }

    clear() {
        return this.#connection.post("/api/clear");
    }

    archive(ids) {
        return this.#connection.text(ids ? `/api/har?ids=${ids.join(",")}` : "/api/har");
    }

    addEffect(effect) {
        return this.#connection.post("/api/effects", effect);
    }

    removeEffect(id) {
        return this.#connection.remove(id === undefined ? "/api/effects" : `/api/effects/${id}`);
    }
}
