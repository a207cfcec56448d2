// The calls that the page knows, oldest first, as plain data, so that ten thousand of them stay small.

export class CallStore {
    /** The number of calls to store, which is the app's limit once it is known. */
    limit = 10_000;
    calls = [];
    /** The numbers that the app removed to make room. */
    gone = { calls: 0, bodies: 0 };
    #byID = new Map();
    /** The calls received since the page was paused, by id, or null if it is not paused. */
    #waiting = null;
    #listeners = [];

    onChange(listener) {
        this.#listeners.push(listener);
    }

    find(id) {
        return this.#byID.get(id);
    }

    /** Adds calls, or replaces known calls with the same ids. */
    add(calls) {
        const fresh = calls.filter((call) => this.#isNews(call));
        if (fresh.length === 0) return;
        if (this.#waiting) {
            for (const call of fresh) this.#waiting.set(call.id, call);
            for (const id of this.#waiting.keys()) {
                if (this.#waiting.size <= this.limit) break;
                this.#waiting.delete(id);
            }
        } else {
            this.#take(fresh);
        }
        this.#changed();
    }

    /** Whether to take a call. A finished call does not change any more. */
    #isNews(call) {
        const known = this.#waiting?.get(call.id) ?? this.#byID.get(call.id);
        return !known || known.state === "running";
    }

    #take(calls) {
        const fresh = new Map();
        for (const call of calls) {
            // Made once, because each keystroke searches it.
            call.words = [call.method, call.host + call.path, call.status, call.message, call.code, call.kind, call.tag].join(" ").toLowerCase();
            if (this.#byID.has(call.id)) this.calls[this.indexOf(call.id)] = call;
            else fresh.set(call.id, call);
        }
        for (const call of calls) this.#byID.set(call.id, call);
        const last = this.calls.at(-1)?.id ?? -Infinity;
        for (const call of [...fresh.values()].sort(byID)) this.calls.push(call);
        // Calls that began at the same time may arrive in any order.
        if (this.calls.length > fresh.size && this.calls[this.calls.length - fresh.size]?.id < last) this.calls.sort(byID);
        this.#forget(this.calls.length - this.limit);
    }

    /** Returns the index of a call, or -1. */
    indexOf(id) {
        return indexOf(this.calls, id);
    }

    /** Removes the calls before an id, which the app has removed. */
    forgetBefore(id) {
        const first = this.calls.findIndex((call) => call.id >= id);
        this.#forget(first < 0 ? this.calls.length : first);
    }

    #forget(count) {
        if (count <= 0) return;
        for (const call of this.calls.splice(0, count)) this.#byID.delete(call.id);
        this.#changed();
    }

    clear() {
        this.calls = [];
        this.#byID.clear();
        this.#waiting?.clear();
        this.#changed();
    }

    get isPaused() {
        return this.#waiting !== null;
    }

    get waitingCount() {
        return this.#waiting?.size ?? 0;
    }

    pause() {
        this.#waiting ??= new Map();
        this.#changed();
    }

    resume() {
        const waiting = this.#waiting;
        this.#waiting = null;
        if (waiting) this.#take([...waiting.values()]);
        this.#changed();
    }

    #changed() {
        this.#listeners.forEach((listener) => listener());
    }
}

const byID = (one, other) => one.id - other.id;

/** Returns the index of a call in a list sorted by id, or -1. */
export function indexOf(calls, id) {
    let low = 0;
    let high = calls.length - 1;
    while (low <= high) {
        const middle = (low + high) >> 1;
        const found = calls[middle].id;
        if (found === id) return middle;
        if (found < id) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}
