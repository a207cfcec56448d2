// The calls of a running app. Connects, receives events, and reconnects after the app has restarted.

import { CatchUp } from "./catch-up.js";
import { KeyRefused } from "./connection.js";

const longestWait = 5_000;
/** The number of calls in an event from which on it may be incomplete. */
const fullEvent = 200;
/** The maximum distance by which calls may be out of the order of their ids. */
const disorder = 500;

export class LiveCalls {
    /** "connecting", "live", "lost", "refused" */
    state = "connecting";
    hello = null;
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

    /** Runs until the app refuses the key. */
    async run(hello) {
        let wait = 250;
        for (;;) {
            const stop = new AbortController();
            try {
                this.#begin(hello ?? (await this.#connection.hello()));
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
        // A new run of the app restarts the ids of its calls, so that known ids are invalid.
        if (hello.run === undefined || hello.run !== this.#run) this.#store.clear();
        this.#run = hello.run ?? null;
    }

    async #listen(stop) {
        let newest = null;
        const catchUp = new CatchUp(this.#connection, this.#store);
        for await (const { name, data } of this.#connection.events(stop.signal)) {
            if (this.state !== "live") this.#enter("live");
            if (name === "cleared") this.#store.clear();
            else if (name === "effects") this.#listeners.effects.forEach((listener) => listener(data.effects));
            else if (name === "calls") {
                // Calls do not begin exactly in the order of their ids, so that a few older ones may still be stored.
                if (data.dropped > 0) this.#store.forgetBefore(data.oldest - disorder);
                this.#store.gone = { calls: data.dropped ?? 0, bodies: data.bodiless ?? 0 };
                const isFull = data.calls.length >= fullEvent;
                if (newest === null ? data.kept > data.calls.length : isFull) catchUp.read(this.#gap(newest ?? 0), stop.signal);
                this.#store.add(data.calls);
                newest = data.calls.reduce((most, call) => Math.max(most, call.id), newest ?? 0);
            }
        }
    }

    /** Returns the start of a possible gap: after the newest call, or at a recent call whose end may have been missed. */
    #gap(newest) {
        const running = this.#store.calls.slice(-fullEvent * 5).find((call) => call.state === "running");
        return Math.min(newest, running?.id ?? newest) - disorder;
    }

    #enter(state, message) {
        this.state = state;
        this.message = message;
        this.#listeners.state.forEach((listener) => listener());
    }

    // The interface that all sources of calls share.

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
